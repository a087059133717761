// An issuer is a valid combination of authentication method and API. Its address comes only from the settings and the
// registry, never from a request: a request only says which of a combination's two addresses it came to
// (docs/decisions/0009).

import { now } from '#lib/kit/clock.ts';
import { addressesOf, type IssuerAddress } from '#lib/registry/objects/former-issuers.ts';
import { issuerHostOf } from '#lib/registry/objects/issuer-hosts.ts';
import { formerIssuerBase, type IssuerLayout, pathIn } from '#lib/registry/objects/issuer-layouts.ts';
import { settings } from '#lib/settings/settings.ts';
import type {
  AddressedIssuer,
  Snapshot,
  SnapshotApi,
  SnapshotMethod,
} from '#lib/store/registry/snapshot-rows.ts';
import { UnknownIssuer } from '../errors/errors.ts';

export type Issuer = {
  /** the address that was called, or that the request began at: `iss` */
  url: string;
  /** `url`, where that is a host of the issuer's own, or its address at a former service; null: the path address */
  host: string | null;
  /** where its addresses are below `url` */
  layout: IssuerLayout;
  method: SnapshotMethod;
  api: SnapshotApi;
  snapshot: Snapshot;
};

/** `address`: one that it has beside its path address; then the others count for nothing. */
type Ids = { readonly [Name in 'authMethodId' | 'apiId' | 'address']?: string };

/** Is there an issuer of these ids, or at this address? */
export function hasIssuer(snapshot: Snapshot, { address, ...ids }: Ids): boolean {
  if (address !== undefined) return addressed(snapshot, address) !== null;
  const { authMethodId = '', apiId = '' } = ids;
  return snapshot.apis.get(apiId)?.authMethods.includes(authMethodId) === true;
}

/** The issuer of these ids, or UnknownIssuer, which does not tell whether one of the two exists. */
export function findIssuer(snapshot: Snapshot, { address, ...ids }: Ids): Issuer {
  const named = address === undefined ? ids : addressed(snapshot, address);
  const method = snapshot.methods.get(named?.authMethodId ?? '');
  const api = snapshot.apis.get(named?.apiId ?? '');
  if (!method || !api?.authMethods.includes(method.id)) throw new UnknownIssuer('no such issuer');
  const url = issuerUrl(method.id, api.id);
  return atHost({ url, host: null, layout: 'same', method, api, snapshot }, address);
}

/** What is at this address today, letter by letter; null: nothing, or no more. */
function addressed({ issuersByAddress }: Snapshot, address: string): AddressedIssuer | null {
  const one = issuersByAddress.get(address);
  return one && isAnswered(one) ? one : null;
}

/** A former issuer is answered until its date. */
export const isAnswered = ({ end }: { end: number }): boolean => now().getTime() < end;

/** The same issuer by another address of its own, where `address` is one; otherwise as it is. */
export function atHost(issuer: Issuer, address: string | null | undefined): Issuer {
  const own = address ? addressAt(issuer.api, issuer.method.id, address) : null;
  return own === null ? issuer : { ...issuer, url: own.url, host: own.url, layout: own.layout };
}

const addressAt = (api: SnapshotApi, authMethodId: string, address: string) =>
  addressesOf(api, authMethodId).find((one) => one.url === address && isAnswered(one)) ?? null;

export function issuerUrl(authMethodId: string, apiId: string): string {
  return `${settings().authUrl}/auth/${authMethodId}/api/${apiId}`;
}

/** What is known of the former issuer that this is; null: it is none. */
export const formerAddress = ({ host, api, method }: Issuer): IssuerAddress | null =>
  host === null ? null : addressAt(api, method.id, host);

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
  return issuerHost === null || addressAt(api, authMethodId, issuerHost) !== null;
}

/** Is this an address of an issuer, letter by letter? */
export function isIssuer(snapshot: Snapshot, url: string): boolean {
  if (addressed(snapshot, url) !== null) return true;
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

/** `layout`: of a former issuer; it may end in a slash, which its endpoints have once. */
export function issuerEndpoints({ url, layout = 'same' }: { url: string; layout?: IssuerLayout }) {
  const base = formerIssuerBase(url);
  const at = (path: string) => base + pathIn(layout, path);
  return {
    authorizationEndpoint: at('/authorize'),
    pushedAuthorizationRequestEndpoint: at('/par'),
    tokenEndpoint: at('/token'),
    deviceAuthorizationEndpoint: at('/device_authorization'),
    revocationEndpoint: at('/revoke'),
    introspectionEndpoint: at('/introspect'),
    userinfoEndpoint: at('/userinfo'),
    endSessionEndpoint: at('/logout'),
    registrationEndpoint: at('/register'),
    jwksUri: at('/jwks'),
    metadataUrl: at('/.well-known/oauth-authorization-server'),
  };
}
