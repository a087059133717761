// Reads the sums of usage.ts for the operators' page. Each statement reads the buckets of one range by the table's
// key and returns few rows, regardless of the number of APIs.
import { equals } from './list.ts';
import { type Db, readRows } from './prisma.ts';
import { joinSql, raw, type Sql, sql } from './sql.ts';
import { type ColdRow, narrowTo } from './statement.ts';
import type { UsageKind } from './usage.ts';

/** Filter of the sums. A missing or empty member imposes no filter. */
type UsageFilter = { apiId?: string | undefined; authMethodId?: string | undefined };
export type UsageRange = {
  /** length of the buckets to read, in minutes */
  minutes: 5 | 60;
  /** start of the first step, and end of the last step */
  from: Date;
  until: Date;
  stepMinutes: number;
};

const within = (
  { minutes, from, until }: UsageRange,
  { apiId, authMethodId }: UsageFilter,
  ...kinds: UsageKind[]
) =>
  joinSql(
    [
      sql`u.minutes = ${minutes} and u.at >= ${from} and u.at < ${until} and u.kind = any (${kinds})`,
      equals('u.api_id', apiId || null),
      equals('u.auth_method_id', authMethodId || null),
    ],
    ' and ',
  );

const USAGE_STEP = {
  at: 'timestamptz',
  kind: narrowTo<UsageKind>('text'),
  what: 'text',
  n: 'float8',
} as const;
export type UsageStep = ColdRow<typeof USAGE_STEP>;

/** Numbers for each step of the range: sign-ins by outcome, tokens by grant, and refusals by error. */
const steps = (db: Db, range: UsageRange, filter: UsageFilter): Promise<UsageStep[]> =>
  readRows(db, USAGE_STEP)`
    select date_bin(make_interval(mins => ${range.stepMinutes}::int), u.at, ${range.from}::timestamptz) as at,
      u.kind, u.what, sum(u.n)::float8 as n
    from usage_counts u where ${within(range, filter, 'sign-in', 'token', 'refusal')} group by 1, 2, 3`;

const USAGE_REFUSAL = { error: 'text', reason: 'text', n: 'float8' } as const;
export type UsageRefusal = ColdRow<typeof USAGE_REFUSAL>;

/** Returns the reasons for refusals, the most frequent first. */
const refusals = (db: Db, range: UsageRange, filter: UsageFilter, limit: number): Promise<UsageRefusal[]> =>
  readRows(db, USAGE_REFUSAL)`
    select u.what as error, u.detail as reason, sum(u.n)::float8 as n
    from usage_counts u where ${within(range, filter, 'refusal')} group by 1, 2 order by 3 desc, 1, 2 limit ${limit}`;

const USAGE_CALLS = {
  authMethodId: 'text',
  answered: 'float8',
  failed: 'float8',
  /** duration of the longest call in milliseconds */
  longest: 'int',
  /** number of answered calls by duration bucket, as in `UsageCount` */
  within: narrowTo<Record<string, number>>('jsonb'),
} as const;
export type UsageCalls = ColdRow<typeof USAGE_CALLS>;

/** Calls to verifiers and brokers. The most failures come first, then the slowest. */
const calls = (db: Db, range: UsageRange, filter: UsageFilter, limit: number): Promise<UsageCalls[]> =>
  readRows(db, USAGE_CALLS)`
    select m as "authMethodId", coalesce(sum(n) filter (where what = 'answered'), 0)::float8 as answered,
      coalesce(sum(n) filter (where what = 'failed'), 0)::float8 as failed, max(longest) as longest,
      coalesce(jsonb_object_agg(detail, n) filter (where what = 'answered'), '{}') as within
    from (select u.auth_method_id as m, u.what, u.detail, sum(u.n) as n, max(u.longest) as longest from usage_counts u
      where ${within(range, { authMethodId: filter.authMethodId }, 'call')} group by 1, 2, 3) calls
    group by m order by failed desc, longest desc, m limit ${limit}`;

/** Usage of one API or method. `signIns`: number of attempts, including failed ones. */
const USAGE = { id: 'text', signIns: 'float8', tokens: 'float8', refusals: 'float8' } as const;
export type UsageOf = ColdRow<typeof USAGE>;

/** Usage by API or by method. The API or method with the most usage comes first. */
const by = (
  db: Db,
  column: 'api_id' | 'auth_method_id',
  range: UsageRange,
  filter: UsageFilter,
  limit: number,
): Promise<UsageOf[]> => {
  const of = (kind: UsageKind): Sql => sql`coalesce(sum(u.n) filter (where u.kind = ${kind}), 0)::float8`;
  return readRows(db, USAGE)`
    select ${raw(`u.${column}`)} as id, ${of('sign-in')} as "signIns", ${of('token')} as tokens,
      ${of('refusal')} as refusals
    from usage_counts u where ${within(range, filter, 'sign-in', 'token', 'refusal')}
    group by 1 order by sum(u.n) desc, 1 limit ${limit}`;
};

export const usageSums = { steps, refusals, calls, by } as const;
