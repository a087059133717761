// What an authorize request is refused with, and the redirect to the client: 302, `state` untouched, `iss` always
// (RFC 6749 §4.1.2, RFC 9207 §2).
import { type Answer, type Params, redirect } from '#lib/http/index.ts';
import type { OAuthError } from '../errors.ts';
import { appendParameters } from '../redirect-uri.ts';
import type { Recipient } from './request.ts';

/** A refused authorize request; `cause` is why. Without a recipient nothing may redirect. */
export class AuthorizeRefused extends Error {
  override name = 'AuthorizeRefused';
  readonly params: Params;
  readonly recipient: Recipient | null;
  constructor(params: Params, recipient: Recipient | null, cause: unknown) {
    super('the authorize request is refused', { cause });
    this.params = params;
    this.recipient = recipient;
  }

  get clientId(): string | null {
    return this.params.values.get('client_id') ?? null;
  }
}

export function codeRedirect(recipient: Recipient, code: string): Answer {
  return toClient(recipient, [['code', code]]);
}

export function errorRedirect(recipient: Recipient, error: OAuthError): Answer {
  const answer = toClient(recipient, [
    ['error', error.code],
    ['error_description', error.message],
  ]);
  return { ...answer, error: error.code };
}

function toClient({ redirectUri, state, issuer }: Recipient, parameters: [string, string][]): Answer {
  if (state !== null) parameters.push(['state', state]);
  parameters.push(['iss', issuer.url]);
  return redirect(302, appendParameters(redirectUri, parameters));
}
