// Limits on attempts, shared by all instances. One upsert counts before the check, so a limit of N lets N parallel attempts
// through and no more. Windows expire, so nobody is locked out for good; a window that was used up makes the next one longer.
// Every statement locks its keys in the same order (limits.ts), so there is no deadlock.

import { query } from '../database/index.ts';
import { confirmVersion, possibleClientId, type Seen, stands } from '../registry/index.ts';
import { LAST_STAGE, type Limit } from './limits.ts';

/** `used-up`: so many have failed. `in-flight`: so many have begun, and some of them may still succeed. */
export type Admission =
  | { kind: 'admitted' }
  | { kind: 'used-up' | 'in-flight'; keys: string[]; waitSeconds: number };

const MAX = '($2::int[])[array_position($1::text[], a.key)]';
const MAX_STRIKES = 2;
/** Short windows limit a storm, not a guesser, and do not grow. */
const STRIKES = `case when a.failed >= ${MAX} and a.expires_at > now() - interval '1 hour'
  and excluded.expires_at - now() > interval '1 minute'
  then least(a.strikes + 1, ${MAX_STRIKES}) else 0 end`;
const mine = (keys: string) =>
  `(select key from attempts where key = any (${keys}::text[]) order by key for update)`;
/** SQL; `keys` is the parameter that holds the keys. */
export const takeBack = (
  keys: string,
) => `update attempts a set count = greatest(count - 1, 0) from ${mine(keys)} mine
where a.key = mine.key and a.expires_at > now()`;

/** Counts under the keys of one stage if all earlier stages admitted the attempt: a refusal inserts no row. */
function stage(number: number): string {
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
    strikes = case when a.expires_at <= now() then ${STRIKES} else a.strikes end,
    window_start = case when a.expires_at <= now() then now() else a.window_start end,
    expires_at = case when a.expires_at <= now()
      then now() + (excluded.expires_at - now()) * power(2, ${STRIKES}) else a.expires_at end
  where a.expires_at <= now() or a.count < ${MAX}
  returning key
)`;
}

const NUMBERS = Array.from({ length: LAST_STAGE }, (_, at) => at + 1);
const BEGIN = `
with current as (
  select v.version, $4::bigint is null or ${stands('$4::bigint', '$5::text')} as stands from directory_version v where v.id = 1
), given as (
  select key, secs, left(key, 1)::int as stage from unnest($1::text[], $3::int[]) as g(key, secs)
), full_up as (
  select key from attempts a where key = any ($1::text[]) and expires_at > now() and count >= ${MAX}
), free as (
  select version from current where stands and not exists (select from full_up)
), ${NUMBERS.map(stage).join(', ')}
select version::text, stands, array(select key from full_up) as full,
  array(${NUMBERS.map((number) => `select key from stage_${number}`).join(' union all ')}) as begun from current`;

/** What the request that makes an attempt relied on: a snapshot's version, and of its clients this one, or none. */
export type ReliedOn = { version: string; clientId: string | null };

/**
 * Begins an attempt under every key, or under none; one that is over a limit already writes nothing at all. RegistryChanged
 * where what the request relied on has changed.
 */
export async function beginAttempt(
  limits: readonly Limit[],
  reliedOn: ReliedOn | null = null,
): Promise<Admission> {
  const askedAt = performance.now();
  const [row] = await query<Seen & { full: string[]; begun: string[] }>({
    name: 'attempt-begin-staged',
    text: BEGIN,
    values: [
      limits.map((limit) => limit.key),
      limits.map((limit) => limit.max),
      limits.map((limit) => limit.windowSeconds),
      reliedOn?.version ?? null,
      possibleClientId(reliedOn?.clientId ?? null),
    ],
  });
  if (!row) throw new Error('the registry has no version');
  if (reliedOn) confirmVersion(row, askedAt);
  if (row.begun.length === limits.length) return { kind: 'admitted' };
  const begun = limits.filter((limit) => row.begun.includes(limit.key));
  if (begun.length > 0) await takeBackAttempt(begun);
  const full = limits.filter((limit) => row.full.includes(limit.key));
  if (full.length > 0) return whyRefused(full);
  // the stages after the refusing one were not reached
  const left = limits.filter((limit) => !begun.includes(limit)).sort((a, b) => (a.key < b.key ? -1 : 1));
  return whyRefused(left.filter((limit) => limit.key[0] === left[0]?.key[0]));
}

async function whyRefused(refused: readonly Limit[]): Promise<Admission> {
  const rows = await query<{ key: string; wait: number; failed: boolean }>({
    name: 'attempt-refused-why',
    text: `select key, ceil(extract(epoch from expires_at - now()))::int as wait, failed >= ${MAX} as failed
from attempts a where key = any ($1::text[]) and count >= ${MAX}`,
    values: [refused.map((limit) => limit.key), refused.map((limit) => limit.max)],
  });
  const failed = rows.filter((row) => row.failed);
  const kind = failed.length > 0 ? 'used-up' : 'in-flight';
  const why = failed.length > 0 ? failed : rows;
  const keys = why.length > 0 ? why.map((row) => row.key) : refused.map((limit) => limit.key);
  return { kind, keys, waitSeconds: Math.max(1, ...why.map((row) => row.wait)) };
}

/** For an attempt that succeeded, or that was not checked. */
export async function takeBackAttempt(limits: readonly Pick<Limit, 'key'>[]): Promise<void> {
  await query({
    name: 'attempt-take-back',
    text: takeBack('$1'),
    values: [limits.map((limit) => limit.key)],
  });
}

/** For an attempt that failed. The keys of the limits that it used up. */
export async function failAttempt(limits: readonly Limit[]): Promise<string[]> {
  const rows = await query<{ key: string; last: boolean }>({
    name: 'attempt-fail',
    text: `update attempts a set failed = failed + 1 from ${mine('$1')} mine
where a.key = mine.key and a.expires_at > now() returning a.key, a.failed = ${MAX} as last`,
    values: [limits.map((limit) => limit.key), limits.map((limit) => limit.max)],
  });
  return rows.filter((row) => row.last).map((row) => row.key);
}
