// A JWT access token (RFC 9068), checked with the keys of the metadata.
import { errors, type JWTPayload, jwtVerify } from 'jose';
import type { Followed } from './followed.ts';
import type { Metadata } from './metadata.ts';
import { Invalid } from './refusal.ts';

/** What is wrong with it may be that the metadata here is old. */
class NotKnown extends Error {}

export function jwtChecker(followed: Followed, clockTolerance: number) {
  async function check(token: string, metadata: Metadata): Promise<JWTPayload> {
    const { issuers, resource, algorithms, keys } = metadata;
    const options = {
      issuer: [...issuers],
      audience: resource,
      algorithms,
      typ: 'at+jwt',
      clockTolerance,
      requiredClaims: ['exp'],
    };
    try {
      const { payload } = await jwtVerify(
        token,
        ({ kid }: { kid?: string }) => {
          const key = keys.get(kid ?? '');
          if (!key) throw new NotKnown();
          return key;
        },
        options,
      );
      return payload;
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

/** An issuer counts only once the signature is one of ours; so that others cannot have the metadata read for it. */
const isNotKnown = (error: unknown) =>
  error instanceof errors.JOSEAlgNotAllowed ||
  (error instanceof errors.JWTClaimValidationFailed &&
    error.claim === 'iss' &&
    error.reason === 'check_failed');
