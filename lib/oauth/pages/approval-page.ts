// The person has signed in, and nobody has approved the agent yet: the request is made in their name, and a page says that it
// waits. The page is the answer of the authorize address itself, so the same link goes on once somebody has approved it.
import { type Answer, type HttpRequest, html, renderPage } from '#lib/http/index.ts';
import type { Words } from '#lib/language/index.ts';
import { documentHost, returnHost } from '#lib/registry/index.ts';
import { settings } from '#lib/settings/index.ts';
import { RegistryChanged } from '#lib/store/index.ts';
import { AgentRefused, isListed, ruleFor, valuesOf } from '../agents/index.ts';
import type { AuthorizeRequest } from '../authorize-request/index.ts';
import { scopesShown } from './consent-shown.ts';
import { brandStyle, pageColours } from './page-brand.ts';
import { requestWords } from './page-words.ts';

type Came = { personId: string; query: string };

export async function askForApproval(
  http: HttpRequest,
  ip: string | null,
  request: AuthorizeRequest,
  { personId, query }: Came,
): Promise<Answer> {
  const { client, scopes, scopeNamed } = request;
  const { api } = request.issuer;
  const asked = api.scopes.map(({ name }) => name).filter((name) => scopes.includes(name));
  const rule = ruleFor(api, client, { scopes: asked, scopeNamed });
  const isThere = client.subscriptions.some((one) => one.apiId === api.id);
  if (!isThere && rule === null && !isListed(api, client)) throw new AgentRefused('not-listed');
  const { clientId, documentReadAt } = client;
  const actor = {
    kind: 'person',
    id: personId,
    email: null,
    roles: [],
    signedInAt: null,
    request: { id: http.requestId, ip },
  } as const;
  // only who comes with an agent needs it: a token request loads nothing of management
  const { askForAgent } = await import('#lib/management/index.ts');
  const answer = await askForAgent(actor, {
    clientId,
    api: api.id,
    host: documentHost(client),
    document:
      client.origin === 'document' && documentReadAt !== null
        ? { values: valuesOf(client), readAt: new Date(documentReadAt) }
        : null,
    scopes: asked.length === api.scopes.length ? [] : asked,
    asksNone: asked.length === 0,
    rule,
    requestId: http.requestId,
  });
  if (answer.kind === 'full') throw new AgentRefused(`full-${answer.whose}`);
  // a rule, or an approver who was faster: the request is answered again
  if (answer.kind === 'decided') throw new RegistryChanged('the agent is decided on');
  return waitingPage(request, requestWords(http), { query, requestId: answer.requestId });
}

/** What the person reads meanwhile: the same of the client as the consent page says of it later. */
export function waitingPage(
  asked: AuthorizeRequest,
  texts: Words,
  { query, requestId }: { query: string; requestId: string },
): Answer {
  const { issuer, client, redirectUri } = asked;
  const host = documentHost(client);
  const { api } = issuer;
  const name = texts.shown(client.name);
  const asksFor = scopesShown(asked).map((scope) => {
    const { text, ...shown } = texts.shown(scope.description);
    return { ...shown, text: texts.said(text) || scope.name };
  });
  // the API's alone: nobody has looked at the client
  const style = brandStyle(pageColours(null, api));
  const page = renderPage(
    {
      title: 'Waiting for approval',
      heading: 'Waiting for approval',
      message: texts.t('agent.waiting_lead', { client: name.text, api: texts.shown(api.name).text }),
      details: [
        ['Application', [name]],
        ...(host === null ? [] : ([['From', host]] as const)),
        ['Returns to', returnHost(redirectUri)],
        ...(asksFor.length === 0 ? [] : ([['It asks for', asksFor]] as const)),
      ],
      requestId,
      link: { href: `${issuer.url}/authorize?${query}`, label: 'Look again' },
      style,
    },
    texts,
  );
  return html(200, page, { https: settings().secureCookies, words: texts, style });
}
