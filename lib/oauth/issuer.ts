// Issuers, each client's `sub` for a user, and public keys of former issuers.

import { createHmac } from 'node:crypto';
import { BUILT_IN_API } from '#lib/catalogue/apis/definition.ts';
import { PAIRWISE_SUB, PERSON_ID, sectorOf } from '#lib/catalogue/clients/definition.ts';
import { subjectSalt } from '#lib/keys/keys.ts';
import { now } from '#lib/kit/clock.ts';
import { log } from '#lib/kit/log.ts';
import { inBackground, processWide } from '#lib/kit/process.ts';
import { OutboundFailed } from '#lib/outbound/failed.ts';
import { outboundFetch, withBreaker } from '#lib/outbound/fetch.ts';
import {
  addressesOf,
  formerIssuerBase,
  type IssuerAddress,
  type IssuerLayout,
  issuerHostOf,
  type OldAddress,
  pathIn,
} from '#lib/registry/issuers.ts';
import { formerKeySet, type PublicKeySet } from '#lib/registry/keys.ts';
import { settings } from '#lib/settings/settings.ts';
import { keepFormerKeys, readFormerKeys } from '#lib/store/former.ts';
import { findKeptSubject, findPersonBySub } from '#lib/store/hot/person-facts.ts';
import type {
  AddressedIssuer,
  Snapshot,
  SnapshotApi,
  SnapshotClient,
  SnapshotMethod,
} from '#lib/store/snapshot.ts';
import { UnknownIssuer } from './errors.ts';

// An issuer is a valid combination of authentication method and API. Its address is defined by settings and registry,
// never by a request. Requests only select one of the combination's addresses (docs/project/decisions/0009).

export type Issuer = {
  /** the value of `iss`: the address that the client called, or the address of the original request */
  url: string;
  /** equal to `url` at the issuer's separate host or former address; null at the issuer's address under `AUTH_URL` */
  host: string | null;
  /** layout of the endpoint paths below `url` */
  layout: IssuerLayout;
  method: SnapshotMethod;
  api: SnapshotApi;
  snapshot: Snapshot;
};

/** Values that identify an issuer. `address`: a further address of the issuer, which takes precedence over the ids. */
type Ids = { readonly [Name in 'authMethodId' | 'apiId' | 'address']?: string };

/** True if the snapshot contains an issuer matching these ids or this address. */
export function hasIssuer(snapshot: Snapshot, { address, ...ids }: Ids): boolean {
  if (address !== undefined) return issuerAtAddress(snapshot, address) !== null;
  const { authMethodId = '', apiId = '' } = ids;
  return snapshot.apis.get(apiId)?.authMethods.includes(authMethodId) === true;
}

/** Finds the issuer of these ids. Throws UnknownIssuer without revealing which id is unknown. */
export function findIssuer(snapshot: Snapshot, { address, ...ids }: Ids): Issuer {
  const named = address === undefined ? ids : issuerAtAddress(snapshot, address);
  const method = snapshot.methods.get(named?.authMethodId ?? '');
  const api = snapshot.apis.get(named?.apiId ?? '');
  if (!method || !api?.authMethods.includes(method.id)) throw new UnknownIssuer('no such issuer');
  const url = issuerUrl(method.id, api.id);
  return atHost({ url, host: null, layout: 'same', method, api, snapshot }, address);
}

/**
 * Returns the issuer that is currently served at this exact address. Null if no issuer has the address, or the address
 * has expired.
 */
function issuerAtAddress({ issuersByAddress }: Snapshot, address: string): AddressedIssuer | null {
  const addressedIssuer = issuersByAddress.get(address);
  return addressedIssuer && isAnswered(addressedIssuer) ? addressedIssuer : null;
}

/** True until the end date of a former issuer. True at any time for every other issuer. */
export const isAnswered = ({ end }: { end: number }): boolean => now().getTime() < end;

/** Returns the issuer with this further address as its `url`. An unknown address leaves the issuer unchanged. */
export function atHost(issuer: Issuer, address: string | null | undefined): Issuer {
  const issuerAddress = address ? addressAt(issuer.api, issuer.method.id, address) : null;
  return issuerAddress === null
    ? issuer
    : { ...issuer, url: issuerAddress.url, host: issuerAddress.url, layout: issuerAddress.layout };
}

const addressAt = (api: SnapshotApi, authMethodId: string, address: string) =>
  addressesOf(api, authMethodId).find(
    (issuerAddress) => issuerAddress.url === address && isAnswered(issuerAddress),
  ) ?? null;

export function issuerUrl(authMethodId: string, apiId: string): string {
  return `${settings().authUrl}/auth/${authMethodId}/api/${apiId}`;
}

/** Returns the configuration of a former issuer. Null if the issuer is not a former one. */
export const formerAddress = ({ host, api, method }: Issuer): IssuerAddress | null =>
  host === null ? null : addressAt(api, method.id, host);

