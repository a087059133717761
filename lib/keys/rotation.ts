// Rotation: a new key is published first, signs when every cache has seen it, and the one before leaves the JWKS when
// its last token has expired. A retired key leaves at once, and its tokens with it.
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';
import {
  addKey,
  directory,
  markKeyRetired,
  type NewKey,
  oldestDueKey,
  sealForRow,
} from '#lib/store/index.ts';

export type SigningAlg = 'ES256' | 'RS256';

/** Longer than the JWKS may be cached (60 s) and than common clients wait before they fetch it again (30 s). */
const PUBLISH_SECONDS = 150;
const ROTATE_AFTER_DAYS = 90;
const SYSTEM = 'system';

export async function generateKey(alg: SigningAlg): Promise<NewKey> {
  const pair = await generateKeyPair(alg, { extractable: true, modulusLength: 2048 });
  const publicJwk = await exportJWK(pair.publicKey);
  const kid = await calculateJwkThumbprint(publicJwk);
  const privateJwk = JSON.stringify(await exportJWK(pair.privateKey));
  const sealedPrivate = sealForRow('signing_keys', kid, privateJwk);
  return { kid, alg, publicJwk: { ...publicJwk, kid, alg, use: 'sig' }, sealedPrivate };
}

/** A new key for every algorithm in use; `actor` as the audit log calls whoever asked. Other times than the usual are for tests. */
export async function rotateKeys({
  publishSeconds = PUBLISH_SECONDS,
  actor = SYSTEM,
} = {}): Promise<{ kid: string; alg: string }[]> {
  const registry = await directory();
  const algs = new Set<SigningAlg>(registry.keys.map((key) => key.alg));
  const made: { kid: string; alg: string }[] = [];
  for (const alg of algs) made.push(await rotate(alg, publishSeconds, actor));
  return made;
}

/** Rotates what has signed for 90 days; for the service's own timer. */
export async function rotateDueKeys(): Promise<void> {
  for (const alg of ['ES256', 'RS256'] as const) {
    if (await oldestDueKey(alg, ROTATE_AFTER_DAYS)) await rotate(alg, PUBLISH_SECONDS, SYSTEM);
  }
}

/** Takes a key out at once; false where there is none to take out. */
export async function retireKey(kid: string, actor = SYSTEM): Promise<boolean> {
  return markKeyRetired(kid, actor);
}

async function rotate(
  alg: SigningAlg,
  publishSeconds: number,
  actor: string,
): Promise<{ kid: string; alg: string }> {
  const key = await generateKey(alg);
  await addKey(key, publishSeconds, actor);
  return { kid: key.kid, alg };
}
