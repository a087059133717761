// Client authentication by JWT (RFC 7523 §3, draft-ietf-oauth-rfc7523bis §4, OpenID Connect Core §9). The JWT has a
// single audience (CVE-2025-27370) and a lifetime of at most ten minutes, and is signed with a client key. Cheap checks
// run first, so signatures are verified only for otherwise valid assertions. Callers check for replay.
import { compactVerify, createLocalJWKSet, errors, type JWTPayload } from 'jose';
import { now, nowSeconds } from '#lib/kit/clock.ts';
import { log } from '#lib/kit/log.ts';
import { processWide } from '#lib/kit/process.ts';
import { sha256 } from '#lib/kit/random.ts';
import { OutboundFailed } from '#lib/outbound/failed.ts';
import { outboundFetch } from '#lib/outbound/fetch.ts';
import { ASYMMETRIC_ALGS, MAX_KEYS, type PublicKeySet, publicKey } from '#lib/registry/keys.ts';
import { settings } from '#lib/settings/settings.ts';
import type { SnapshotClient } from '#lib/store/snapshot.ts';
import { decodeUnchecked, isAssertionId, isJoseType, isTime, isTimeOrNone, type JoseHeader } from './jws.ts';

// Public client keys: registered by value, or fetched from an address on first use. An address is fetched again if its
// keys are five minutes old or none of them matches. Each address is fetched at most once in 30 s, even after failures.
// Concurrent callers share a fetch. During an outage, keys of the last hour are used.

const FRESH_MS = 300_000;
const STALE_MS = 3_600_000;
const COOLDOWN_MS = 30_000;
const TIMEOUT_MS = 3_000;
/** Maximum number of cached addresses. The least recently used address is evicted first. */
const MAX_KNOWN = 5_000;
/** Maximum number of concurrent fetches from all addresses. */
const AT_ONCE = 64;

type Keys = ReturnType<typeof createLocalJWKSet>;
type KeyHolder = Pick<SnapshotClient, 'jwks' | 'jwksUri'>;

type Known = { keys: Keys | null; loadedAt: number; askedAt: number; asking: Promise<void> | null };
type Cache = { known: Map<string, Known>; running: number };

// one cache per process, shared by both HTTP listeners
const slot = processWide<Cache>('client-keys');

/** Parsed keys by key set. Snapshots reuse the key set object while the client is unchanged. */
const byValue = new WeakMap<PublicKeySet, Keys>();

/** Returns the keys for verification; null: the fetch failed. */
export async function keysOf({ jwks, jwksUri }: KeyHolder): Promise<Keys | null> {
  if (jwks) return keysByValue(jwks);
  return jwksUri === null ? null : keysAt(jwksUri);
}

/** Fetches newer keys if no known key matched. Returns null if there are none, or the last fetch was too recent. */
async function otherKeysOf({ jwksUri }: KeyHolder, than: Keys): Promise<Keys | null> {
  if (jwksUri === null) return null;
  const keyEntry = cachedKeys(jwksUri);
  if (keyEntry.keys === than) await ask(jwksUri, keyEntry);
  return keyEntry.keys === than ? null : keyEntry.keys;
}

function keysByValue(jwks: PublicKeySet): Keys {
  const keySet = byValue.get(jwks) ?? setOf(jwks);
  byValue.set(jwks, keySet);
  return keySet;
}

/** Creates a key set. EdDSA and Ed25519 name the same algorithm, so either name matches an OKP key. */
function setOf({ keys }: PublicKeySet): Keys {
  return createLocalJWKSet({
    keys: keys.map(({ alg, ...key }) => (key.kty === 'OKP' || !alg ? key : { alg, ...key })),
  });
}

async function keysAt(address: string): Promise<Keys | null> {
  const keyEntry = cachedKeys(address);
  if (now().getTime() >= keyEntry.loadedAt + FRESH_MS) await ask(address, keyEntry);
  return now().getTime() < keyEntry.loadedAt + STALE_MS ? keyEntry.keys : null;
}

function cache(): Cache {
  slot.value ??= { known: new Map(), running: 0 };
  return slot.value;
}

function cachedKeys(address: string): Known {
  const { known } = cache();
  const keyEntry = known.get(address) ?? {
    keys: null,
    loadedAt: Number.NEGATIVE_INFINITY,
    askedAt: Number.NEGATIVE_INFINITY,
    asking: null,
  };
  // keeps the map in order of use, most recent last
  known.delete(address);
  if (known.size >= MAX_KNOWN) known.delete(known.keys().next().value ?? '');
  known.set(address, keyEntry);
  return keyEntry;
}

/** Fetches the keys of the address and updates `known`, unless the last fetch was too recent. Never rejects. */
async function ask(address: string, keyEntry: Known): Promise<void> {
  if (keyEntry.asking) return keyEntry.asking;
  const keyCache = cache();
  if (now().getTime() < keyEntry.askedAt + COOLDOWN_MS || keyCache.running >= AT_ONCE) return;
  keyEntry.askedAt = now().getTime();
  keyCache.running += 1;
  keyEntry.asking = load(address, keyEntry).finally(() => {
    keyCache.running -= 1;
    keyEntry.asking = null;
  });
  return keyEntry.asking;
}

async function load(address: string, keyEntry: Known): Promise<void> {
  try {
    keyEntry.keys = await fetchKeys(address);
    keyEntry.loadedAt = now().getTime();
  } catch (error) {
    const reason =
      error instanceof OutboundFailed || error instanceof NoKeySet ? error.message : 'it is unreadable';
    log().info({ address, reason }, 'the keys of a client were not fetched');
  }
}

class NoKeySet extends Error {}

