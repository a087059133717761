// Tokens computed from a number, in JavaScript and SQL, so one million tokens need no list. Also DPoP proofs.
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** Returns refresh token number i. `prefix`: ghr_ or ghc_, or empty for oidc-provider. */
export function tokenNumber(prefix: string, i: number): string {
  return prefix + createHash('sha256').update(`bench ${prefix}${i}`).digest('base64url');
}

/** Returns the same token as an SQL expression, for a column `i`. */
export function tokenSql(prefix: string): string {
  const hash = `sha256(convert_to('bench ${prefix}' || i, 'utf8'))`;
  return `'${prefix}' || translate(rtrim(encode(${hash}, 'base64'), '='), '+/', '-_')`;
}

/** Number of DPoP keys. Each concurrent client uses its own key. */
const KEYS = 100;
const keys: { head: string; privateKey: Parameters<typeof sign>[2] }[] = [];
const encodePart = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

/** Returns a DPoP proof for POST requests to this URL, signed with a random key. */
export function proofFor(htu: string): string {
  for (; keys.length < KEYS; ) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const head = encodePart({ typ: 'dpop+jwt', alg: 'ES256', jwk: publicKey.export({ format: 'jwk' }) });
    keys.push({ head, privateKey: { key: privateKey, dsaEncoding: 'ieee-p1363' } });
  }
  const { head, privateKey } = keys[Math.floor(Math.random() * KEYS)] as (typeof keys)[number];
  const jti = randomBytes(16).toString('base64url');
  const text = `${head}.${encodePart({ htm: 'POST', htu, jti, iat: Math.floor(Date.now() / 1000) })}`;
  return `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`;
}
