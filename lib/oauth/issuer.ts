// An issuer is a valid combination of authentication method and API. Its address comes from the settings alone, never
// from a request.
import type { PathParams } from '#lib/http/index.ts';
import { settings } from '#lib/settings/index.ts';
import {
  type Directory,
  type DirectoryApi,
  type DirectoryMethod,
  recentDirectory,
} from '#lib/store/index.ts';
import { UnknownIssuer } from './errors.ts';

export type Issuer = {
  url: string;
  method: DirectoryMethod;
  api: DirectoryApi;
  registry: Directory;
};

/**
 * The issuer of a path, or UnknownIssuer: nothing tells which half of the pair exists. By default from a recent registry:
 * only within `upToDate`, where what is done with it confirms it.
 */
export async function findIssuer(params: PathParams, read = recentDirectory): Promise<Issuer> {
  const registry = await read();
  const method = registry.methods.get(params['authMethodId'] ?? '');
  const api = registry.apis.get(params['apiId'] ?? '');
  if (!method || !api?.methods.includes(method.id)) throw new UnknownIssuer('no such issuer');
  return { url: issuerUrl(method.id, api.id), method, api, registry };
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
