// The person has signed in, and the unregistered client has no approval yet: a request is made in their name, and a
// page says so. The page is the answer of the authorize address itself, so the same link continues after the approval.
import type { Answer, HttpRequest } from '#lib/http/message.ts';
import { renderPage } from '#lib/http/page.ts';
import { html } from '#lib/http/respond.ts';
import { now } from '#lib/kit/clock.ts';
import type { Words } from '#lib/language/words.ts';
import { returnHost } from '#lib/registry/clients/redirect-rules.ts';
import { documentHost } from '#lib/registry/clients/unregistered.ts';
import { openTransaction } from '#lib/sessions/transaction.ts';
import { settings } from '#lib/settings/settings.ts';
import { RegistryChanged } from '#lib/store/registry/snapshot.ts';
import type { Kept } from '../authorize-request/interaction.ts';
import type { AuthorizeRequest } from '../authorize-request/request.ts';
import { requestApproval } from '../unregistered/ask.ts';
import { scopesShown, scopeText } from './consent-shown.ts';
import { continueLocation } from './form.ts';
import { brandStyle, pageColours } from './page-brand.ts';
import { requestWords } from './page-words.ts';

export async function askForApproval(
  http: HttpRequest,
  ip: string | null,
  request: AuthorizeRequest,
  personId: string,
  kept: Kept,
): Promise<Answer> {
  const { issuer, client, scopes, scopeNamed } = request;
  const asked = { api: issuer.api, client, scopes, scopeNamed };
  const requestId = await requestApproval(asked, { personId, requestId: http.requestId, ip });
  // a rule, or an approver who was faster: the request is answered again
  if (requestId === null) throw new RegistryChanged('the request is decided on');
  const words = requestWords(http);
  if (!kept.pushed) {
    const href = `${issuer.url}/authorize?${kept.query}`;
    return waitingPage(request, words, { href, requestId });
  }
  // the link of a pushed request is good for one visit only
  const { browser, cookie } = openTransaction(http.headers['cookie']);
  const ids = { authMethodId: issuer.method.id, apiId: issuer.api.id };
  const href = continueLocation({ ...ids, ...kept, startedAt: now().getTime(), browser });
  return waitingPage(request, words, { href, requestId, headers: { 'set-cookie': cookie } });
}

type Shown = { href: string; requestId: string; headers?: Record<string, string> };

/** What the person reads meanwhile: the same of the client as the consent page says of it later. */
export function waitingPage(
  asked: AuthorizeRequest,
  texts: Words,
  { href, requestId, headers = {} }: Shown,
): Answer {
  const { issuer, client, redirectUri } = asked;
  const host = documentHost(client);
  const { api } = issuer;
  const name = texts.shown(client.name);
  const asksFor = scopesShown(asked).map((scope) => scopeText(scope, texts));
  // only the API's: the client was not reviewed
  const style = brandStyle(pageColours(null, api));
  const page = renderPage(
    {
      title: 'agent.waiting',
      heading: 'agent.waiting',
      message: {
        code: 'agent.waiting_lead',
        values: { client: name.text, api: texts.shown(api.name).text },
      },
      details: [
        ['agent.application', [name]],
        ...(host === null ? [] : ([['agent.from', host]] as const)),
        ['agent.returns_to', returnHost(redirectUri)],
        ...(asksFor.length === 0 ? [] : ([['agent.asks_for', asksFor]] as const)),
      ],
      requestId,
      link: { href, label: 'agent.look_again' },
      style,
    },
    texts,
  );
  return html(200, page, { https: settings().secureCookies, words: texts, style, headers });
}
