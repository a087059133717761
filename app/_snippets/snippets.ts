// Code for the usual client libraries, with this client's addresses and names. Secrets are never filled in.
import type { ClientDetail } from '#lib/management/registry/clients.ts';
import type { PublishedApi } from '#lib/oauth/endpoints/published.ts';
import { signs } from './authentication.ts';
import { angular, react, vue } from './browser.ts';
import type { Facts, Snippet } from './facts.ts';
import { oauth4webapi, openidClient } from './javascript.ts';
import { curlOfMachine, nodeOfMachine, pythonOfMachine } from './machines.ts';
import { authJs, openidClientSignIn } from './openid.ts';
import { authlib, curl, golang, spring } from './others.ts';
import { kotlin, swift } from './phones.ts';
import { dotnet, expressServer } from './servers.ts';

type Issuer = PublishedApi['issuers'][number];
type Given = {
  client: Pick<ClientDetail, 'clientId' | 'kind' | 'redirectUris' | 'tokenEndpointAuthMethod'> &
    Partial<
      Pick<
        ClientDetail,
        | 'requirePushedAuthorizationRequests'
        | 'dpopBoundAccessTokens'
        | 'postLogoutRedirectUris'
        | 'idTokenClaims'
      >
    >;
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
  return librariesFor(facts, { client, machine })
    .filter(({ pushes, binds }) => (pushes || !facts.pushes) && (binds || !facts.bound))
    .map(({ make }) => make(facts));
}

/** Whether some libraries are left out, because they cannot do what the client or the API asks for. */
export const asksForMore = ({ client, api }: Pick<Given, 'client' | 'api'>): boolean =>
  mustPush(client, api) || mustBind(client, api);

/** What a library can do: push requests, and prove a key. */
type Library = { make: (facts: Facts) => Snippet; pushes: boolean; binds: boolean };
const plain = (make: Library['make']): Library => ({ make, pushes: false, binds: false });
const binding = (make: Library['make']): Library => ({ make, pushes: false, binds: true });
const pushing = (make: Library['make']): Library => ({ make, pushes: true, binds: false });
const both = (make: Library['make']): Library => ({ make, pushes: true, binds: true });

function librariesFor(
  facts: Facts,
  { client, machine }: { client: Given['client']; machine: boolean },
): Library[] {
  if (client.kind === 'browser')
    return [binding(react), binding(vue), binding(angular), both(oauth4webapi), pushing(curl)];
  const own = machine ? librariesOfMachine(facts) : [];
  // it sends no one to a sign-in
  if (machine && client.redirectUris.length === 0) return own;
  // the others sign nothing by themselves
  if (signs(facts)) return [both(openidClient), both(oauth4webapi), both(openidClientSignIn), ...own];
  const shared = [both(openidClient), both(oauth4webapi), plain(authlib), plain(golang)];
  const more = facts.confidential
    ? [plain(authJs), both(expressServer), plain(spring), ...dotnetOf(facts)]
    : [plain(swift), plain(kotlin)];
  return [...shared, ...more, both(openidClientSignIn), pushing(curl), ...own];
}

/** A token of its own is asked for at once, so that nothing is pushed. */
const librariesOfMachine = (facts: Facts) =>
  signs(facts)
    ? [both(nodeOfMachine)]
    : [pushing(curlOfMachine), both(nodeOfMachine), pushing(pythonOfMachine)];

/** Its library sends the secret only in the body. */
const dotnetOf = (facts: Facts) => (facts.by === 'client_secret_basic' ? [] : [pushing(dotnet)]);

const mustPush = (client: Given['client'], { profile }: PublishedApi) =>
  client.requirePushedAuthorizationRequests === true || profile === 'fapi-2.0';
const mustBind = (client: Given['client'], { dpop }: PublishedApi) =>
  client.dpopBoundAccessTokens === true || dpop === 'required';

/** For readers without a client: words in capitals are placeholders of its name and address. */
export function firstSnippet(api: PublishedApi): Snippet | null {
  const [issuer] = api.issuers;
  const client = {
    clientId: 'CLIENT_ID',
    kind: 'confidential' as const,
    redirectUris: [],
    tokenEndpointAuthMethod: api.profile === 'fapi-2.0' ? ('private_key_jwt' as const) : null,
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
    token: issuer.tokenEndpoint,
    clientId: client.clientId,
    redirectUri: client.redirectUris[0] ?? 'YOUR_REDIRECT_ADDRESS',
    signedOutUri: client.postLogoutRedirectUris?.[0] ?? null,
    claimsInIdToken: client.idTokenClaims === true,
    scope: scopes.join(' '),
    apiUrl: api.url,
    confidential: client.kind === 'confidential',
    by: client.tokenEndpointAuthMethod,
    refreshes: client.kind !== 'browser' || client.dpopBoundAccessTokens === true,
    pushes: mustPush(client, api),
    bound: mustBind(client, api),
  };
}
