// Tokens that can be worked out from a number, here and in SQL, so that a million of them need no list.
import { createHash } from 'node:crypto';

/** refresh token number i; `prefix` ghr_ or ghc_, or nothing for oidc-provider */
export function tokenNumber(prefix: string, i: number): string {
  return prefix + createHash('sha256').update(`bench ${prefix}${i}`).digest('base64url');
}

/** The same in SQL, for a column `i`. */
export function tokenSql(prefix: string): string {
  const hash = `sha256(convert_to('bench ${prefix}' || i, 'utf8'))`;
  return `'${prefix}' || translate(rtrim(encode(${hash}, 'base64'), '='), '+/', '-_')`;
}
