// Example code for common client libraries, with the addresses and names of this client. It never contains the
// secret.

import type { ClientDetail } from '#lib/catalogue/clients/operations.ts';
import type { FillValues } from '#lib/kit/fill.ts';
import type { PublishedApi } from '#lib/oauth/metadata.ts';
import { filledSnippet, type Snippet } from './texts.ts';

/** `pushes`, `binds`: the library can push requests (RFC 9126) or bind tokens to a key (RFC 9449). */
type Library = Omit<Snippet, 'code' | 'language' | 'unrun'> & {
  file: string;
  pushes?: true;
  binds?: true;
  unrun?: true | 'bound';
};

const react: Library = {
  file: 'react.tsx',
  label: 'React, oidc-client-ts 3',
  framework: 'React',
  binds: true,
  unrun: 'bound',
};
const vue: Library = {
  file: 'vue.vue',
  label: 'Vue, oidc-client-ts 3',
  framework: 'Vue',
  binds: true,
  unrun: true,
};
const angular: Library = {
  file: 'angular.ts',
  label: 'Angular, oidc-client-ts 3',
  framework: 'Angular',
  binds: true,
  unrun: true,
};
const oauth4webapi: Library = {
  file: 'oauth4webapi.mjs',
  label: 'JavaScript, oauth4webapi 3',
  framework: 'JavaScript',
  pushes: true,
  binds: true,
};
const openidClient: Library = {
  file: 'openid-client.mjs',
  label: 'JavaScript, openid-client 6',
  framework: 'JavaScript',
  pushes: true,
  binds: true,
};
const signedInUser: Library = { ...openidClient, file: 'openid-client-user.mjs', for: 'signed-in-user' };
const authJs: Library = {
  file: 'auth-js.mjs',
  label: 'JavaScript, Auth.js 5',
  for: 'signed-in-user',
  framework: 'Next',
  unrun: true,
};
const express: Library = {
  file: 'express.mjs',
  label: 'Express, openid-client 6',
  framework: 'Express',
  pushes: true,
  binds: true,
};
const authlib: Library = { file: 'authlib.py', label: 'Python, Authlib', framework: 'Python' };
const golang: Library = { file: 'oauth2.go', label: 'Go, golang.org/x/oauth2', framework: 'Go', unrun: true };
const spring: Library = {
  file: 'application.yml',
  label: 'Java, Spring Security: application.yml',
  framework: 'Spring',
  unrun: true,
};
const dotnet: Library = {
  file: 'Program.cs',
  label: '.NET, ASP.NET Core: Program.cs',
  framework: '.NET',
  pushes: true,
  unrun: true,
};
const swift: Library = { file: 'SignIn.swift', label: 'Swift, AppAuth', framework: 'Swift', unrun: true };
const kotlin: Library = { file: 'SignIn.kt', label: 'Kotlin, AppAuth', framework: 'Kotlin', unrun: true };
const curl: Library = { file: 'curl.sh', label: 'curl', framework: 'curl', pushes: true };
// A machine client gets tokens by client credentials (RFC 6749 §4.4), so it has no authorization request to push.
const machineCurl: Library = { ...curl, file: 'curl-machine.sh', for: 'application-token' };
const machineNode: Library = { ...openidClient, file: 'openid-client-machine.mjs', for: 'application-token' };
const machinePython: Library = {
  ...authlib,
  file: 'authlib-machine.py',
  for: 'application-token',
  pushes: true,
};

type Issuer = PublishedApi['issuers'][number];
type Client = Pick<ClientDetail, 'clientId' | 'kind' | 'redirectUris' | 'tokenEndpointAuthMethod'> &
  Partial<
    Pick<
      ClientDetail,
      | 'requirePushedAuthorizationRequests'
      | 'dpopBoundAccessTokens'
      | 'postLogoutRedirectUris'
      | 'idTokenClaims'
    >
  >;
type Given = {
  client: Client;
  api: PublishedApi;
  issuer: Issuer;
  /** scopes of the subscription; empty: all scopes of the API */
  scopes: readonly string[];
  /** the subscription allows tokens in the client's own name */
  machine?: boolean;
};

export function snippetsFor({ client, api, issuer, scopes, machine = false }: Given): Snippet[] {
  const reach = scopes.length > 0 ? scopes : api.scopes.map(({ name }) => name);
  const values = valuesFor(client, api, issuer, reach);
  return librariesFor(client, machine)
    .filter(({ pushes, binds }) => (pushes || !mustPush(client, api)) && (binds || !mustBind(client, api)))
    .map((library) => snippetOf(library, values));
}

/** True if the list omits libraries that cannot push requests or bind tokens. */
export const asksForMore = ({ client, api }: Pick<Given, 'client' | 'api'>): boolean =>
  mustPush(client, api) || mustBind(client, api);

