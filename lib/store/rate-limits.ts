// Limits on attempts, shared by all instances: one upsert counts before the check, so N parallel tries pass a limit of N
// and no more. A window forgets by itself, so nobody is locked out for good; one that was used up makes the next longer.
// Every statement locks its keys in the same order: two of them never wait for each other.
import { confirmVersion } from './directory.ts';
import { query } from './pool.ts';

export type Limit = { key: string; max: number; windowSeconds: number };

/** `used-up`: so many have failed. `in-flight`: so many have begun, and some of them may still succeed. */
export type Admission =
  | { kind: 'admitted' }
  | { kind: 'used-up'; waitSeconds: number }
  | { kind: 'in-flight'; keys: string[] };

const MAX = '($2::int[])[array_position($1::text[], a.key)]';
const MAX_STRIKES = 2;
/** Short windows bound a storm, not a guesser: they do not grow. */
const STRIKES = `case when a.failed >= ${MAX} and a.expires_at > now() - interval '1 hour'
  and excluded.expires_at - now() > interval '1 minute'
  then least(a.strikes + 1, ${MAX_STRIKES}) else 0 end`;
const mine = (keys: string) =>
  `(select key from attempts where key = any (${keys}::text[]) order by key for update)`;
/** `keys`: where a statement has them. */
export const takeBack = (
  keys: string,
) => `update attempts a set count = greatest(count - 1, 0) from ${mine(keys)} mine
where a.key = mine.key and a.expires_at > now()`;

/** Begins an attempt under every key, or under none. DirectoryMoved where the registry is not of this version any more. */
export async function beginAttempt(
  limits: readonly Limit[],
  version: string | null = null,
): Promise<Admission> {
  const askedAt = performance.now();
  const [row] = await query<{ version: string; keys: string[] }>({
    name: 'attempt-begin',
    text: `
with current as (select version from directory_version where id = 1), begun as (
  insert into attempts as a (key, count, expires_at)
  select key, 1, now() + make_interval(secs => secs)
  from unnest($1::text[], $3::int[]) as given(key, secs)
  where $4::bigint is null or $4 = (select version from current) order by key
  on conflict (key) do update set
    count = case when a.expires_at <= now() then 1 else a.count + 1 end,
    failed = case when a.expires_at <= now() then 0 else a.failed end,
    strikes = case when a.expires_at <= now() then ${STRIKES} else a.strikes end,
    window_start = case when a.expires_at <= now() then now() else a.window_start end,
    expires_at = case when a.expires_at <= now()
      then now() + (excluded.expires_at - now()) * power(2, ${STRIKES}) else a.expires_at end
  where a.expires_at <= now() or a.count < ${MAX}
  returning key
)
select version::text, array(select key from begun) as keys from current`,
    values: [
      limits.map((limit) => limit.key),
      limits.map((limit) => limit.max),
      limits.map((limit) => limit.windowSeconds),
      version,
    ],
  });
  if (!row) throw new Error('the registry has no version');
  if (version !== null) confirmVersion(version, { version: row.version }, askedAt);
  const admitted = new Set(row.keys);
  const refused = limits.filter((limit) => !admitted.has(limit.key));
  if (refused.length === 0) return { kind: 'admitted' };
  if (admitted.size > 0) await takeBackAttempt(limits.filter((limit) => admitted.has(limit.key)));
  return whyRefused(refused);
}

async function whyRefused(refused: readonly Limit[]): Promise<Admission> {
  const rows = await query<{ wait: number }>({
    name: 'attempt-refused',
    text: `select ceil(extract(epoch from expires_at - now()))::int as wait from attempts a
where key = any ($1::text[]) and failed >= ${MAX}`,
    values: [refused.map((limit) => limit.key), refused.map((limit) => limit.max)],
  });
  if (rows.length === 0) return { kind: 'in-flight', keys: refused.map((limit) => limit.key) };
  return { kind: 'used-up', waitSeconds: Math.max(1, ...rows.map((row) => row.wait)) };
}

/** It succeeded, or nothing was checked: it does not count. */
export async function takeBackAttempt(limits: readonly Limit[]): Promise<void> {
  await query({
    name: 'attempt-take-back',
    text: takeBack('$1'),
    values: [limits.map((limit) => limit.key)],
  });
}

/** It failed. Gives the keys of the limits that it used up. */
export async function failAttempt(limits: readonly Limit[]): Promise<string[]> {
  const rows = await query<{ key: string; last: boolean }>({
    name: 'attempt-fail',
    text: `update attempts a set failed = failed + 1 from ${mine('$1')} mine
where a.key = mine.key and a.expires_at > now() returning a.key, a.failed = ${MAX} as last`,
    values: [limits.map((limit) => limit.key), limits.map((limit) => limit.max)],
  });
  return rows.filter((row) => row.last).map((row) => row.key);
}
