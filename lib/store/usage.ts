// Sums of the service's activity: in buckets of five minutes, kept for three hours, and in buckets of an hour, kept for
// eight days. A process adds its new counts in one statement (lib/observability/metrics.ts).
import { log } from '#lib/kit/log.ts';
import { DatabaseUnavailable } from './pool.ts';
import { inTransaction } from './prisma.ts';
import { statement } from './statement.ts';

export type UsageKind = 'sign-in' | 'token' | 'refusal' | 'call';

export type UsageCount = {
  /** any moment within the five-minute bucket */
  at: Date;
  kind: UsageKind;
  /** outcome of a sign-in or call, grant type of a token, or error of a refusal */
  what: string;
  /** reason for a refusal, or duration bucket of a call (`CALL_MS`); otherwise empty */
  detail: string;
  /** empty: no API */
  apiId: string;
  authMethodId: string;
  n: number;
  /** longest duration in milliseconds; 0: not measured */
  longest: number;
};

/** Upper limits of the duration buckets for calls, in milliseconds. Slower calls are in the bucket `more`. */
export const CALL_MS = [50, 100, 250, 500, 1_000, 2_500, 5_000] as const;

/** Placeholder in rows that sum up the APIs and methods without a separate row. */
export const OTHERS = '*';

/** Maximum number of rows per bucket. Further counts go to rows of `OTHERS`, so that the table stays bounded. */
const MAX_ROWS = 1_000;

// rows in key order prevent deadlocks between processes
const add = statement({
  name: 'usage-add',
  takes: {
    at: 'timestamptz[]',
    kind: 'text[]',
    what: 'text[]',
    detail: 'text[]',
    apiId: 'text[]',
    authMethodId: 'text[]',
    n: 'bigint[]',
    longest: 'int[]',
  },
  text: (value) => `
with sent as (
  select size.minutes, date_bin(make_interval(mins => size.minutes), s.at, 'epoch'::timestamptz) as at,
    s.kind, s.what, s.detail, s.api_id, s.auth_method_id, s.n, s.longest
  from unnest(${Object.values(value).join(', ')})
    as s (at, kind, what, detail, api_id, auth_method_id, n, longest)
  cross join (values (5), (60)) as size (minutes)
), full_buckets as (
  select minutes, at from usage_counts where (minutes, at) in (select minutes, at from sent)
  group by minutes, at having count(*) >= ${MAX_ROWS}
), placed as (
  -- calls name no API, and there are few methods that are called
  select s.*, f.at is not null and s.kind <> 'call' and not exists (
    select 1 from usage_counts u where (u.minutes, u.at, u.kind, u.what, u.detail, u.api_id, u.auth_method_id)
      = (s.minutes, s.at, s.kind, s.what, s.detail, s.api_id, s.auth_method_id)) as crowded
  from sent s left join full_buckets f on (f.minutes, f.at) = (s.minutes, s.at)
)
insert into usage_counts as u (minutes, at, kind, what, detail, api_id, auth_method_id, n, longest)
select minutes, at, kind, what, detail, case when crowded then '${OTHERS}' else api_id end,
  case when crowded then '${OTHERS}' else auth_method_id end, sum(n), max(longest)
from placed group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4, 5, 6, 7
on conflict (minutes, at, kind, what, detail, api_id, auth_method_id)
do update set n = u.n + excluded.n, longest = greatest(u.longest, excluded.longest)`,
});

/**
 * Returns false if the counts were certainly not added, so callers can retry. If the result of a commit is unknown, it
 * returns true: counts may be lost, but are never counted twice.
 */
export async function addUsage(counts: readonly UsageCount[]): Promise<boolean> {
  const column = <Name extends keyof UsageCount>(name: Name) => counts.map((count) => count[name]);
  let committing = false;
  try {
    await inTransaction(async ({ run }) => {
      await add(
        {
          at: column('at'),
          kind: column('kind'),
          what: column('what'),
          detail: column('detail'),
          apiId: column('apiId'),
          authMethodId: column('authMethodId'),
          n: column('n'),
          longest: column('longest'),
        },
        run,
      );
      committing = true;
    });
    return true;
  } catch (error) {
    const again = error instanceof DatabaseUnavailable && !committing;
    log().warn(
      { reason: (error as Error).message, counts: counts.length },
      again ? 'what was counted is not stored yet' : 'what was counted may be lost',
    );
    return !again;
  }
}
