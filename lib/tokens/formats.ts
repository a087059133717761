// Every kind of credential that this service makes has a prefix of its own and a table of its own: a code can not
// pass for a token, and a secret scanner sees which is which.
import { randomToken, sha256 } from '#lib/kit/index.ts';

const PREFIX = {
  code: 'ghc_',
  refresh: 'ghr_',
  access: 'gha_',
  session: 'ghs_',
  clientSecret: 'ghcs_',
  mail: 'ghm_',
} as const;

export type TokenKind = keyof typeof PREFIX;
export type Minted = { value: string; hash: Buffer };

export function mint(kind: TokenKind): Minted {
  const value = randomToken(PREFIX[kind]);
  return { value, hash: sha256(value) };
}

/** The hash under which a presented value would be stored, or null where its shape already says no. */
export function hashPresented(kind: TokenKind, value: string): Buffer | null {
  const prefix = PREFIX[kind];
  return value.length === prefix.length + 43 && value.startsWith(prefix) ? sha256(value) : null;
}
