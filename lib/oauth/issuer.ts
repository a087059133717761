// An issuer is a valid combination of authentication method and API. Its address comes from the settings alone, never
// from a request.
import type { PathParams } from '#lib/http/index.ts';
import { settings } from '#lib/settings/index.ts';
import { recentSnapshot, type Snapshot, type SnapshotApi, type SnapshotMethod } from '#lib/store/index.ts';
import { UnknownIssuer } from './errors.ts';

export type Issuer = {
  url: string;
  method: SnapshotMethod;
  api: SnapshotApi;
  snapshot: Snapshot;
};

/**
 * The issuer of a path, or UnknownIssuer: nothing tells which half of the pair exists. By default from a recent registry:
 * only within `upToDate`, where what is done with it confirms it.
 */
export async function findIssuer(params: PathParams, read = recentSnapshot): Promise<Issuer> {
  const snapshot = await read();
  const method = snapshot.methods.get(params['authMethodId'] ?? '');
  const api = snapshot.apis.get(params['apiId'] ?? '');
  if (!method || !api?.authMethods.includes(method.id)) throw new UnknownIssuer('no such issuer');
  return { url: issuerUrl(method.id, api.id), method, api, snapshot };
}

export function issuerUrl(authMethodId: string, apiId: string): string {
  return `${settings().authUrl}/auth/${authMethodId}/api/${apiId}`;
}

export type IssuerEndpoints = ReturnType<typeof issuerEndpoints>;

export function issuerEndpoints(url: string) {
  return {
    authorizationEndpoint: `${url}/authorize`,
    tokenEndpoint: `${url}/token`,
    revocationEndpoint: `${url}/revoke`,
    introspectionEndpoint: `${url}/introspect`,
    jwksUri: `${url}/jwks`,
    metadataUrl: `${url}/.well-known/oauth-authorization-server`,
  };
}
