// The published APIs, for the pages: what an application's developer may know without signing in.
import {
  BUILT_IN_API,
  type Directory,
  type DirectoryApi,
  type DirectoryMethod,
  directory,
} from '#lib/store/index.ts';
import { type IssuerEndpoints, issuerEndpoints, issuerUrl } from './issuer.ts';

export type PublishedApi = Pick<
  DirectoryApi,
  | 'id'
  | 'name'
  | 'description'
  | 'url'
  | 'scopes'
  | 'accessTokenTtlSeconds'
  | 'accessTokenFormat'
  | 'signingAlg'
  | 'refreshTokenTtlSeconds'
  | 'refreshFamilyTtlSeconds'
  | 'requireRedirectUri'
  | 'requireScope'
  | 'requireApproval'
> & {
  issuers: ({ method: Pick<DirectoryMethod, 'id' | 'name' | 'type'>; issuer: string } & IssuerEndpoints)[];
};

export async function listPublishedApis(): Promise<PublishedApi[]> {
  const registry = await directory();
  return [...registry.apis.values()]
    .filter((api) => api.id !== BUILT_IN_API)
    .map((api) => publish(api, registry));
}

export async function readPublishedApi(apiId: string): Promise<PublishedApi | null> {
  const registry = await directory();
  const api = registry.apis.get(apiId);
  return api ? publish(api, registry) : null;
}

function publish(api: DirectoryApi, registry: Directory): PublishedApi {
  const { introspectionSecretHash, methods, ...shown } = api;
  const issuers = methods.flatMap((id) => {
    const method = registry.methods.get(id);
    if (!method) return [];
    const issuer = issuerUrl(id, api.id);
    return [{ method: { id, name: method.name, type: method.type }, issuer, ...issuerEndpoints(issuer) }];
  });
  return { ...shown, issuers };
}
