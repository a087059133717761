// The public keys of clients: those registered by value, and those at an address, which are fetched when they are first
// needed. An address is fetched again when its keys are five minutes old or none fits, at most once in 30 s, failures
// included, by one call for all callers. While it does not answer, keys of the last hour are used.
import { createLocalJWKSet } from 'jose';
import { now } from '#lib/kit/clock.ts';
import { log } from '#lib/kit/log.ts';
import { processWide } from '#lib/kit/process-wide.ts';
import { OutboundFailed } from '#lib/outbound/failed.ts';
import { outboundFetch } from '#lib/outbound/fetch.ts';
import { MAX_KEYS, type PublicKeySet, publicKey } from '#lib/registry/clients/public-keys.ts';
import { settings } from '#lib/settings/settings.ts';
import type { SnapshotClient } from '#lib/store/registry/snapshot-rows.ts';

const FRESH_MS = 300_000;
const STALE_MS = 3_600_000;
const COOLDOWN_MS = 30_000;
const TIMEOUT_MS = 3_000;
/** Addresses that are remembered; the one that was not used for longest goes first. */
const MAX_KNOWN = 5_000;
/** Calls at once, of all addresses together. */
const AT_ONCE = 64;

export type Keys = ReturnType<typeof createLocalJWKSet>;
export type KeyHolder = Pick<SnapshotClient, 'jwks' | 'jwksUri'>;

type Known = { keys: Keys | null; loadedAt: number; askedAt: number; asking: Promise<void> | null };
type Cache = { known: Map<string, Known>; running: number };

// one for the process, shared by both doors
const slot = processWide<Cache>('client-keys');

/** A snapshot keeps the object while its client does not change. */
const byValue = new WeakMap<PublicKeySet, Keys>();

/** The keys to check with; null: they could not be fetched. */
export async function keysOf({ jwks, jwksUri }: KeyHolder): Promise<Keys | null> {
  if (jwks) return keysByValue(jwks);
  return jwksUri === null ? null : keysAt(jwksUri);
}

/** Others than these, because none of these fits; null: there are none, or it is too soon to ask. */
export async function otherKeysOf({ jwksUri }: KeyHolder, than: Keys): Promise<Keys | null> {
  if (jwksUri === null) return null;
  const known = remembered(jwksUri);
  if (known.keys === than) await ask(jwksUri, known);
  return known.keys === than ? null : known.keys;
}

function keysByValue(jwks: PublicKeySet): Keys {
  const found = byValue.get(jwks) ?? setOf(jwks);
  byValue.set(jwks, found);
  return found;
}

/** EdDSA and Ed25519 are two names of one algorithm, so such a key is found by either. */
function setOf({ keys }: PublicKeySet): Keys {
  return createLocalJWKSet({
    keys: keys.map(({ alg, ...key }) => (key.kty === 'OKP' || !alg ? key : { alg, ...key })),
  });
}

async function keysAt(address: string): Promise<Keys | null> {
  const known = remembered(address);
  if (now().getTime() >= known.loadedAt + FRESH_MS) await ask(address, known);
  return now().getTime() < known.loadedAt + STALE_MS ? known.keys : null;
}

function cache(): Cache {
  slot.value ??= { known: new Map(), running: 0 };
  return slot.value;
}

function remembered(address: string): Known {
  const { known } = cache();
  const found = known.get(address) ?? {
    keys: null,
    loadedAt: Number.NEGATIVE_INFINITY,
    askedAt: Number.NEGATIVE_INFINITY,
    asking: null,
  };
  // the last of the map is the one that was used last
  known.delete(address);
  if (known.size >= MAX_KNOWN) known.delete(known.keys().next().value ?? '');
  known.set(address, found);
  return found;
}

/** Brings `known` up to date, unless it is too soon; never rejects. */
async function ask(address: string, known: Known): Promise<void> {
  if (known.asking) return known.asking;
  const one = cache();
  if (now().getTime() < known.askedAt + COOLDOWN_MS || one.running >= AT_ONCE) return;
  known.askedAt = now().getTime();
  one.running += 1;
  known.asking = load(address, known).finally(() => {
    one.running -= 1;
    known.asking = null;
  });
  return known.asking;
}

async function load(address: string, known: Known): Promise<void> {
  try {
    known.keys = await fetchKeys(address);
    known.loadedAt = now().getTime();
  } catch (error) {
    const reason =
      error instanceof OutboundFailed || error instanceof NoKeySet ? error.message : 'it is unreadable';
    log().info({ address, reason }, 'the keys of a client were not fetched');
  }
}

class NoKeySet extends Error {}

/** The keys that a client may sign with; other keys of the set are for other uses. */
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