function librariesFor({ kind, redirectUris, tokenEndpointAuthMethod: method }: Client, machine: boolean) {
  if (kind === 'browser') return [react, vue, angular, oauth4webapi, curl];
  const signs = method === 'private_key_jwt';
  const machines = signs ? [machineNode] : [machineCurl, machineNode, machinePython];
  const machineLibraries = machine ? machines : [];
  // a client without a redirect address cannot start a sign-in
  if (machine && redirectUris.length === 0) return machineLibraries;
  // the other libraries cannot sign client assertions
  if (signs) return [openidClient, oauth4webapi, signedInUser, ...machineLibraries];
  const servers = [authJs, express, spring];
  // ASP.NET Core can send the secret only in the body
  if (method !== 'client_secret_basic') servers.push(dotnet);
  return [
    ...[openidClient, oauth4webapi, authlib, golang],
    ...(kind === 'confidential' ? servers : [swift, kotlin]),
    ...[signedInUser, curl, ...machineLibraries],
  ];
}

function snippetOf({ file, pushes: _, binds: __, unrun, ...snippet }: Library, values: FillValues): Snippet {
  const filled = filledSnippet(file, values);
  return { ...snippet, ...filled, ...((unrun === true || (unrun && values['bound'])) && { unrun: true }) };
}

const mustPush = (client: Client, { profile }: PublishedApi) =>
  client.requirePushedAuthorizationRequests === true || profile === 'fapi-2.0';
const mustBind = (client: Client, { dpop }: PublishedApi) =>
  client.dpopBoundAccessTokens === true || dpop === 'required';

/**
 * Returns the example for readers who have no client: the client id and the redirect address are placeholders in
 * capital letters.
 */
export function firstSnippet(api: PublishedApi): Snippet | null {
  const [issuer] = api.issuers;
  const client = {
    clientId: 'CLIENT_ID',
    kind: 'confidential' as const,
    redirectUris: [],
    tokenEndpointAuthMethod: api.profile === 'fapi-2.0' ? ('private_key_jwt' as const) : null,
  };
  const scopes = api.scopes.map(({ name }) => name);
  return issuer ? snippetOf(openidClient, valuesFor(client, api, issuer, scopes)) : null;
}

/** Returns the values for the placeholders in docs/snippets. */
function valuesFor(
  client: Client,
  api: PublishedApi,
  { issuer, tokenEndpoint }: Issuer,
  scopes: readonly string[],
) {
  const { clientId, tokenEndpointAuthMethod: method } = client;
  const redirectUri = client.redirectUris[0] ?? 'YOUR_REDIRECT_ADDRESS';
  const redirect = URL.parse(redirectUri);
  const isLocal = redirect?.protocol === 'http:';
  const confidential = client.kind === 'confidential';
  const signs = method === 'private_key_jwt';
  const inHeader = method === 'client_secret_basic';
  const bound = mustBind(client, api);
  const claimsInIdToken = client.idTokenClaims === true;
  const scope = scopes.join(' ');
  // scopes of common claims come first, then the scopes of the API
  const signInScope = ['openid profile email', scope].filter(Boolean).join(' ');
  const signInScopes = signInScope.split(' ');
  return {
    issuer,
    discovery: `${issuer}/.well-known/openid-configuration`,
    insecure: issuer.startsWith('http:'),
    tokenEndpoint,
    apiUrl: api.url,
    clientId,
    redirectUri,
    redirectParameter: `redirect_uri=${redirectUri}`,
    callbackPath: redirect?.pathname ?? '/callback',
    origin: redirect?.origin ?? 'YOUR_ORIGIN',
    scheme: /^([a-z][a-z0-9+.-]*):/i.exec(redirectUri)?.[1] ?? 'com.example.app',
    // origin on the developer's own machine; empty for other hosts, because behind a proxy that terminates TLS the
    // host determines the origin
    localOrigin: isLocal ? redirect.origin : '',
    port: isLocal ? redirect.port || '80' : '',
    // 5173 is the default port of Vite
    vitePort: isLocal && redirect.port !== '5173' ? redirect.port : '',
    signedOutUri: client.postLogoutRedirectUris?.[0] ?? '',
    scope,
    scopes: scope.split(' ').filter(Boolean),
    scopeParameter: `scope=${scope}`,
    signInScope,
    signInScopes,
    moreScopes: signInScopes.filter((moreScope) => moreScope !== 'openid' && moreScope !== 'profile'),
    confidential,
    authMethod: method ?? 'client_secret_basic',
    signs,
    inHeader,
    // openid-client sends the secret in the body by default, even if no method is registered
    inBody: confidential && !signs && !inHeader,
    posts: method === 'client_secret_post',
    refreshes: client.kind !== 'browser' || client.dpopBoundAccessTokens === true,
    pushes: mustPush(client, api),
    bound,
    claimsInIdToken,
    // true: the example can show the name of the user; with a bound token only from the ID token, because
    // oidc-client-ts sends only bearer tokens to the userinfo endpoint
    named: !bound || claimsInIdToken,
  } satisfies FillValues;
}
