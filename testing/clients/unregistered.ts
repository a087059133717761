// Unregistered clients for tests: a local host of their documents, users, and the pages that users see.
import http from 'node:http';
import type { Answer } from '#lib/http/message.ts';
import { viewConsent } from '#lib/oauth/pages/consent.ts';
import { settings } from '#lib/settings/settings.ts';
import { ask, cookieOf, locationOf } from '../in-process/in-process.ts';
import { listen } from '../net/listen.ts';
import { freshPkce } from '../net/pkce.ts';
import { type DocumentMembers, documentOf } from './client-documents.ts';

/** Serves the same valid document at every path. `say` changes the document of one path. */
export async function startDocumentHost() {
  const said = new Map<string, DocumentMembers>();
  const state = { requests: 0 };
  const server = http.createServer((request, response) => {
    state.requests += 1;
    const clientId = `http://${request.headers.host}${request.url}`;
    const members = documentOf(said.get(request.url ?? '') ?? {}, clientId);
    response.setHeader('content-type', 'application/json');
    // Gatehouse caches documents for at least five minutes
    response.setHeader('cache-control', 'max-age=300');
    response.end(JSON.stringify(members));
  });
  const { port, close } = await listen(server, { host: '0.0.0.0' });
  return {
    state,
    close,
    /** `host`: local host name. */
    at: (path: string, host = 'localhost') => `http://${host}:${port}${path}`,
    say: (path: string, members: DocumentMembers) => said.set(path, members),
  };
}

/** PKCE pair and callback of every agent's request. */
export const AGENT_PKCE = freshPkce();
export const AGENT_CALLBACK = 'https://agent.example/callback';

export function agentRequest(
  clientId: string,
  over: Record<string, string> = {},
  path = '/auth/pw/api/orders',
) {
  const query = {
    client_id: clientId,
    response_type: 'code',
    redirect_uri: AGENT_CALLBACK,
    ...AGENT_PKCE.params,
    ...over,
  };
  return `${path}/authorize?${new URLSearchParams(query)}`;
}

export const comeWith = (
  cookie: string | undefined,
  clientId: string,
  over: Record<string, string> = {},
  path?: string,
): Promise<Answer> => ask(agentRequest(clientId, over, path), { headers: { cookie }, address: '192.0.2.7' });

/** Returns the heading of a page without scripts. */
export const headingOf = ({ body }: Answer): string => /<h1><bdi>([^<]*)/.exec(String(body))?.[1] ?? '';

/** Returns the value of a named fact on the page. */
export const factOf = ({ body }: Answer, name: string): string =>
  new RegExp(`<dt>${name}</dt><dd><code><bdi>([^<]*)`).exec(String(body))?.[1] ?? '';

/** Returns the consent page to which the response leads, and the signed-in user. */
export async function consentOf(answer: Answer, cookie: string) {
  const interaction = new URL(locationOf(answer)).searchParams.get('interaction') ?? '';
  const all = `${cookie}; ${cookieOf(answer)}`;
  const view = await viewConsent({ interaction, cookie: all });
  if (view.kind !== 'ready') throw new Error(`consent is ${view.kind}: ${view.message}`);
  return { view, cookie: all };
}

/** Consents, and returns the result in the redirect: code or error. */
export async function allow(answer: Answer, cookie: string): Promise<string> {
  const { view, cookie: all } = await consentOf(answer, cookie);
  const form = { interaction: view.interaction, anti_forgery: view.antiForgery, decision: 'allow' };
  const posted = await ask('/consent/submit', { form, headers: { cookie: all, origin: settings().authUrl } });
  const next = new URL(locationOf(posted));
  const interaction = next.searchParams.get('interaction') ?? '';
  const done = await ask(`/auth/pw/api/orders/authorize?interaction=${interaction}`, {
    headers: { cookie: all },
  });
  const at = URL.parse(locationOf(done))?.searchParams;
  return at?.get('code') ?? at?.get('error') ?? headingOf(done);
}
