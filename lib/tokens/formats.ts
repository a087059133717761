// Each kind of credential has its own prefix and table. A code is therefore never accepted as a token, and secret
// scanners can distinguish the kinds. 256 random bits follow the prefix.
import { randomToken, sha256 } from '#lib/kit/random.ts';

const PREFIX = {
  code: 'ghc_',
  device: 'ghd_',
  refresh: 'ghr_',
  /** a refresh token that is not rotated */
  keptRefresh: 'ghrk_',
  access: 'gha_',
  machine: 'ghma_',
  session: 'ghs_',
  clientSecret: 'ghcs_',
  mail: 'ghm_',
} as const;

/** Number of characters of 256 bits in base64url. */
const RANDOM_CHARACTERS = 43;

export type TokenKind = keyof typeof PREFIX;
export type Minted = { value: string; hash: Buffer };

export function mint(kind: TokenKind): Minted {
  const value = randomToken(PREFIX[kind]);
  return { value, hash: sha256(value) };
}

/** Returns the kind of a credential, by its prefix. Null if the text has no Gatehouse prefix. */
export function credentialKind(text: string): TokenKind | null {
  const kinds = Object.entries(PREFIX) as [TokenKind, string][];
  return kinds.find(([, prefix]) => text.startsWith(prefix))?.[0] ?? null;
}

/** True if prefix and length match the kind. */
export const hasFormat = (kind: TokenKind, value: string): boolean =>
  value.length === PREFIX[kind].length + RANDOM_CHARACTERS && value.startsWith(PREFIX[kind]);

/** Returns the hash under which the value is stored. Null: the value is another kind of credential. */
export const hashPresented = (kind: TokenKind, value: string): Buffer | null =>
  hasFormat(kind, value) ? sha256(value) : null;

export const isRefresh = (value: string): boolean =>
  hasFormat('refresh', value) || hasFormat('keptRefresh', value);

/** Returns the hash of a refresh token, with or without rotation. Null: another format. */
export const hashRefresh = (value: string): Buffer | null =>
  hashPresented('refresh', value) ?? hashPresented('keptRefresh', value);
