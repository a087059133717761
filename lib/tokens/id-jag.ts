// An Identity Assertion JWT Authorization Grant (ID-JAG; draft-ietf-oauth-identity-assertion-authz-grant §3, §4.4;
// RFC 7523 §3). Another service identifies the user, for one Gatehouse client at one Gatehouse issuer. This file checks
// the claims before the signature, so that only acceptable assertions cause a verification. Other claims are ignored.
import type { JWTPayload } from 'jose';
import { nowSeconds } from '#lib/kit/clock.ts';
import { sha256 } from '#lib/kit/random.ts';
import { ASYMMETRIC_ALGS } from '#lib/registry/keys.ts';
import { decodeUnchecked, isAssertionId, isJoseType, isTime, isTimeOrNone, type JoseHeader } from './jws.ts';

/** Size limit of an assertion, which can contain user claims like an ID token. */
const MAX_CHARACTERS = 16_384;
/**
 * Maximum age: an assertion is issued for a single request, so a client requests a new one instead of using an old one.
 */
const MAX_AGE_SECONDS = 600;
const MAX_LIFETIME_SECONDS = 3_600;
const SKEW_SECONDS = 30;
/**
 * Seconds for which the id of a used assertion is stored after the assertion has expired, because clocks
 * differ.
 */
const MARGIN_SECONDS = 120;
const ALGORITHMS: string[] = [...ASYMMETRIC_ALGS];

export const ID_JAG_TYPE = 'oauth-id-jag+jwt';

export type IdJagFault =
  | 'jag-malformed'
  | 'jag-type'
  | 'jag-algorithm'
  | 'jag-issuer'
  | 'jag-audience'
  | 'jag-client'
  | 'jag-subject'
  | 'jag-id'
  | 'jag-time'
  | 'jag-expired'
  | 'jag-too-old'
  | 'jag-too-long'
  | 'jag-bound';

/** Claims of the assertion; times in seconds since 1970. */
export type IdJagClaims = {
  subject: string;
  issuedAt: number;
  /** user's sign-in time; null: not stated */
  authTime: number | null;
  /** null: the assertion names no scopes */
  scopes: string[] | null;
  resources: string[] | null;
  /** SHA-256 of the assertion's issuer and id */
  idHash: Buffer;
  /** seconds until the used id can be deleted */
  seconds: number;
  payload: JWTPayload;
};

export type ReadIdJag = { fault: IdJagFault } | { fault: null; claims: IdJagClaims };

/**
 * Expected values. `issuer`: the broker's issuer, with or without a trailing slash; the signature verification
 * compares it exactly.
 */
export type IdJagExpectation = { issuer: string; audience: string; clientId: string };

export function readIdJag(assertion: string, expected: IdJagExpectation): ReadIdJag {
  const parts = decodeUnchecked(assertion, MAX_CHARACTERS);
  if (!parts) return { fault: 'jag-malformed' };
  const { header, claims: payload } = parts;
  const { iss, sub, jti, iat, exp, auth_time: authTime } = payload;
  const fault = headerFault(header) ?? partiesFault(payload, expected) ?? timeFault(payload);
  if (fault !== null) return { fault };
  const scopes = wordsOf(payload['scope']);
  const resources = textsOf(payload['resource']);
  if (scopes === undefined || resources === undefined) return { fault: 'jag-malformed' };
  const claims: IdJagClaims = {
    subject: String(sub),
    issuedAt: Number(iat),
    authTime: isTime(authTime) && authTime > 0 ? authTime : null,
    scopes,
    resources,
    idHash: sha256(JSON.stringify(['id-jag', iss, jti])),
    seconds:
      Math.ceil(Math.min(Number(exp), Number(iat) + MAX_AGE_SECONDS)) -
      nowSeconds() +
      SKEW_SECONDS +
      MARGIN_SECONDS,
    payload,
  };
  return { fault: null, claims };
}

/** Checks the type, which distinguishes an ID-JAG from every other JWT of a broker (RFC 8725 §3.11). */
function headerFault({ alg, typ, crit }: JoseHeader): IdJagFault | null {
  if (!isJoseType(typ, ID_JAG_TYPE)) return 'jag-type';
  if (typeof alg !== 'string' || !ALGORITHMS.includes(alg)) return 'jag-algorithm';
  return crit === undefined ? null : 'jag-malformed';
}

function partiesFault(
  claims: JWTPayload,
  { issuer, audience, clientId }: IdJagExpectation,
): IdJagFault | null {
  const { iss, aud, sub, jti, client_id: client } = claims;
  if (typeof iss !== 'string' || withoutSlash(iss) !== withoutSlash(issuer)) return 'jag-issuer';
  // a list with one element equals its element; with a second audience, the second service could replay the
  // assertion (§4.4.1)
  const [only, ...more] = Array.isArray(aud) ? aud : [aud];
  if (only !== audience || more.length > 0) return 'jag-audience';
  if (client !== clientId) return 'jag-client';
  if (typeof sub !== 'string' || sub === '' || sub.length > 255) return 'jag-subject';
  if (sub.includes('\u0000') || !sub.isWellFormed()) return 'jag-subject';
  if (!isAssertionId(jti)) return 'jag-id';
  // Gatehouse does not support these two restrictions, and ignoring them would grant more than intended (RFC 9449,
  // RFC 9396)
  return 'cnf' in claims || 'authorization_details' in claims ? 'jag-bound' : null;
}

function timeFault({ exp, iat, nbf, auth_time: authTime }: JWTPayload): IdJagFault | null {
  const time = nowSeconds();
  if (!isTime(exp) || !isTime(iat) || !isTimeOrNone(nbf) || !isTimeOrNone(authTime)) return 'jag-time';
  if (Math.max(iat, nbf ?? 0, authTime ?? 0) > time + SKEW_SECONDS) return 'jag-time';
  if (exp <= time - SKEW_SECONDS) return 'jag-expired';
  if (iat < time - MAX_AGE_SECONDS - SKEW_SECONDS) return 'jag-too-old';
  return exp > iat + MAX_LIFETIME_SECONDS ? 'jag-too-long' : null;
}

const withoutSlash = (url: string) => url.replace(/\/$/, '');

/** Scopes in the value of the claim (RFC 6749 §3.3); undefined: the value is no valid scope. */
function wordsOf(scope: unknown): string[] | null | undefined {
  if (scope === undefined) return null;
  return typeof scope === 'string' ? scope.split(' ').filter((word) => word !== '') : undefined;
}

/** The texts in a value, which is one text or a list of texts; undefined: any other value. */
function textsOf(resource: unknown): string[] | null | undefined {
  if (resource === undefined) return null;
  const all: unknown[] = Array.isArray(resource) ? resource : [resource];
  return all.every((item) => typeof item === 'string') ? all : undefined;
}
