// The unchecked parts of a JWT that another party signed (RFC 7515 §7.1, RFC 7519 §4.1).
import { decodeJwt, decodeProtectedHeader, type JWTPayload } from 'jose';

/** RFC 7515 §7.1, exactly: a library would pass white space over. */
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]*$/;

export type JoseHeader = ReturnType<typeof decodeProtectedHeader>;

/** Header and claims; null: no JWT, or one of more characters. */
export function unchecked(
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

/** Is `typ` this media type? Compared without case, and without `application/` (RFC 7515 §4.1.9). */
export const isJoseType = (typ: unknown, type: string): boolean =>
  typeof typ === 'string' && typ.toLowerCase().replace(/^application\//, '') === type;

/** Seconds since 1970. */
export const isTime = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0;

export const isTimeOrNone = (value: unknown): value is number | undefined =>
  value === undefined || isTime(value);

const MAX_ID_CHARACTERS = 1_024;

/** Can it be used up once (RFC 7519 §4.1.7)? */
export const isAssertionId = (jti: unknown): jti is string =>
  typeof jti === 'string' && jti !== '' && jti.length <= MAX_ID_CHARACTERS;
