// Code for the usual client libraries, with this client's own addresses and names filled in. A secret never: only the
// place where it goes.
import type { ClientView } from '#lib/management/index.ts';
import type { PublishedApi } from '#lib/oauth/index.ts';
import type { Facts, Snippet } from './snippet.ts';
import { oauth4webapi, openidClient } from './snippets-javascript.ts';
import { authlib, curl, golang, spring } from './snippets-others.ts';

type Given = {
  client: Pick<ClientView, 'clientId' | 'kind' | 'redirectUris'>;
  api: PublishedApi;
  issuer: PublishedApi['issuers'][number];
  /** the scopes that the subscription reaches; none: all of the API's */
  scopes: readonly string[];
};

export function snippetsFor({ client, api, issuer, scopes }: Given): Snippet[] {
  const reach = scopes.length > 0 ? scopes : api.scopes.map(({ name }) => name);
  const facts: Facts = {
    issuer: issuer.issuer,
    authorize: issuer.authorizationEndpoint,
    token: issuer.tokenEndpoint,
    jwks: issuer.jwksUri,
    clientId: client.clientId,
    redirectUri: client.redirectUris[0] ?? 'YOUR_REDIRECT_ADDRESS',
    scope: reach.join(' '),
    apiUrl: api.url,
    confidential: client.kind === 'confidential',
    refreshes: client.kind !== 'browser',
  };
  if (client.kind === 'browser') return [oauth4webapi(facts), curl(facts)];
  const shared = [openidClient(facts), oauth4webapi(facts), authlib(facts), golang(facts)];
  return [...shared, ...(facts.confidential ? [spring(facts)] : []), curl(facts)];
}
