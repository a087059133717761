// Issuers, the `sub` by which a client knows a person at an issuer, and the public keys of former issuers.

import { createHmac } from 'node:crypto';
import { subjectSalt } from '#lib/keys/keys.ts';
import { now } from '#lib/kit/clock.ts';
import { log } from '#lib/kit/log.ts';
import { inBackground, processWide } from '#lib/kit/process.ts';
import { OutboundFailed } from '#lib/outbound/failed.ts';
import { outboundFetch, withBreaker } from '#lib/outbound/fetch.ts';
import { BUILT_IN_API } from '#lib/registry/api.ts';
import { PAIRWISE_SUB, PERSON_ID, sectorOf } from '#lib/registry/client.ts';
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

// An issuer is a valid combination of authentication method and API. Its address comes only from the settings and the
// registry, never from a request: a request only selects one of a combination's two addresses (docs/decisions/0009).

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

// By which `sub` a client knows a person (OpenID Connect Core §8): the person's id, or, where the API or the client
// wants it pairwise, a value that only the client's sector is told. No person is looked up by such a value: who is
// asked about one knows the person already, and compares. People of another service may have brought a subject along:
// where it is not pairwise, it takes the place of the id.

type At = Pick<Issuer, 'api' | 'snapshot'>;

/** The management API speaks of people by their ids, so its tokens do too (docs/decisions/0022). */
export function isPairwise(
  { subjectType }: Pick<SnapshotClient, 'subjectType'>,
  { id, pairwiseSubjects }: Pick<SnapshotApi, 'id' | 'pairwiseSubjects'>,
): boolean {
  return id !== BUILT_IN_API && (pairwiseSubjects || subjectType === 'pairwise');
}

/** For the metadata of the API's issuers. */
export function subjectTypesAt({ id, pairwiseSubjects }: SnapshotApi): string[] {
  if (id === BUILT_IN_API) return ['public'];
  return pairwiseSubjects ? ['pairwise'] : ['public', 'pairwise'];
}

/** Pairwise: 43 base64url characters, HMAC-SHA-256 of the sector and the id under the service's salt. */
async function pairwise(client: SnapshotClient, id: string, { snapshot }: At): Promise<string> {
  return createHmac('sha256', await subjectSalt(snapshot))
    .update(`${sectorOf(client)}\n${id}`)
    .digest('base64url');
}

/** Whether a person may have another `sub` than their id here. */
const hasKept = ({ api, snapshot }: At): boolean => snapshot.keptSubjects && api.id !== BUILT_IN_API;

/** A person as this client hears of them. */
export async function heardBy(client: SnapshotClient, personId: string, at: At): Promise<string> {
  if (isPairwise(client, at.api)) return pairwise(client, personId, at);
  return (hasKept(at) ? await findKeptSubject(personId, at.snapshot.keptEpoch) : null) ?? personId;
}

/** A session (`sid`) as this client hears of it. */
export async function sessionHeardBy(client: SnapshotClient, sid: string, at: At): Promise<string> {
  return isPairwise(client, at.api) ? pairwise(client, sid, at) : sid;
}

type Act = Record<string, unknown>;

/** Who acts for the person, and who did before (RFC 8693 §4.1), as this client hears of them. */
export async function actorsHeardBy(client: SnapshotClient, act: Act | null, at: At): Promise<Act | null> {
  if (act === null || !(isPairwise(client, at.api) || hasKept(at))) return act;
  const before = (act['act'] ?? null) as Act | null;
  const sub = String(act['sub']);
  return {
    ...act,
    // a client in its own name has one name everywhere
    sub: sub === act['client_id'] ? sub : await heardBy(client, sub, at),
    ...(before && { act: await actorsHeardBy(client, before, at) }),
  };
}

const VISIBLE = /^[\x21-\x7e]{1,255}$/;

/** Whether this could be the `sub` of anybody to this client. */
export function isPossibleSub(client: SnapshotClient, sub: string, at: At): boolean {
  if (isPairwise(client, at.api)) return PAIRWISE_SUB.test(sub);
  return (hasKept(at) ? VISIBLE : PERSON_ID).test(sub);
}

/** No person has this id. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

/**
 * The person that a client means by a `sub`, told apart from everybody else: the id, where `present` gives the person
 * who is there and it is them. `present` is asked only where the `sub` is pairwise.
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

/** The person of a `sub` that is not pairwise; an id that no person has, where it is none's. */
export async function personOfSub(sub: string, at: At): Promise<string> {
  return hasKept(at) ? ((await findPersonBySub(sub)) ?? NOBODY) : sub;
}

// Public keys of former issuers that are read at the old service. They are in memory for a while; the last ones are
// kept in the database too, since that service will be off one day, and tokens of before are still checked.

type Keys = PublicKeySet['keys'];
/** `until`: when they are read again, milliseconds since 1970 */
type Known = { keys: Keys | null; until: number; reading: Promise<void> | null };

const FRESH_MS = 10 * 60_000;
/** After a failure. */
const PAUSE_MS = 60_000;
const slot = processWide<Map<string, Known>>('former-keys');

function knownAt(address: string): Known {
  slot.value ??= new Map();
  const known = slot.value.get(address) ?? { keys: null, until: 0, reading: null };
  slot.value.set(address, known);
  return known;
}

/**
 * Before `formerKeys` is asked: waits for keys of which nothing is known yet. Never rejects: what cannot be had leaves
 * those of before.
 */
export async function knowFormerKeys(issuer: Issuer): Promise<void> {
  const at = formerAddress(issuer)?.keysAt ?? null;
  if (at === null) return;
  const known = knownAt(at.address);
  if (known.until > now().getTime()) return;
  known.keys ??= await keptAt(at);
  known.reading ??= inBackground(refresh(at, known)).finally(() => {
    known.reading = null;
  });
  // with those of before no request waits for a service that may be off
  if (known.keys === null) await known.reading;
}

const keptAt = async ({ address }: OldAddress): Promise<Keys | null> => {
  try {
    return readKeys({ keys: await readFormerKeys(address) });
  } catch (error) {
    log().warn({ err: error, address }, 'the kept keys of a former issuer could not be read');
    return null;
  }
};

async function refresh(at: OldAddress, known: Known): Promise<void> {
  try {
    const keys = readKeys(await fetched(at));
    if (keys === null) throw new OutboundFailed('bad-answer');
    await keepFormerKeys(at.address, keys);
    Object.assign(known, { keys, until: now().getTime() + FRESH_MS });
  } catch (error) {
    known.until = now().getTime() + PAUSE_MS;
    log().warn({ err: error, address: at.address }, 'the keys of a former issuer could not be read');
  }
}

/** A set with a private key is none: it is not shown, and not believed. */
const readKeys = (set: unknown): Keys | null => formerKeySet.safeParse(set).data?.keys ?? null;

async function fetched({ address, allowPrivateNetwork }: OldAddress): Promise<unknown> {
  const answer = await withBreaker(`former ${address}`, () =>
    outboundFetch({ allowPrivateNetwork })(address),
  );
  return answer.status === 200 ? answer.json() : null;
}

/** The public keys that a former issuer had, where this is one; those of the registry first. */
export function formerKeys(issuer: Issuer): Keys {
  const address = formerAddress(issuer);
  const given = address?.jwks?.keys ?? [];
  const read = address?.keysAt ? (slot.value?.get(address.keysAt.address)?.keys ?? []) : [];
  return [
    ...given,
    ...read.filter(({ kid }) => !given.some((one) => one.kid !== undefined && one.kid === kid)),
  ];
}