/**
 * The issuer address that Gatehouse announces: its separate host if it has one, otherwise its address under
 * `AUTH_URL`.
 */
export const startingAddress = (api: SnapshotApi, authMethodId: string): string =>
  issuerHostOf(api, authMethodId) ?? issuerUrl(authMethodId, api.id);

/**
 * True if the combination of method and API still has the address of the original request. If `issuerHost` is null,
 * this is the issuer's address under `AUTH_URL`.
 */
export function hasAddress(
  { apis }: Snapshot,
  { authMethodId, apiId, issuerHost }: { authMethodId: string; apiId: string; issuerHost: string | null },
): boolean {
  const api = apis.get(apiId);
  if (!api?.authMethods.includes(authMethodId)) return false;
  return issuerHost === null || addressAt(api, authMethodId, issuerHost) !== null;
}

/** True if the URL exactly equals an issuer address. */
export function isIssuer(snapshot: Snapshot, url: string): boolean {
  if (issuerAtAddress(snapshot, url) !== null) return true;
  const [, authMethodId = '', apiId = ''] = /\/auth\/([^/]+)\/api\/([^/]+)$/.exec(url) ?? [];
  return hasIssuer(snapshot, { authMethodId, apiId }) && url === issuerUrl(authMethodId, apiId);
}

/**
 * The issuer's address for browsers: only AUTH_URL has cookies and pages. A request that arrived at an issuer host
 * carries that host in a parameter, which is valid only for that issuer. Clients cannot set the parameter.
 */
export function browserAddress(
  { method, api, host }: Issuer,
  name: 'authorize' | 'logout',
  query: string,
): string {
  const address = `${issuerUrl(method.id, api.id)}/${name}?`;
  if (host === null) return address + query;
  const parameters = query.split('&').filter((part) => part !== '' && !/^issuer_host(?:=|$)/.test(part));
  return address + [...parameters, `issuer_host=${encodeURIComponent(host)}`].join('&');
}

export type IssuerEndpoints = ReturnType<typeof issuerEndpoints>;

/** `layout`: path layout of a former issuer, whose URL may end in a slash. */
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

// The `sub` that a client receives for a user (OpenID Connect Core §8). Default: the user id. Pairwise: a value
// specific to the client's sector, chosen by the API or client. Gatehouse never looks users up by a pairwise value, but
// only compares such values. Imported users can have a subject of another service, which replaces the id in public
// subjects.

type At = Pick<Issuer, 'api' | 'snapshot'>;

/**
 * True if the client receives pairwise subjects at this API. False for the management API, which identifies users by
 * id (docs/project/decisions/0022).
 */
export function isPairwise(
  { subjectType }: Pick<SnapshotClient, 'subjectType'>,
  { id, pairwiseSubjects }: Pick<SnapshotApi, 'id' | 'pairwiseSubjects'>,
): boolean {
  return id !== BUILT_IN_API && (pairwiseSubjects || subjectType === 'pairwise');
}

/** `subject_types_supported` of the API's issuers. */
export function subjectTypesAt({ id, pairwiseSubjects }: SnapshotApi): string[] {
  if (id === BUILT_IN_API) return ['public'];
  return pairwiseSubjects ? ['pairwise'] : ['public', 'pairwise'];
}

/**
 * Returns the pairwise value with 43 base64url characters: HMAC-SHA-256 of the sector and the id under the service's
 * salt.
 */
async function pairwise(client: SnapshotClient, id: string, { snapshot }: At): Promise<string> {
  return createHmac('sha256', await subjectSalt(snapshot))
    .update(`${sectorOf(client)}\n${id}`)
    .digest('base64url');
}

/** True if the `sub` of a user can be an imported subject at this API. */
const hasKept = ({ api, snapshot }: At): boolean => snapshot.keptSubjects && api.id !== BUILT_IN_API;

/** Returns the `sub` of a user for this client. */
export async function heardBy(client: SnapshotClient, personId: string, at: At): Promise<string> {
  if (isPairwise(client, at.api)) return pairwise(client, personId, at);
  return (hasKept(at) ? await findKeptSubject(personId, at.snapshot.keptEpoch) : null) ?? personId;
}

/** Returns the `sid` of a session for this client. */
export async function sessionHeardBy(client: SnapshotClient, sid: string, at: At): Promise<string> {
  return isPairwise(client, at.api) ? pairwise(client, sid, at) : sid;
}

type Act = Record<string, unknown>;

