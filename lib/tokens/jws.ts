// Compact JWS (RFC 7515) for Gatehouse's access tokens, with node:crypto. Signing takes a third of the time that jose
// needs, and verification half (docs/project/decisions/0028). Each key has one algorithm, and the token's algorithm
// must equal it. This file also reads JWTs of other parties.
import { constants, type KeyObject, sign, verify } from 'node:crypto';
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, type JWTPayload, jwtVerify } from 'jose';
import type { SigningKey, VerifyingKey } from '#lib/keys/keys.ts';
import { now } from '#lib/kit/clock.ts';
import { ASYMMETRIC_ALGS, type PublicKeySet } from '#lib/registry/keys.ts';

type Algorithm = SigningKey['alg'];

function parameters(alg: Algorithm, key: KeyObject) {
  // ES256 concatenates R and S instead of DER (RFC 7518 §3.4); RS256 uses PKCS #1 v1.5 (§3.3)
  return alg === 'ES256'
    ? ({ key, dsaEncoding: 'ieee-p1363' } as const)
    : { key, padding: constants.RSA_PKCS1_PADDING };
}

const encodePart = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Encoded headers by key and `typ`, because one key signs access tokens, ID tokens and logout tokens. */
const headers = new WeakMap<SigningKey, Map<string, string>>();

function headerOf(typ: string, key: SigningKey): string {
  let headersByType = headers.get(key);
  if (!headersByType) {
    headersByType = new Map();
    headers.set(key, headersByType);
  }
  let header = headersByType.get(typ);
  if (header === undefined) {
    header = encodePart({ alg: key.alg, typ, kid: key.kid });
    headersByType.set(typ, header);
  }
  return header;
}

export function signCompact(typ: string, payload: object, key: SigningKey): string {
  const input = `${headerOf(typ, key)}.${encodePart(payload)}`;
  const signature = sign('sha256', Buffer.from(input), parameters(key.alg, key.privateKey));
  return `${input}.${signature.toString('base64url')}`;
}

/** Decodes a JWT without verification. Returns null for invalid text. */
export function decodeCompact(
  token: string,
): { header: Record<string, unknown>; payload: Record<string, unknown> } | null {
  const [head = '', body = '', ...more] = token.length > MAX_LENGTH ? [] : token.split('.');
  const [header, payload] = [decodePart(head), decodePart(body)];
  return more.length === 1 && header && payload ? { header, payload } : null;
}

const PART = /^[\w-]+$/;
/**
 * Limit of the length. Every Gatehouse token is shorter: user claims have at most 8 KiB before encoding, a nonce 2 KiB,
 * a scope 4 KiB.
 */
const MAX_LENGTH = 32_768;

/** Returns the payload if the signature is valid, otherwise null. `findKey` finds the key for a kid. */
export function verifyCompact(
  token: string,
  typ: string,
  findKey: (kid: string) => VerifyingKey | null,
): Record<string, unknown> | null {
  if (token.length > MAX_LENGTH) return null;
  const [head = '', body = '', tail = '', ...more] = token.split('.');
  if (more.length > 0 || ![head, body, tail].every((part) => PART.test(part))) return null;
  const header = decodePart(head);
  // extensions are not supported (RFC 7515 §4.1.11)
  if (header?.['typ'] !== typ || typeof header['kid'] !== 'string' || 'crit' in header || 'b64' in header)
    return null;
  const key = findKey(header['kid']);
  if (!key || header['alg'] !== key.alg) return null;
  const signature = Buffer.from(tail, 'base64url');
  // only the canonical encoding is accepted
  if (signature.toString('base64url') !== tail) return null;
  const good = verify(
    'sha256',
    Buffer.from(`${head}.${body}`),
    parameters(key.alg, key.publicKey),
    signature,
  );
  return good ? decodePart(body) : null;
}

function decodePart(part: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

// The unverified parts of a JWT signed by another party (RFC 7515 §7.1, RFC 7519 §4.1).

/** Matches exactly the form of RFC 7515 §7.1. A library would also accept white space in the text. */
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]*$/;

export type JoseHeader = ReturnType<typeof decodeProtectedHeader>;

/** Returns header and claims. Null: the text is not a JWT, or exceeds the size limit. */
export function decodeUnchecked(
  assertion: string,
  maxCharacters: number,
): { header: JoseHeader; claims: JWTPayload } | null {
  if (assertion.length > maxCharacters || !COMPACT.test(assertion)) return null;
  try {
    return { header: decodeProtectedHeader(assertion), claims: decodeJwt(assertion) };
  } catch {
    return null;
  }
}

/** True if `typ` is this media type, ignoring case and a leading `application/` (RFC 7515 §4.1.9). */
export const isJoseType = (typ: unknown, type: string): boolean =>
  typeof typ === 'string' && typ.toLowerCase().replace(/^application\//, '') === type;

/** True for a number of seconds since 1970. */
export const isTime = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0;

export const isTimeOrNone = (value: unknown): value is number | undefined =>
  value === undefined || isTime(value);

const MAX_ID_CHARACTERS = 1_024;

/** True if the id is valid for one-time use (RFC 7519 §4.1.7). */
export const isAssertionId = (jti: unknown): jti is string =>
  typeof jti === 'string' && jti !== '' && jti.length <= MAX_ID_CHARACTERS;

// Reads tokens of another service whose public keys are in the registry.

/** Returns the claims of an unexpired JWT signed by this issuer's keys, otherwise null. */
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
