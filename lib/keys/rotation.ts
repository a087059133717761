// Rotation: a new key is published first, signs when every cache has seen it, and the one before leaves the JWKS when
// its last token has expired. A retired key leaves at once, and its tokens with it.
import { addKey, currentSnapshot, type KeyAuthor, markKeyRetired, oldestDueKey } from '#lib/store/index.ts';
import { generateKey, type SigningAlg, SYSTEM } from './generate.ts';
import { algsInUse, withFirstKeys } from './keys.ts';

/** Longer than the JWKS may be cached (60 s) and than common clients wait before they fetch it again (30 s). */
const PUBLISH_SECONDS = 150;
const ROTATE_AFTER_DAYS = 90;

/** A new key for every algorithm in use; `by` for the audit log: whoever asked. Other times than the usual are for tests. */
export async function rotateKeys({
  publishSeconds = PUBLISH_SECONDS,
  by = SYSTEM,
} = {}): Promise<{ kid: string; alg: string }[]> {
  const known = await currentSnapshot();
  const { keys } = await withFirstKeys(algsInUse(known), known, by);
  const made = keys.filter(({ kid }) => !known.keys.some((key) => key.kid === kid));
  const first = new Set(made.map((key) => key.alg));
  const algs = new Set<SigningAlg>(known.keys.map((key) => key.alg)).difference(first);
  const next: { kid: string; alg: string }[] = [];
  for (const alg of algs) next.push(await rotate(alg, publishSeconds, by));
  return [...made.map(({ kid, alg }) => ({ kid, alg })), ...next];
}

/** Rotates what has signed for 90 days; for the service's own timer. */
export async function rotateDueKeys(): Promise<void> {
  for (const alg of ['ES256', 'RS256'] as const) {
    if (await oldestDueKey(alg, ROTATE_AFTER_DAYS)) await rotate(alg, PUBLISH_SECONDS, SYSTEM);
  }
}

/** Takes a key out at once; false where there is none to take out. */
export async function retireKey(kid: string, by = SYSTEM): Promise<boolean> {
  return markKeyRetired(kid, by);
}

async function rotate(
  alg: SigningAlg,
  publishSeconds: number,
  by: KeyAuthor,
): Promise<{ kid: string; alg: string }> {
  const key = await generateKey(alg);
  await addKey(key, publishSeconds, by);
  return { kid: key.kid, alg };
}
