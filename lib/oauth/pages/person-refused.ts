// The person has signed in, and the client is for others: a page that says so. From there they go back, and the client
// is told access_denied (RFC 6749 §4.1.2.1), or sign in again: as another person, or to have their claims brought up to
// date.
import type { Answer, HttpRequest } from '#lib/http/message.ts';
import { renderPage } from '#lib/http/page.ts';
import { html } from '#lib/http/respond.ts';
import { now } from '#lib/kit/clock.ts';
import { openTransaction } from '#lib/sessions/transaction.ts';
import { settings } from '#lib/settings/settings.ts';
import type { Kept } from '../authorize-request/interaction.ts';
import type { AuthorizeRequest } from '../authorize-request/request.ts';
import { continueLocation } from './form.ts';
import { requestWords } from './page-words.ts';

export function personRefusedPage(
  http: HttpRequest,
  { issuer, client }: AuthorizeRequest,
  kept: Kept,
): Answer {
  const { browser, cookie } = openTransaction(http.headers['cookie']);
  const { method, api } = issuer;
  const here = { authMethodId: method.id, apiId: api.id, ...kept, startedAt: now().getTime(), browser };
  const heading = 'agent.not_for_you';
  const words = requestWords(http);
  const page = renderPage(
    {
      title: heading,
      heading,
      message: {
        code: 'agent.not_for_you_lead',
        values: { client: words.shown(client.name).text, api: words.shown(api.name).text },
      },
      requestId: http.requestId,
      link: { href: continueLocation({ ...here, refused: true }), label: 'frame.back' },
      otherLink: { href: continueLocation({ ...here, switching: true }), label: 'agent.sign_in_again' },
    },
    words,
  );
  return html(403, page, { https: settings().secureCookies, words, headers: { 'set-cookie': cookie } });
}
