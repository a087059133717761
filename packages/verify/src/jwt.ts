// Checks a JWT access token (RFC 9068) with the keys in the metadata.
import { errors, type JWTPayload, jwtVerify } from 'jose';
import { boundedText } from './bounded.ts';
import type { Followed } from './followed.ts';
import type { Metadata } from './metadata.ts';
import { Invalid } from './refusal.ts';

/** An error whose cause may be outdated metadata. */
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
          if (!key) throw new NotKnown(`no key of the issuers has the kid ${boundedText(kid)}`);
          return key;
        },
        options,
      );
      return payload;
    } catch (error) {
      if (error instanceof NotKnown) throw error;
      const reason = reasonOf(error, metadata);
      throw isNotKnown(error) ? new NotKnown(reason) : new Invalid(reason);
    }
  }

  return async (token: string, metadata: Metadata): Promise<JWTPayload> => {
    let reason = '';
    try {
      return await check(token, metadata);
    } catch (error) {
      if (!(error instanceof NotKnown)) throw error;
      reason = error.message;
    }
    const newer = await followed.newer(metadata);
    if (newer?.format !== 'jwt') throw new Invalid(reason);
    return check(token, newer).catch((error: Error) => {
      throw new Invalid(error.message);
    });
  };
}

function reasonOf(error: unknown, { resource, issuers, algorithms }: Metadata): string {
  if (error instanceof errors.JOSEAlgNotAllowed)
    return `the token is not signed with ${algorithms.join(' or ')}`;
  if (error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired) {
    const { claim, payload } = error;
    const value = boundedText(payload[claim]);
    if (claim === 'aud') return `aud of the token is ${value}, but the url of the API is ${resource}`;
    if (claim === 'iss') return `iss of the token is ${value}, but the API accepts ${issuers.join(' ')}`;
    if (claim === 'exp') return `the token has expired: exp is ${value}`;
    return error.message;
  }
  return error instanceof errors.JWSSignatureVerificationFailed
    ? 'the signature of the token is wrong'
    : 'the token is not a JWT, but this API uses JWTs';
}

/**
 * True if newer metadata could make the token valid. Checks the issuer only after the signature was found valid, so
 * that strangers cannot trigger fetches of metadata.
 */
const isNotKnown = (error: unknown) =>
  error instanceof errors.JOSEAlgNotAllowed ||
  (error instanceof errors.JWTClaimValidationFailed &&
    error.claim === 'iss' &&
    error.reason === 'check_failed');
