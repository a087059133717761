// Compact JWS (RFC 7515) as access tokens use it, by node:crypto alone: a signature costs a third of what a general
// library makes of it. One algorithm a key, taken from the key and never from the token.
import { constants, type KeyObject, sign, verify } from 'node:crypto';
import type { SigningKey, VerifyingKey } from '#lib/keys/index.ts';

type Algorithm = SigningKey['alg'];

function parameters(alg: Algorithm, key: KeyObject) {
  // RFC 7518 §3.4: R and S side by side, not DER; §3.3: PKCS #1 v1.5
  return alg === 'ES256'
    ? ({ key, dsaEncoding: 'ieee-p1363' } as const)
    : { key, padding: constants.RSA_PKCS1_PADDING };
}

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

const headers = new WeakMap<SigningKey, string>();

export function signCompact(typ: string, payload: object, key: SigningKey): string {
  let header = headers.get(key);
  if (header === undefined) {
    header = encoded({ alg: key.alg, typ, kid: key.kid });
    headers.set(key, header);
  }
  const input = `${header}.${encoded(payload)}`;
  const signature = sign('sha256', Buffer.from(input), parameters(key.alg, key.privateKey));
  return `${input}.${signature.toString('base64url')}`;
}

const PART = /^[\w-]+$/;
const MAX_LENGTH = 8_192;

/** The payload where the signature is right; null for anything else. `findKey` gives the key that a kid names. */
export function verifyCompact(
  token: string,
  typ: string,
  findKey: (kid: string) => VerifyingKey | null,
): Record<string, unknown> | null {
  if (token.length > MAX_LENGTH) return null;
  const [head = '', body = '', tail = '', ...more] = token.split('.');
  if (more.length > 0 || ![head, body, tail].every((part) => PART.test(part))) return null;
  const header = decoded(head);
  // `crit` names what must be understood: nothing is (RFC 7515 §4.1.11)
  if (header?.['typ'] !== typ || typeof header['kid'] !== 'string' || 'crit' in header || 'b64' in header)
    return null;
  const key = findKey(header['kid']);
  if (!key || header['alg'] !== key.alg) return null;
  const signature = Buffer.from(tail, 'base64url');
  // the same bytes have one spelling
  if (signature.toString('base64url') !== tail) return null;
  const good = verify(
    'sha256',
    Buffer.from(`${head}.${body}`),
    parameters(key.alg, key.publicKey),
    signature,
  );
  return good ? decoded(body) : null;
}

function decoded(part: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
