// Limits and their keys. A key starts with the number of its stage. Wide limits are checked first, so rejected attempts
// create no rows under narrow keys. Locks follow key order, which equals stage order, so no deadlock occurs.
import { addressBlock, wideAddressBlock } from '#lib/http/forwarding.ts';
import { sha256 } from '#lib/kit/random.ts';
import { confirmVersion, possibleClientId, SEEN, stands } from '../snapshot.ts';
import { statement } from '../statement.ts';

export type Limit = { key: string; max: number; windowSeconds: number };

const STAGES = {
  /** all callers together */
  all: 1,
  /** an IPv6 /48 network */
  wide: 2,
  /** an IPv4 address, or an IPv6 /64 network */
  address: 3,
  client: 3,
  account: 4,
  /** browser with an earlier sign-in to this account */
  device: 4,
  /** a browser in which device codes are typed */
  browser: 4,
  /** one kind of second factor of one user */
  factor: 4,
  secret: 4,
  /** new clients that a program registers */
  'new-clients': 4,
  /** changes to one client's document */
  document: 4,
  /** link or handle for changing one user's password */
  link: 4,
  /** registry changes by one user, per hour and per minute */
  'edits-hour': 4,
  edits: 4,
  mail: 4,
  /** tests of connections by one administrator */
  tests: 4,
  /** searches and token inspections by one user */
  finds: 4,
} as const;

type LimitKind = keyof typeof STAGES;
const LAST_STAGE = Math.max(...Object.values(STAGES));

/** `name` becomes a digest, because a user may have typed a password into the name field. */
export function attemptLimit(kind: LimitKind, name: string, max: number, windowSeconds = 900): Limit {
  return { key: `${STAGES[kind]}${kind}:${sha256(name).toString('base64url')}`, max, windowSeconds };
}

export const kindOfLimit = (key: string): LimitKind => key.slice(1, key.indexOf(':')) as LimitKind;

/** Permitted number of actions per caller in a time window. */
type Allowance = {
  what: string;
  each: number;
  windowSeconds: number;
  all: number;
  allSeconds: number;
};

/**
 * Ratio of the /48 limit to the /64 limit. A customer usually has a /48, but a mobile network serves thousands of
 * customers from one.
 */
const WIDE = 10;

/**
 * Divisors of the global limit, for an address block and a /48 network. The flood of a single network never blocks
 * other callers.
 */
const SHARE = { address: 4, wide: 2 } as const;

/** Returns the global limit and, if the address is known, the limits of the caller's address blocks. */
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

// Attempt limits, shared by every instance. An upsert counts before the check, so a limit of N admits at most N
// parallel attempts. Windows expire, so a lockout is temporary. A used-up window makes the next one longer. Statements
// lock keys in the same order, so no deadlock occurs.

/**
 * `used-up`: failures have used up the limit. `in-flight`: running attempts have reached the limit, and may still
 * succeed.
 */
type Admission =
  | { kind: 'admitted' }
  | { kind: 'used-up' | 'in-flight'; keys: string[]; waitSeconds: number };

/** Names of the parameters that contain the keys and the limits. `mostOf` returns SQL for the limit of row `a`. */
type Limits = Readonly<Record<'keys' | 'most', string>>;
const mostOf = ({ keys, most }: Limits): string => `(${most})[array_position(${keys}, a.key)]`;
const MAX_STRIKES = 2;
/**
 * SQL: the number of consecutive used-up windows. Short windows limit bursts rather than guessing, and do not
 * grow.
 */
const strikesOf = (
  limits: Limits,
): string => `case when a.failed >= ${mostOf(limits)} and a.expires_at > now() - interval '1 hour'
  and excluded.expires_at - now() > interval '1 minute'
  then least(a.strikes + 1, ${MAX_STRIKES}) else 0 end`;
const mine = (keys: string) => `(select key from attempts where key = any (${keys}) order by key for update)`;
/** SQL: subtracts one attempt from each key. `keys`: the parameter with the keys. */
export const takeBack = (
  keys: string,
) => `update attempts a set count = greatest(count - 1, 0) from ${mine(keys)} mine
where a.key = mine.key and a.expires_at > now()`;

/**
 * SQL: counts the attempt under the keys of one stage if all earlier stages admitted it. A rejection inserts no row.
 */
function stage(number: number, limits: Limits): string {
  const strikes = strikesOf(limits);
  const before = Array.from({ length: number - 1 }, (_, at) => `(select count(*) from stage_${at + 1})`);
  const through =
    before.length === 0
      ? 'true'
      : `${before.join(' + ')} = (select count(*) from given where stage < ${number})`;
  return `stage_${number} as (
  insert into attempts as a (key, count, expires_at)
  select key, 1, now() + make_interval(secs => secs) from given
  where stage = ${number} and exists (select from free) and ${through} order by key
  on conflict (key) do update set
    count = case when a.expires_at <= now() then 1 else a.count + 1 end,
    failed = case when a.expires_at <= now() then 0 else a.failed end,
    strikes = case when a.expires_at <= now() then ${strikes} else a.strikes end,
    window_start = case when a.expires_at <= now() then now() else a.window_start end,
    expires_at = case when a.expires_at <= now()
      then now() + (excluded.expires_at - now()) * power(2, ${strikes}) else a.expires_at end
  where a.expires_at <= now() or a.count < ${mostOf(limits)}
  returning key
)`;
}

