// An issuer is a valid combination of authentication method and API. Its address comes only from the settings and the
// registry, never from a request: a request only says which of a combination's two addresses it came to
// (docs/decisions/0009).
import { hostOf, issuerHostOf } from '#lib/registry/index.ts';
import { settings } from '#lib/settings/index.ts';
import type { Snapshot, SnapshotApi, SnapshotMethod } from '#lib/store/index.ts';
import { UnknownIssuer } from '../errors/index.ts';

export type Issuer = {
  /** the address that was called, or that the request began at: `iss` */
  url: string;
  /** the origin of the issuer's own host, where `url` is that; null: the path address */
  host: string | null;
  method: SnapshotMethod;
  api: SnapshotApi;
  snapshot: Snapshot;
};

/** `calledHost`: the host that the request came to, as `foreignHost` gives it; then the others count for nothing. */
type Ids = { readonly [Name in 'authMethodId' | 'apiId' | 'calledHost']?: string };

/** Is there an issuer of these ids, or at this host? */
export function hasIssuer({ apis, issuersByHost }: Snapshot, { calledHost, ...ids }: Ids): boolean {
  if (calledHost !== undefined) return issuersByHost.has(calledHost);
  const { authMethodId = '', apiId = '' } = ids;
  return apis.get(apiId)?.authMethods.includes(authMethodId) === true;
}

/** The issuer of these ids, or UnknownIssuer, which does not tell whether one of the two exists. */
export function findIssuer(snapshot: Snapshot, { calledHost, ...ids }: Ids): Issuer {
  const named = calledHost === undefined ? ids : snapshot.issuersByHost.get(calledHost);
  const method = snapshot.methods.get(named?.authMethodId ?? '');
  const api = snapshot.apis.get(named?.apiId ?? '');
  if (!method || !api?.authMethods.includes(method.id)) throw new UnknownIssuer('no such issuer');
  const issuer = { url: issuerUrl(method.id, api.id), host: null, method, api, snapshot };
  return calledHost === undefined ? issuer : atHost(issuer, issuerHostOf(api, method.id));
}

/** The same issuer by its own host, where `origin` is that; otherwise as it is. */
export function atHost(issuer: Issuer, origin: string | null | undefined): Issuer {
  if (!origin || origin !== issuerHostOf(issuer.api, issuer.method.id)) return issuer;
  return { ...issuer, url: origin, host: origin };
}

export function issuerUrl(authMethodId: string, apiId: string): string {
  return `${settings().authUrl}/auth/${authMethodId}/api/${apiId}`;
}

/** What clients are told to begin at: the host that the issuer has of its own, where it has one. */
export const startingAddress = (api: SnapshotApi, authMethodId: string): string =>
  issuerHostOf(api, authMethodId) ?? issuerUrl(authMethodId, api.id);

/** Does a combination still have the address that something began at? `issuerHost`: null is the path address. */
export function hasAddress(
  { apis }: Snapshot,
  { authMethodId, apiId, issuerHost }: { authMethodId: string; apiId: string; issuerHost: string | null },
): boolean {
  const api = apis.get(apiId);
  if (!api?.authMethods.includes(authMethodId)) return false;
  return issuerHost === null || issuerHost === issuerHostOf(api, authMethodId);
}

/** Is this an address of an issuer, letter by letter? */
export function isIssuer(snapshot: Snapshot, url: string): boolean {
  const hosted = snapshot.issuersByHost.get(hostOf(url));
  if (hosted) {
    const api = snapshot.apis.get(hosted.apiId);
    return api !== undefined && issuerHostOf(api, hosted.authMethodId) === url;
  }
  const [, authMethodId = '', apiId = ''] = /\/auth\/([^/]+)\/api\/([^/]+)$/.exec(url) ?? [];
  return hasIssuer(snapshot, { authMethodId, apiId }) && url === issuerUrl(authMethodId, apiId);
}

/**
 * The address where a browser continues: only AUTH_URL has cookies and pages. A request that came to the issuer's own
 * host adds that in a parameter, which counts for no other host; the same parameter from a client is removed.
 */
export function browserAddress(
  { method, api, host }: Issuer,
  name: 'authorize' | 'logout',
  query: string,
): string {
  const address = `${issuerUrl(method.id, api.id)}/${name}?`;
  if (host === null) return address + query;
  const own = query.split('&').filter((part) => part !== '' && !/^issuer_host(?:=|$)/.test(part));
  return address + [...own, `issuer_host=${encodeURIComponent(host)}`].join('&');
}

export type IssuerEndpoints = ReturnType<typeof issuerEndpoints>;

export function issuerEndpoints(url: string) {
  return {
    authorizationEndpoint: `${url}/authorize`,
    pushedAuthorizationRequestEndpoint: `${url}/par`,
    tokenEndpoint: `${url}/token`,
    deviceAuthorizationEndpoint: `${url}/device_authorization`,
    revocationEndpoint: `${url}/revoke`,
    introspectionEndpoint: `${url}/introspect`,
    userinfoEndpoint: `${url}/userinfo`,
    endSessionEndpoint: `${url}/logout`,
    registrationEndpoint: `${url}/register`,
    jwksUri: `${url}/jwks`,
    metadataUrl: `${url}/.well-known/oauth-authorization-server`,
  };
}