/** Returns the signing keys of the client. Ignores keys for other uses. */
async function fetchKeys(address: string): Promise<Keys> {
  const call = outboundFetch({
    allowPrivateNetwork: settings().clientDocumentsPrivateNetwork,
    timeoutMs: TIMEOUT_MS,
  });
  const answer = await call(address, { headers: { accept: 'application/jwk-set+json, application/json' } });
  if (answer.status !== 200) throw new NoKeySet(`it answered ${answer.status}`);
  const { keys } = ((await answer.json()) ?? {}) as { keys?: unknown };
  if (!Array.isArray(keys)) throw new NoKeySet('it is no JWK Set');
  const read = keys.slice(0, 10 * MAX_KEYS).map((key) => publicKey.safeParse(key));
  return setOf({ keys: read.flatMap(({ success, data }) => (success ? [data] : [])).slice(0, MAX_KEYS) });
}

const MAX_CHARACTERS = 8_192;
/** Maximum lifetime of an assertion. Libraries use one to ten minutes. */
const MAX_AHEAD_SECONDS = 600;
/** Permitted difference of clocks in seconds, the same as for brokers. */
const SKEW_SECONDS = 30;
/** Additional seconds for which the id of an assertion is kept after its expiry, because clocks differ. */
const MARGIN_SECONDS = 120;
const TYPES = ['jwt', 'client-authentication+jwt'];
const ALGORITHMS: string[] = [...ASYMMETRIC_ALGS];

export type AssertionFault =
  | 'assertion-malformed'
  | 'assertion-algorithm'
  | 'assertion-subject'
  | 'assertion-audience'
  | 'assertion-time'
  | 'assertion-expired'
  | 'assertion-too-long'
  | 'assertion-id'
  | 'assertion-key'
  | 'assertion-signature'
  | 'keys-unreachable';

/**
 * `audience`: audience of the assertion. `idHash`: SHA-256 of client id and assertion id. `seconds`: time for which the
 * assertion id is kept.
 */
type CheckedAssertion =
  | { fault: AssertionFault }
  | { fault: null; audience: string; idHash: Buffer; seconds: number };

type Expected = KeyHolder & {
  clientId: string;
  isAudience: (audience: string) => boolean;
  /** true: an `aud` list with exactly one audience is also accepted */
  takesList?: boolean;
  /** accepted algorithms, if fewer than in the metadata */
  algorithms?: readonly string[];
};

/** Returns the unverified subject of the assertion; null: the assertion is unreadable. */
export function claimedSubject(assertion: string): string | null {
  const subject = read(assertion)?.claims.sub;
  return typeof subject === 'string' ? subject : null;
}

export async function checkAssertion(assertion: string, expected: Expected): Promise<CheckedAssertion> {
  const parts = read(assertion);
  if (!parts) return { fault: 'assertion-malformed' };
  const { claims } = parts;
  const fault =
    headerFault(parts.header, expected.algorithms ?? ALGORITHMS) ??
    claimsFault(claims, expected) ??
    (await keyFault(assertion, expected));
  if (fault !== null) return { fault };
  return {
    fault: null,
    audience: [claims.aud].flat()[0] ?? '',
    idHash: sha256(JSON.stringify([expected.clientId, claims.jti])),
    seconds: Math.ceil(Number(claims.exp)) - nowSeconds() + SKEW_SECONDS + MARGIN_SECONDS,
  };
}

const read = (assertion: string) => decodeUnchecked(assertion, MAX_CHARACTERS);

function headerFault({ alg, typ, crit }: JoseHeader, algorithms: readonly string[]): AssertionFault | null {
  if (typeof alg !== 'string' || !algorithms.includes(alg)) return 'assertion-algorithm';
  const isType = typ === undefined || TYPES.some((type) => isJoseType(typ, type));
  return isType && crit === undefined ? null : 'assertion-malformed';
}

function claimsFault(
  claims: JWTPayload,
  { clientId, isAudience, takesList = false }: Expected,
): AssertionFault | null {
  const { iss, sub, aud, exp, iat, nbf, jti } = claims;
  if (iss !== clientId || sub !== clientId) return 'assertion-subject';
  const [only, ...more] = Array.isArray(aud) && takesList ? aud : [aud];
  if (typeof only !== 'string' || more.length > 0 || !isAudience(only)) return 'assertion-audience';
  const time = nowSeconds();
  if (!isTime(exp) || !isTimeOrNone(iat) || !isTimeOrNone(nbf)) return 'assertion-time';
  if (exp <= time - SKEW_SECONDS) return 'assertion-expired';
  if (exp > time + MAX_AHEAD_SECONDS + SKEW_SECONDS) return 'assertion-too-long';
  if (Math.max(iat ?? 0, nbf ?? 0) > time + SKEW_SECONDS) return 'assertion-time';
  return isAssertionId(jti) ? null : 'assertion-id';
}

/** Tries the known keys, then keys that the client has published since the last fetch. */
async function keyFault(assertion: string, holder: KeyHolder): Promise<AssertionFault | null> {
  const holderKeys = await keysOf(holder);
  if (!holderKeys) return 'keys-unreachable';
  const fault = await signatureFault(assertion, holderKeys);
  const others = fault === null ? null : await otherKeysOf(holder, holderKeys);
  return others ? signatureFault(assertion, others) : fault;
}

async function signatureFault(assertion: string, keys: Keys): Promise<AssertionFault | null> {
  const options = { algorithms: ALGORITHMS };
  try {
    await compactVerify(assertion, keys, options);
    return null;
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey) return 'assertion-key';
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) return 'assertion-signature';
    for await (const key of error) {
      const isGood = await compactVerify(assertion, key, options).then(
        () => true,
        () => false,
      );
      if (isGood) return null;
    }
    return 'assertion-signature';
  }
}
