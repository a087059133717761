// Each credential kind has a separate prefix and table: a code is never accepted as a token, and secret scanners can
// distinguish them. 256 random bits follow the prefix.
import { randomToken, sha256 } from '#lib/kit/random.ts';

const PREFIX = {
  code: 'ghc_',
  device: 'ghd_',
  refresh: 'ghr_',
  /** unrotated refresh token */
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

/** The credential kind of a text, by its prefix. Null if it has no Gatehouse prefix. */
export function credentialKind(text: string): TokenKind | null {
  const kinds = Object.entries(PREFIX) as [TokenKind, string][];
  return kinds.find(([, prefix]) => text.startsWith(prefix))?.[0] ?? null;
}

/** Compares prefix and length. */
export const hasFormat = (kind: TokenKind, value: string): boolean =>
  value.length === PREFIX[kind].length + RANDOM_CHARACTERS && value.startsWith(PREFIX[kind]);

/** Storage hash of the value; null: wrong kind. */
export const hashPresented = (kind: TokenKind, value: string): Buffer | null =>
  hasFormat(kind, value) ? sha256(value) : null;

export const isRefresh = (value: string): boolean =>
  hasFormat('refresh', value) || hasFormat('keptRefresh', value);

/** Hash of a rotating or non-rotating refresh token. Null for another format. */
export const hashRefresh = (value: string): Buffer | null =>
  hashPresented('refresh', value) ?? hashPresented('keptRefresh', value);