const NUMBERS = Array.from({ length: LAST_STAGE }, (_, at) => at + 1);
const begin = statement({
  name: 'attempt-begin-staged',
  takes: { keys: 'text[]', most: 'int[]', seconds: 'int[]', version: 'bigint?', clientId: 'text?' },
  returns: { ...SEEN, full: 'text[]', begun: 'text[]' },
  text: (value) => `
with current as (
  select v.version, ${value.version} is null or ${stands(value.version, value.clientId)} as stands from directory_version v where v.id = 1
), given as (
  select key, secs, left(key, 1)::int as stage from unnest(${value.keys}, ${value.seconds}) as g(key, secs)
), full_up as (
  select key from attempts a where key = any (${value.keys}) and expires_at > now() and count >= ${mostOf(value)}
), free as (
  select version from current where stands and not exists (select from full_up)
), ${NUMBERS.map((number) => stage(number, value)).join(', ')}
select version::text, stands, array(select key from full_up) as full,
  array(${NUMBERS.map((number) => `select key from stage_${number}`).join(' union all ')}) as begun from current`,
});

const limitsOf = (limits: readonly Limit[]) => ({
  keys: limits.map((limit) => limit.key),
  most: limits.map((limit) => limit.max),
});

/** Registry version and client on which the request relied; null: it relied on no client. */
export type ReliedOn = { version: string; clientId: string | null };

/**
 * Starts an attempt under every key, or under none. An attempt over a limit writes nothing. Throws RegistryChanged if
 * the registry changed since the request.
 */
export async function beginAttempt(
  limits: readonly Limit[],
  reliedOn: ReliedOn | null = null,
): Promise<Admission> {
  const askedAt = performance.now();
  const [row] = await begin({
    ...limitsOf(limits),
    seconds: limits.map((limit) => limit.windowSeconds),
    version: reliedOn?.version ?? null,
    clientId: possibleClientId(reliedOn?.clientId ?? null),
  });
  if (!row) throw new Error('the registry has no version');
  if (reliedOn) confirmVersion(row, askedAt);
  if (row.begun.length === limits.length) return { kind: 'admitted' };
  const begun = limits.filter((limit) => row.begun.includes(limit.key));
  if (begun.length > 0) await takeBackAttempt(begun);
  const full = limits.filter((limit) => row.full.includes(limit.key));
  if (full.length > 0) return whyRefused(full);
  // later stages were not counted
  const left = limits.filter((limit) => !begun.includes(limit)).sort((a, b) => (a.key < b.key ? -1 : 1));
  return whyRefused(left.filter((limit) => limit.key[0] === left[0]?.key[0]));
}

const attemptRefusedWhy = statement({
  name: 'attempt-refused-why',
  takes: { keys: 'text[]', most: 'int[]' },
  returns: { key: 'text', wait: 'int', failed: 'boolean' },
  text: (
    value,
  ) => `select key, ceil(extract(epoch from expires_at - now()))::int as wait, failed >= ${mostOf(value)} as failed
from attempts a where key = any (${value.keys}) and count >= ${mostOf(value)}`,
});

async function whyRefused(refused: readonly Limit[]): Promise<Admission> {
  const rows = await attemptRefusedWhy(limitsOf(refused));
  const failed = rows.filter((row) => row.failed);
  const kind = failed.length > 0 ? 'used-up' : 'in-flight';
  const why = failed.length > 0 ? failed : rows;
  const keys = why.length > 0 ? why.map((row) => row.key) : refused.map((limit) => limit.key);
  return { kind, keys, waitSeconds: Math.max(1, ...why.map((row) => row.wait)) };
}

const attemptTakeBack = statement({
  name: 'attempt-take-back',
  takes: { keys: 'text[]' },
  text: (value) => takeBack(value.keys),
});

/** Subtracts a successful or unchecked attempt. */
export async function takeBackAttempt(limits: readonly Pick<Limit, 'key'>[]): Promise<void> {
  await attemptTakeBack({ keys: limits.map((limit) => limit.key) });
}

const attemptFail = statement({
  name: 'attempt-fail',
  takes: { keys: 'text[]', most: 'int[]' },
  returns: { key: 'text', last: 'boolean' },
  text: (value) => `update attempts a set failed = failed + 1 from ${mine(value.keys)} mine
where a.key = mine.key and a.expires_at > now() returning a.key, a.failed = ${mostOf(value)} as last`,
});

/** Records a failed attempt. Returns the keys of used-up limits. */
export async function failAttempt(limits: readonly Limit[]): Promise<string[]> {
  const rows = await attemptFail(limitsOf(limits));
  return rows.filter((row) => row.last).map((row) => row.key);
}
