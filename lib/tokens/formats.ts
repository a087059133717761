// Each kind of credential has its own prefix and its own table: a code is never accepted as a token, and a secret scanner can
// tell them apart. After the prefix comes the blinded slot of the person (slot.ts), and then 256 random bits. What was given
// before there were slots, and what belongs to no person, has none; it is as good as the others.
import { randomToken, sha256 } from '#lib/kit/index.ts';
import { SLOT_CHARACTERS, slotIn, withSlot } from './slot.ts';

const PREFIX = {
  code: 'ghc_',
  refresh: 'ghr_',
  access: 'gha_',
  machine: 'ghma_',
  session: 'ghs_',
  clientSecret: 'ghcs_',
  mail: 'ghm_',
} as const;

/** 256 bits as base64url. */
const RANDOM_CHARACTERS = 43;

export type TokenKind = keyof typeof PREFIX;
/** What a person's rows, or a machine's, are found by. */
export type RoutedKind = 'code' | 'refresh' | 'access' | 'machine' | 'session';
export type Minted = { value: string; hash: Buffer };

export function mint(kind: Exclude<TokenKind, RoutedKind>): Minted;
/** `slot`: of the person or the machine; null: not known yet. */
export function mint(kind: RoutedKind, slot: number | null): Minted;
export function mint(kind: TokenKind, slot: number | null = null): Minted {
  const random = randomToken('');
  const value = PREFIX[kind] + (slot === null ? random : withSlot(random, slot));
  return { value, hash: sha256(value) };
}

const lengthOf = (kind: TokenKind) => PREFIX[kind].length + RANDOM_CHARACTERS;
const isRouted = (kind: TokenKind, value: string) => value.length === lengthOf(kind) + SLOT_CHARACTERS;

/** The hash under which the value would be stored, slot and all; null if it cannot be of this kind. */
export function hashPresented(kind: TokenKind, value: string): Buffer | null {
  const possible = value.length === lengthOf(kind) || isRouted(kind, value);
  return possible && value.startsWith(PREFIX[kind]) ? sha256(value) : null;
}

/** The slot that a value of this kind carries; null: none that this service put there. It is true where the value is. */
export function slotPresented(kind: RoutedKind, value: string): number | null {
  return isRouted(kind, value) ? slotIn(value.slice(PREFIX[kind].length)) : null;
}
