// A new key pair. Its kid is the JWK thumbprint (RFC 7638); the private key is sealed at once.
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';
import { sealForRow } from '#lib/store/database/sealed.ts';
import type { KeyAuthor, NewKey } from '#lib/store/registry/keys.ts';

export type SigningAlg = 'ES256' | 'RS256';

/** The service itself, in the audit log. */
export const SYSTEM: KeyAuthor = { actor: 'system' };

export async function generateKey(alg: SigningAlg): Promise<NewKey> {
  const pair = await generateKeyPair(alg, { extractable: true, modulusLength: 2048 });
  const publicJwk = await exportJWK(pair.publicKey);
  const kid = await calculateJwkThumbprint(publicJwk);
  // a command line would read it as an option
  if (kid.startsWith('-')) return generateKey(alg);
  const privateJwk = JSON.stringify(await exportJWK(pair.privateKey));
  const sealedPrivate = sealForRow('signing_keys', kid, privateJwk);
  return { kid, alg, publicJwk: { ...publicJwk, kid, alg, use: 'sig' }, sealedPrivate };
}
