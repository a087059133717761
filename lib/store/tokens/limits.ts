// What is counted under which key. A key begins with its stage: the wide limits are asked first, and only what they let
// through gets a row under a narrower one, so that callers over a limit add no rows. Locks are taken in the order of
// the keys, which is the order of the stages: no deadlocks.
import { addressBlock, wideAddressBlock } from '#lib/http/peer-address.ts';
import { sha256 } from '#lib/kit/random.ts';

export type Limit = { key: string; max: number; windowSeconds: number };

const STAGES = {
  /** everybody together */
  all: 1,
  /** an IPv6 /48 */
  wide: 2,
  /** an IPv4 address, an IPv6 /64 */
  address: 3,
  client: 3,
  account: 4,
  /** a browser that the account was signed in with before */
  device: 4,
  /** a browser that types codes of devices */
  browser: 4,
  /** one kind of second proof of one person */
  factor: 4,
  secret: 4,
  /** clients that a program makes */
  'new-clients': 4,
  /** changes of one client's document */
  document: 4,
  /** the link or handle by which one person chooses a password */
  link: 4,
  /** changes of the registry by one person, in an hour and in a minute */
  'edits-hour': 4,
  edits: 4,
  mail: 4,
  /** tests of connections by one administrator */
  tests: 4,
  /** searches, and inspections of tokens, by one person */
  finds: 4,
} as const;

export type LimitKind = keyof typeof STAGES;
export const LAST_STAGE = Math.max(...Object.values(STAGES));

/** `name` becomes a digest: a person may have typed a password as a name. */
export function attemptLimit(kind: LimitKind, name: string, max: number, windowSeconds = 900): Limit {
  return { key: `${STAGES[kind]}${kind}:${sha256(name).toString('base64url')}`, max, windowSeconds };
}

export const kindOfLimit = (key: string): LimitKind => key.slice(1, key.indexOf(':')) as LimitKind;

/** How often one thing may be done from one place in a window. */
export type Allowance = {
  what: string;
  each: number;
  windowSeconds: number;
  all: number;
  allSeconds: number;
};

/** Of a /48, as a multiple of a /64: a customer has one, a mobile network thousands of customers in one. */
const WIDE = 10;

/**
 * Of what everybody has in `allSeconds`, the parts that one block and one /48 may use up: no flood from one place keeps
 * others out.
 */
const SHARE = { address: 4, wide: 2 } as const;

/** Of everybody together, and of the caller's blocks where an address is known. */
export function callerLimits(
  { what, each, windowSeconds, all, allSeconds }: Allowance,
  address: string | null,
): Limit[] {
  const limits = [attemptLimit('all', what, all, allSeconds)];
  if (address === null) return limits;
  const ofBlock = (kind: 'wide' | 'address', block: string, most: number) => {
    limits.push(attemptLimit(kind, `${what} ${block}`, most, windowSeconds));
    const share = Math.max(1, Math.floor(all / SHARE[kind]));
    if (most > share) limits.push(attemptLimit(kind, `${what} at once ${block}`, share, allSeconds));
  };
  const wide = wideAddressBlock(address);
  if (wide !== null) ofBlock('wide', wide, each * WIDE);
  ofBlock('address', addressBlock(address), each);
  return limits;
}
