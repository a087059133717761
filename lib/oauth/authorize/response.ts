// The redirect to the client: 302, `state` untouched, `iss` always (RFC 6749 §4.1.2, RFC 9207 §2).
import { type Answer, redirect } from '#lib/http/index.ts';
import type { OAuthError } from '../errors.ts';
import { appendParameters } from '../redirect-uri.ts';
import type { Recipient } from './request.ts';

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
