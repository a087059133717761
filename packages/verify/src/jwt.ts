// A JWT access token (RFC 9068), checked with the keys of the metadata.
import { errors, type JWTPayload, type JWTVerifyGetKey, type JWTVerifyOptions, jwtVerify } from 'jose';
import type { Followed } from './followed.ts';
import type { Metadata } from './metadata.ts';
import { Invalid } from './refusal.ts';

/** What is wrong with it may be that the metadata here is old. */
class NotKnown extends Error {}

type Check = { options: JWTVerifyOptions; keyOf: JWTVerifyGetKey };

export function jwtChecker(followed: Followed, tolerance: number) {
  const checks = new WeakMap<Metadata, Check>();

  async function check(token: string, metadata: Metadata): Promise<JWTPayload> {
    let made = checks.get(metadata);
    if (!made) {
      made = checkOf(metadata, tolerance);
      checks.set(metadata, made);
    }
    try {
      return (await jwtVerify(token, made.keyOf, made.options)).payload;
    } catch (error) {
      if (error instanceof NotKnown || isNotKnown(error)) throw new NotKnown();
      throw new Invalid();
    }
  }

  return async (token: string, metadata: Metadata): Promise<JWTPayload> => {
    try {
      return await check(token, metadata);
    } catch (error) {
      if (!(error instanceof NotKnown)) throw error;
    }
    const newer = await followed.newer(metadata);
    if (newer?.format !== 'jwt') throw new Invalid();
    return check(token, newer).catch(() => {
      throw new Invalid();
    });
  };
}

function checkOf({ issuers, resource, algorithms, keys }: Metadata, tolerance: number): Check {
  return {
    options: {
      issuer: [...issuers],
      audience: resource,
      algorithms,
      typ: 'at+jwt',
      clockTolerance: tolerance,
      requiredClaims: ['exp', 'iat', 'sub', 'client_id'],
    },
    keyOf: ({ kid }) => {
      const key = keys.get(kid ?? '');
      if (!key) throw new NotKnown();
      return key;
    },
  };
}

/** An issuer counts only once the signature is one of ours; so that others cannot have the metadata read for it. */
const isNotKnown = (error: unknown) =>
  error instanceof errors.JOSEAlgNotAllowed ||
  (error instanceof errors.JWTClaimValidationFailed &&
    error.claim === 'iss' &&
    error.reason === 'check_failed');
