// Limits on attempts, shared by all instances: one upsert counts before the check, so N parallel tries pass a limit
// of N and no more. The window is fixed and forgets by itself: nobody is locked out for good.
import { query } from './pool.ts';

export type Limit = { key: string; max: number; windowSeconds: number };

/** Counts an attempt under every key; the seconds to wait if one is over its limit, else null. */
export async function countAttempt(limits: readonly Limit[]): Promise<number | null> {
  const rows = await query<{ wait: number; over: boolean }>({
    name: 'attempt-count',
    text: `
insert into attempts as a (key, count, expires_at)
select key, 1, now() + make_interval(secs => secs)
from unnest($1::text[], $2::int[]) as given(key, secs) order by key
on conflict (key) do update set
  count = case when a.expires_at <= now() then 1 else a.count + 1 end,
  window_start = case when a.expires_at <= now() then now() else a.window_start end,
  expires_at = case when a.expires_at <= now() then excluded.expires_at else a.expires_at end
returning ceil(extract(epoch from expires_at - now()))::int as wait,
  count > ($3::int[])[array_position($1::text[], key)] as over`,
    values: [
      limits.map((limit) => limit.key),
      limits.map((limit) => limit.windowSeconds),
      limits.map((limit) => limit.max),
    ],
  });
  const waits = rows.filter((row) => row.over).map((row) => Math.max(1, row.wait));
  return waits.length === 0 ? null : Math.max(...waits);
}

/** A success, or a refusal that checked nothing, does not count. */
export async function uncountAttempt(limits: readonly Limit[]): Promise<void> {
  await query({
    name: 'attempt-uncount',
    text: 'update attempts set count = greatest(count - 1, 0) where key = any ($1::text[]) and expires_at > now()',
    values: [limits.map((limit) => limit.key)],
  });
}
