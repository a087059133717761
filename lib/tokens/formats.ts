// Each kind of credential has its own prefix and its own table: a code is never accepted as a token, and a secret
// scanner can tell them apart. After the prefix come 256 random bits.
import { randomToken, sha256 } from '#lib/kit/random.ts';

const PREFIX = {
  code: 'ghc_',
  device: 'ghd_',
  refresh: 'ghr_',
  /** of a sign-in whose refresh token is not rotated */
  keptRefresh: 'ghrk_',
  access: 'gha_',
  machine: 'ghma_',
  session: 'ghs_',
  clientSecret: 'ghcs_',
  mail: 'ghm_',
} as const;

/** 256 bits as base64url. */
const RANDOM_CHARACTERS = 43;

export type TokenKind = keyof typeof PREFIX;
export type Minted = { value: string; hash: Buffer };

export function mint(kind: TokenKind): Minted {
  const value = randomToken(PREFIX[kind]);
  return { value, hash: sha256(value) };
}

/** What a text looks like, by its prefix; null: like none of ours. */
export function credentialKind(text: string): TokenKind | null {
  const kinds = Object.entries(PREFIX) as [TokenKind, string][];
  return kinds.find(([, prefix]) => text.startsWith(prefix))?.[0] ?? null;
}

/** Compares prefix and length. */
export const hasFormat = (kind: TokenKind, value: string): boolean =>
  value.length === PREFIX[kind].length + RANDOM_CHARACTERS && value.startsWith(PREFIX[kind]);

/** The hash under which the value would be stored; null if it cannot be of this kind. */
export const hashPresented = (kind: TokenKind, value: string): Buffer | null =>
  hasFormat(kind, value) ? sha256(value) : null;

export const isRefresh = (value: string): boolean =>
  hasFormat('refresh', value) || hasFormat('keptRefresh', value);

/** Hash of a refresh token, rotated or kept; null: other format. */
export const hashRefresh = (value: string): Buffer | null =>
  hashPresented('refresh', value) ?? hashPresented('keptRefresh', value);
