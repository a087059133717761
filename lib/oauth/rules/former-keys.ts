// Public keys of former issuers that are read at the old service. They are in memory for a while; the last ones are
// kept in the database too, since that service will be off one day, and tokens of before are still checked.
import { inBackground } from '#lib/kit/background.ts';
import { now } from '#lib/kit/clock.ts';
import { log } from '#lib/kit/log.ts';
import { processWide } from '#lib/kit/process-wide.ts';
import { withBreaker } from '#lib/outbound/breaker.ts';
import { OutboundFailed } from '#lib/outbound/failed.ts';
import { outboundFetch } from '#lib/outbound/fetch.ts';
import { formerKeySet, type PublicKeySet } from '#lib/registry/clients/public-keys.ts';
import type { OldAddress } from '#lib/registry/objects/former-issuers.ts';
import { keepFormerKeys, readFormerKeys } from '#lib/store/former/former-keys.ts';
import { formerAddress, type Issuer } from './issuer.ts';

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
