// Code for the usual client libraries, with this client's addresses and names. Secrets are never filled in.
import type { ClientDetail } from '#lib/management/index.ts';
import type { PublishedApi } from '#lib/oauth/index.ts';
import { signs } from './authentication.ts';
import { angular, react, vue } from './browser.ts';
import type { Facts, Snippet } from './facts.ts';
import { oauth4webapi, openidClient } from './javascript.ts';
import { curlOfMachine, nodeOfMachine, pythonOfMachine } from './machines.ts';
import { authJs, openidClientSignIn } from './openid.ts';
import { authlib, curl, golang, spring } from './others.ts';
import { kotlin, swift } from './phones.ts';
import { dotnet, expressServer } from './servers.ts';

export { protectionOf } from './protection.ts';

type Issuer = PublishedApi['issuers'][number];
type Given = {
  client: Pick<ClientDetail, 'clientId' | 'kind' | 'redirectUris' | 'tokenEndpointAuthMethod'>;
  api: PublishedApi;
  issuer: Issuer;
  /** the scopes of the subscription; empty: all of the API's */
  scopes: readonly string[];
  /** the subscription is for tokens in the client's own name, too */
  machine?: boolean;
};

export function snippetsFor({ client, api, issuer, scopes, machine = false }: Given): Snippet[] {
  const reach = scopes.length > 0 ? scopes : api.scopes.map(({ name }) => name);
  const facts = factsOf(client, api, issuer, reach);
  if (client.kind === 'browser')
    return [react(facts), vue(facts), angular(facts), oauth4webapi(facts), curl(facts)];
  const own = machine ? machineOf(facts) : [];
  // it sends no one to a sign-in
  if (machine && client.redirectUris.length === 0) return own;
  // the others sign nothing by themselves
  if (signs(facts)) return [openidClient(facts), oauth4webapi(facts), openidClientSignIn(facts), ...own];
  const shared = [openidClient(facts), oauth4webapi(facts), authlib(facts), golang(facts)];
  const more = facts.confidential
    ? [authJs(facts), expressServer(facts), spring(facts), ...dotnetOf(facts)]
    : [swift(facts), kotlin(facts)];
  return [...shared, ...more, openidClientSignIn(facts), curl(facts), ...own];
}

const machineOf = (facts: Facts) =>
  signs(facts)
    ? [nodeOfMachine(facts)]
    : [curlOfMachine(facts), nodeOfMachine(facts), pythonOfMachine(facts)];

/** Its library sends the secret only in the body. */
const dotnetOf = (facts: Facts) => (facts.by === 'client_secret_basic' ? [] : [dotnet(facts)]);

/** For readers without a client: words in capitals are placeholders of its name and address. */
export function firstSnippet(api: PublishedApi): Snippet | null {
  const [issuer] = api.issuers;
  const client = {
    clientId: 'CLIENT_ID',
    kind: 'confidential' as const,
    redirectUris: [],
    tokenEndpointAuthMethod: null,
  };
  const scopes = api.scopes.map(({ name }) => name);
  return issuer ? openidClient(factsOf(client, api, issuer, scopes)) : null;
}

function factsOf(
  client: Given['client'],
  api: PublishedApi,
  issuer: Issuer,
  scopes: readonly string[],
): Facts {
  return {
    issuer: issuer.issuer,
    authorize: issuer.authorizationEndpoint,
    token: issuer.tokenEndpoint,
    jwks: issuer.jwksUri,
    clientId: client.clientId,
    redirectUri: client.redirectUris[0] ?? 'YOUR_REDIRECT_ADDRESS',
    scope: scopes.join(' '),
    apiUrl: api.url,
    confidential: client.kind === 'confidential',
    by: client.tokenEndpointAuthMethod,
    refreshes: client.kind !== 'browser',
  };
}
