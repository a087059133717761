// An issuer is a valid combination of authentication method and API. Its address comes from the settings alone, never
// from a request.
import { settings } from '#lib/settings/index.ts';
import type { Snapshot, SnapshotApi, SnapshotMethod } from '#lib/store/index.ts';
import { UnknownIssuer } from './errors.ts';

export type Issuer = {
  url: string;
  method: SnapshotMethod;
  api: SnapshotApi;
  snapshot: Snapshot;
};

type Ids = { readonly [Name in 'authMethodId' | 'apiId']?: string };

/** Is there an issuer of these ids? */
export function hasIssuer({ apis }: Snapshot, { authMethodId = '', apiId = '' }: Ids): boolean {
  return apis.get(apiId)?.authMethods.includes(authMethodId) === true;
}

/** The issuer of these ids, or UnknownIssuer, which does not tell whether one of the two exists. */
export function findIssuer(snapshot: Snapshot, { authMethodId = '', apiId = '' }: Ids): Issuer {
  const method = snapshot.methods.get(authMethodId);
  const api = snapshot.apis.get(apiId);
  if (!method || !api?.authMethods.includes(method.id)) throw new UnknownIssuer('no such issuer');
  return { url: issuerUrl(method.id, api.id), method, api, snapshot };
}

export function issuerUrl(authMethodId: string, apiId: string): string {
  return `${settings().authUrl}/auth/${authMethodId}/api/${apiId}`;
}

/** Is this the address of an issuer, letter by letter? */
export function isIssuer(snapshot: Snapshot, url: string): boolean {
  const [, authMethodId = '', apiId = ''] = /\/auth\/([^/]+)\/api\/([^/]+)$/.exec(url) ?? [];
  return hasIssuer(snapshot, { authMethodId, apiId }) && url === issuerUrl(authMethodId, apiId);
}

export type IssuerEndpoints = ReturnType<typeof issuerEndpoints>;

export function issuerEndpoints(url: string) {
  return {
    authorizationEndpoint: `${url}/authorize`,
    tokenEndpoint: `${url}/token`,
    revocationEndpoint: `${url}/revoke`,
    introspectionEndpoint: `${url}/introspect`,
    userinfoEndpoint: `${url}/userinfo`,
    endSessionEndpoint: `${url}/logout`,
    registrationEndpoint: `${url}/register`,
    jwksUri: `${url}/jwks`,
    metadataUrl: `${url}/.well-known/oauth-authorization-server`,
  };
}
