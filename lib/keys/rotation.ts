// Rotation: a new key is published first and signs when every cache has it, a day later where it was planned; the key
// before leaves the JWKS when its last token has expired. A retired key leaves the JWKS at once, so its tokens become
// invalid.
import {
  addKey,
  type KeyAuthor,
  MAX_PUBLISHED_KEYS,
  markKeyRetired,
  oldestDueKey,
} from '#lib/store/registry/keys.ts';
import { currentSnapshot } from '#lib/store/registry/snapshot.ts';
import { generateKey, type SigningAlg, SYSTEM } from './generate.ts';
import { algsInUse, isPublished, withFirstKeys } from './keys.ts';

/** Longer than a JWKS is cached (60 s) plus the time that common clients wait before they fetch it again (30 s). */
const PUBLISH_SECONDS = 150;
const DAY_SECONDS = 86_400;
export const ROTATE_AFTER_DAYS = 90;

type NamedKey = { kid: string; alg: SigningAlg };

/** There are `MAX_PUBLISHED_KEYS` of this algorithm in the JWKS. */
export class TooManyKeys extends Error {
  constructor(alg: SigningAlg) {
    super(`${MAX_PUBLISHED_KEYS} keys of ${alg} are in the JWKS`);
  }
}

/**
 * A new key for every algorithm in use; throws `TooManyKeys`, and makes none. `by`: for the audit log.
 * `publishSeconds`: other values are for tests.
 */
export async function rotateKeys({
  publishSeconds = PUBLISH_SECONDS,
  by = SYSTEM,
} = {}): Promise<NamedKey[]> {
  const known = await currentSnapshot();
  for (const [alg, { length }] of Map.groupBy(known.keys.filter(isPublished), (key) => key.alg))
    if (length >= MAX_PUBLISHED_KEYS) throw new TooManyKeys(alg);
  const { keys } = await withFirstKeys(algsInUse(known), known, by);
  const made = keys.filter(({ kid }) => !known.keys.some((key) => key.kid === kid));
  const first = new Set(made.map((key) => key.alg));
  const algs = new Set<SigningAlg>(known.keys.map((key) => key.alg)).difference(first);
  const next: NamedKey[] = [];
  for (const alg of algs) next.push(await rotate(alg, publishSeconds, by));
  return [...made.map(({ kid, alg }) => ({ kid, alg })), ...next];
}

/**
 * Publishes the next key a day before a key has signed for 90 days, for verifiers that only fetch the key set by a
 * timer (OpenID Connect Core §10.1.1); a timer calls it.
 */
export async function rotateDueKeys(): Promise<void> {
  for (const alg of ['ES256', 'RS256'] as const) {
    if (await oldestDueKey(alg, ROTATE_AFTER_DAYS - 1)) await rotate(alg, DAY_SECONDS, SYSTEM);
  }
}

/** Takes a key out at once; false if there is no such key, or it was taken out before. */
export async function retireKey(kid: string, by = SYSTEM): Promise<boolean> {
  return markKeyRetired(kid, by);
}

async function rotate(alg: SigningAlg, publishSeconds: number, by: KeyAuthor): Promise<NamedKey> {
  const key = await generateKey(alg);
  if (!(await addKey(key, publishSeconds, by))) throw new TooManyKeys(alg);
  return { kid: key.kid, alg };
}
