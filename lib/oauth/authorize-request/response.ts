// What an authorize request is refused with, and the way back to the client: a redirect, or a form that our page posts;
// `state` untouched, `iss` always (RFC 6749 §4.1.2, RFC 9207 §2, OAuth 2.0 Form Post Response Mode §2).
import type { Answer } from '#lib/http/message.ts';
import { renderPage } from '#lib/http/page.ts';
import type { Params } from '#lib/http/params.ts';
import { html, redirect } from '#lib/http/respond.ts';
import { randomToken } from '#lib/kit/random.ts';
import type { Words } from '#lib/language/words.ts';
import { settings } from '#lib/settings/settings.ts';
import type { OAuthError } from '../errors/errors.ts';
import { appendParameters } from '../rules/redirect-uri.ts';
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

/** `words`: of the page that posts, asked for where there is one. */
export function codeRedirect(recipient: Recipient, code: string, words: () => Words): Answer {
  return toClient(recipient, [['code', code]], words);
}

export function errorRedirect(recipient: Recipient, error: OAuthError, words: () => Words): Answer {
  const told: [string, string][] = [
    ['error', error.code],
    ['error_description', error.message],
  ];
  const answer = toClient(recipient, told, words);
  return { ...answer, error: error.code };
}

function toClient(
  { redirectUri, state, issuer, responseMode }: Recipient,
  parameters: [string, string][],
  words: () => Words,
): Answer {
  if (state !== null) parameters.push(['state', state]);
  parameters.push(['iss', issuer.url]);
  if (responseMode === 'form_post') return formPost(redirectUri, parameters, words());
  return redirect(302, appendParameters(redirectUri, parameters));
}

function formPost(action: string, fields: [string, string][], words: Words): Answer {
  const nonce = randomToken('');
  const page = renderPage(
    {
      title: 'frame.one_moment',
      heading: 'frame.one_moment',
      message: 'frame.on_the_way',
      post: { action, fields, nonce },
    },
    words,
  );
  return html(200, page, { https: settings().secureCookies, words, nonce, postsToClient: true });
}
