// Tokens of another service, whose public keys the registry holds.
import { createLocalJWKSet, type JWTPayload, jwtVerify } from 'jose';
import { now } from '#lib/kit/clock.ts';
import { ASYMMETRIC_ALGS, type PublicKeySet } from '#lib/registry/clients/public-keys.ts';

/** The claims of a JWT that this issuer signed with one of its keys, and that has not expired; null for any other. */
export async function readForeignToken(
  token: string,
  { issuer, keys }: { issuer: string; keys: PublicKeySet },
): Promise<JWTPayload | null> {
  const checks = {
    issuer,
    algorithms: [...ASYMMETRIC_ALGS],
    currentDate: now(),
    requiredClaims: ['exp', 'sub'],
  };
  return jwtVerify(token, createLocalJWKSet(keys), checks).then(
    ({ payload }) => payload,
    () => null,
  );
}
