// Tokens that can be worked out from a number, here and in SQL, so that a million of them need no list.
import { createHash } from 'node:crypto';
import { slotKeys, withSlot } from '#lib/tokens/index.ts';

/** Tokens of Gatehouse carry a slot (lib/tokens/slot.ts); any will do, since it is only handed on. */
const isOurs = (prefix: string) => prefix.startsWith('gh');

/** refresh token number i; `prefix` ghr_ or ghc_, or nothing for oidc-provider */
export function tokenNumber(prefix: string, i: number): string {
  const random = createHash('sha256').update(`bench ${prefix}${i}`).digest('base64url');
  return prefix + (isOurs(prefix) ? withSlot(random, 0) : random);
}

/** The same in SQL, for a column `i`. */
export function tokenSql(prefix: string): string {
  const base64url = (bytes: string) => `translate(rtrim(encode(${bytes}, 'base64'), '='), '+/', '-_')`;
  const random = base64url(`sha256(convert_to('bench ${prefix}' || i, 'utf8'))`);
  const noise = `sha256(convert_to('${slotKeys()[0]}' || ${random}, 'utf8'))`;
  return [`'${prefix}'`, ...(isOurs(prefix) ? [base64url(`substr(${noise}, 1, 6)`)] : []), random].join(
    ' || ',
  );
}