/** Returns the actor chain (RFC 8693 §4.1) with the `sub` values for this client. */
export async function actorsHeardBy(client: SnapshotClient, act: Act | null, at: At): Promise<Act | null> {
  if (act === null || !(isPairwise(client, at.api) || hasKept(at))) return act;
  const before = (act['act'] ?? null) as Act | null;
  const sub = String(act['sub']);
  return {
    ...act,
    // a client that acts for itself has the same `sub` and client_id
    sub: sub === act['client_id'] ? sub : await heardBy(client, sub, at),
    ...(before && { act: await actorsHeardBy(client, before, at) }),
  };
}

const VISIBLE = /^[\x21-\x7e]{1,255}$/;

/** True if `sub` has this client's subject format. */
export function isPossibleSub(client: SnapshotClient, sub: string, at: At): boolean {
  if (isPairwise(client, at.api)) return PAIRWISE_SUB.test(sub);
  return (hasKept(at) ? VISIBLE : PERSON_ID).test(sub);
}

/** Id that no user has. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

/**
 * Resolves a client's `sub` to a user id. A pairwise value is compared with the user from `present`, which is called
 * only for pairwise values.
 */
export async function personMeant(
  client: SnapshotClient,
  sub: string | null,
  at: At,
  present: () => Promise<string | null>,
): Promise<string | null> {
  if (sub === null) return null;
  if (!isPairwise(client, at.api)) return personOfSub(sub, at);
  const personId = await present();
  return personId !== null && (await heardBy(client, personId, at)) === sub ? personId : NOBODY;
}

/** Returns the user id of a public `sub`. If the `sub` is unknown, returns an id that no user has. */
export async function personOfSub(sub: string, at: At): Promise<string> {
  return hasKept(at) ? ((await findPersonBySub(sub)) ?? NOBODY) : sub;
}

// Public keys of former issuers, fetched from the old service. They are cached in memory, and the last set is stored in
// the database. The old service will shut down, but its old tokens must remain verifiable.

type Keys = PublicKeySet['keys'];
/** Cached keys of a former issuer. `until`: time of the next fetch, in milliseconds since 1970. */
type Known = { keys: Keys | null; until: number; reading: Promise<void> | null };

const FRESH_MS = 10 * 60_000;
/** Milliseconds to wait after a failed fetch. */
const PAUSE_MS = 60_000;
const slot = processWide<Map<string, Known>>('former-keys');

function knownAt(address: string): Known {
  slot.value ??= new Map();
  const keyCache = slot.value.get(address) ?? { keys: null, until: 0, reading: null };
  slot.value.set(address, keyCache);
  return keyCache;
}

/**
 * Must be called before `formerKeys`. Waits for keys that are not cached yet, and never rejects: after a failure,
 * earlier keys remain.
 */
export async function knowFormerKeys(issuer: Issuer): Promise<void> {
  const at = formerAddress(issuer)?.keysAt ?? null;
  if (at === null) return;
  const keyCache = knownAt(at.address);
  if (keyCache.until > now().getTime()) return;
  keyCache.keys ??= await keptAt(at);
  keyCache.reading ??= inBackground(refresh(at, keyCache)).finally(() => {
    keyCache.reading = null;
  });
  // if earlier keys are cached, requests do not wait for the former service, which may be offline
  if (keyCache.keys === null) await keyCache.reading;
}

const keptAt = async ({ address }: OldAddress): Promise<Keys | null> => {
  try {
    return readKeys({ keys: await readFormerKeys(address) });
  } catch (error) {
    log().warn({ err: error, address }, 'the kept keys of a former issuer could not be read');
    return null;
  }
};

async function refresh(at: OldAddress, keyCache: Known): Promise<void> {
  try {
    const keys = readKeys(await fetchFormerKeys(at));
    if (keys === null) throw new OutboundFailed('bad-answer');
    await keepFormerKeys(at.address, keys);
    Object.assign(keyCache, { keys, until: now().getTime() + FRESH_MS });
  } catch (error) {
    keyCache.until = now().getTime() + PAUSE_MS;
    log().warn({ err: error, address: at.address }, 'the keys of a former issuer could not be read');
  }
}

/** Rejects key sets containing private keys: they are neither published nor trusted. */
const readKeys = (set: unknown): Keys | null => formerKeySet.safeParse(set).data?.keys ?? null;

async function fetchFormerKeys({ address, allowPrivateNetwork }: OldAddress): Promise<unknown> {
  const answer = await withBreaker(`former ${address}`, () =>
    outboundFetch({ allowPrivateNetwork })(address),
  );
  return answer.status === 200 ? answer.json() : null;
}

/** Returns the public keys of a former issuer. Keys from the registry come first. */
export function formerKeys(issuer: Issuer): Keys {
  const address = formerAddress(issuer);
  const keys = address?.jwks?.keys ?? [];
  const read = address?.keysAt ? (slot.value?.get(address.keysAt.address)?.keys ?? []) : [];
  return [
    ...keys,
    ...read.filter(({ kid }) => !keys.some((key) => key.kid !== undefined && key.kid === kid)),
  ];
}
