// The JWT by which a client proves that it is the client (RFC 7523 §3, draft-ietf-oauth-rfc7523bis §4, OpenID Connect
// Core §9): made out to one audience (CVE-2025-27370), for ten minutes at the most, signed with a key of
// the client. Cheap checks come first, so that the signature is checked only of what would be accepted. Whether it was
// used before is asked elsewhere.
import { compactVerify, errors, type JWTPayload } from 'jose';
import { nowSeconds } from '#lib/kit/clock.ts';
import { sha256 } from '#lib/kit/random.ts';
import { ASYMMETRIC_ALGS } from '#lib/registry/clients/public-keys.ts';
import {
  isAssertionId,
  isJoseType,
  isTime,
  isTimeOrNone,
  type JoseHeader,
  unchecked,
} from './assertion-parts.ts';
import { type KeyHolder, type Keys, keysOf, otherKeysOf } from './client-keys.ts';

const MAX_CHARACTERS = 8_192;
/** Libraries choose one to ten minutes. */
const MAX_AHEAD_SECONDS = 600;
/** As for brokers. */
const SKEW_SECONDS = 30;
/** A row is kept this much longer than its assertion, since clocks differ. */
const MARGIN_SECONDS = 120;
const TYPES = ['jwt', 'client-authentication+jwt'];
const ALGORITHMS: string[] = [...ASYMMETRIC_ALGS];

export type AssertionFault =
  | 'assertion-malformed'
  | 'assertion-algorithm'
  | 'assertion-subject'
  | 'assertion-audience'
  | 'assertion-time'
  | 'assertion-expired'
  | 'assertion-too-long'
  | 'assertion-id'
  | 'assertion-key'
  | 'assertion-signature'
  | 'keys-unreachable';

/**
 * `audience`: the one that it names. `idHash`: SHA-256 of the client's id and the assertion's. `seconds`: until its id
 * may be forgotten.
 */
export type CheckedAssertion =
  | { fault: AssertionFault }
  | { fault: null; audience: string; idHash: Buffer; seconds: number };

type Expected = KeyHolder & {
  clientId: string;
  isAudience: (audience: string) => boolean;
  /** `aud` may be a list of exactly one audience */
  takesList?: boolean;
  /** fewer than those of the metadata */
  algorithms?: readonly string[];
};

/** Whose it claims to be, unchecked; null: it cannot be read. */
export function claimedSubject(assertion: string): string | null {
  const subject = read(assertion)?.claims.sub;
  return typeof subject === 'string' ? subject : null;
}

export async function checkAssertion(assertion: string, expected: Expected): Promise<CheckedAssertion> {
  const parts = read(assertion);
  if (!parts) return { fault: 'assertion-malformed' };
  const { claims } = parts;
  const fault =
    headerFault(parts.header, expected.algorithms ?? ALGORITHMS) ??
    claimsFault(claims, expected) ??
    (await keyFault(assertion, expected));
  if (fault !== null) return { fault };
  return {
    fault: null,
    audience: [claims.aud].flat()[0] ?? '',
    idHash: sha256(JSON.stringify([expected.clientId, claims.jti])),
    seconds: Math.ceil(Number(claims.exp)) - nowSeconds() + SKEW_SECONDS + MARGIN_SECONDS,
  };
}

const read = (assertion: string) => unchecked(assertion, MAX_CHARACTERS);

function headerFault({ alg, typ, crit }: JoseHeader, algorithms: readonly string[]): AssertionFault | null {
  if (typeof alg !== 'string' || !algorithms.includes(alg)) return 'assertion-algorithm';
  const isType = typ === undefined || TYPES.some((type) => isJoseType(typ, type));
  return isType && crit === undefined ? null : 'assertion-malformed';
}

function claimsFault(
  claims: JWTPayload,
  { clientId, isAudience, takesList = false }: Expected,
): AssertionFault | null {
  const { iss, sub, aud, exp, iat, nbf, jti } = claims;
  if (iss !== clientId || sub !== clientId) return 'assertion-subject';
  const [only, ...more] = Array.isArray(aud) && takesList ? aud : [aud];
  if (typeof only !== 'string' || more.length > 0 || !isAudience(only)) return 'assertion-audience';
  const time = nowSeconds();
  if (!isTime(exp) || !isTimeOrNone(iat) || !isTimeOrNone(nbf)) return 'assertion-time';
  if (exp <= time - SKEW_SECONDS) return 'assertion-expired';
  if (exp > time + MAX_AHEAD_SECONDS + SKEW_SECONDS) return 'assertion-too-long';
  if (Math.max(iat ?? 0, nbf ?? 0) > time + SKEW_SECONDS) return 'assertion-time';
  return isAssertionId(jti) ? null : 'assertion-id';
}

/** By the keys that are known, then by those that the client has published since. */
async function keyFault(assertion: string, holder: KeyHolder): Promise<AssertionFault | null> {
  const known = await keysOf(holder);
  if (!known) return 'keys-unreachable';
  const fault = await signatureFault(assertion, known);
  const others = fault === null ? null : await otherKeysOf(holder, known);
  return others ? signatureFault(assertion, others) : fault;
}

async function signatureFault(assertion: string, keys: Keys): Promise<AssertionFault | null> {
  const options = { algorithms: ALGORITHMS };
  try {
    await compactVerify(assertion, keys, options);
    return null;
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey) return 'assertion-key';
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) return 'assertion-signature';
    for await (const key of error) {
      const isGood = await compactVerify(assertion, key, options).then(
        () => true,
        () => false,
      );
      if (isGood) return null;
    }
    return 'assertion-signature';
  }
}
