// Deletes expired rows in batches with SKIP LOCKED, on any instance at any time, until none remain. Codes and refresh
// tokens, including used ones, are kept until their token family ends, so that late reuse is detected. Tables that are
// partitioned by time lose their old partitions instead. Under load the clean-up mostly pauses, because refresh
// requests have priority.
import { setTimeout as sleep } from 'node:timers/promises';
import { log } from '#lib/kit/log.ts';
import { settings } from '#lib/settings/settings.ts';
import { deleteUnusedLogos } from './logos.ts';
import { DatabaseUnavailable, isTimeout } from './pool.ts';
import { database, inTransaction, readRow } from './prisma.ts';
import { tellRefusals } from './refusals.ts';
import { joinSql, raw, type Sql, sql } from './sql.ts';
import type { ColdReturns } from './statement.ts';
import { deleteUnapproved } from './unregistered.ts';

const BATCH = 500;
/**
 * Number of token families per batch. Their tokens are deleted first, so that a statement stays within one batch,
 * however large a token family is.
 */
const FAMILIES = 100;
const MOST_REST_MS = 1_000;

/**
 * `by`: indexed column. Each batch continues after the last one, because deleted rows remain in the index until vacuum.
 * `ctid`: there is no index, so a run scans the table once.
 */
type Sweep = { table: string; by: string; ended: string };

const SWEEPS: readonly Sweep[] = [
  {
    table: 'codes',
    by: 'expires_at',
    ended: "family_id is null and expires_at < now() - interval '10 minutes'",
  },
  { table: 'opaque_tokens', by: 'expires_at', ended: 'expires_at < now()' },
  { table: 'machine_tokens', by: 'expires_at', ended: 'expires_at < now()' },
  { table: 'revoked_tokens', by: 'expires_at', ended: 'expires_at < now()' },
  { table: 'sessions', by: 'expires_at', ended: 'expires_at < now()' },
  { table: 'sessions', by: 'ended_at', ended: "ended_at < now() - interval '1 day'" },
  // A used-up limit is stored one hour longer, because the next wait depends on it. Every limit permits at least five
  // attempts.
  {
    table: 'attempts',
    by: 'expires_at',
    ended: "expires_at < now() and (failed < 5 or expires_at < now() - interval '1 hour')",
  },
  // a device request remains until its code is deleted, because it contains the code's hash
  {
    table: 'device_requests',
    by: 'expires_at',
    ended: `expires_at < now() - interval '10 minutes'
      and not exists (select from codes c where c.code_hash = given_code_hash)`,
  },
  { table: 'broker_states', by: 'expires_at', ended: 'expires_at < now()' },
  { table: 'address_changes', by: 'expires_at', ended: 'expires_at < now()' },
  { table: 'mail_tokens', by: 'expires_at', ended: 'expires_at < now()' },
  { table: 'person_registrations', by: 'expires_at', ended: 'expires_at < now()' },
  { table: 'delegations', by: 'until', ended: 'until < now()' },
  { table: 'trusted_browsers', by: 'expires_at', ended: 'expires_at < now()' },
  { table: 'used_assertions', by: 'expires_at', ended: 'expires_at < now()' },
  { table: 'used_requests', by: 'expires_at', ended: 'expires_at < now()' },
  { table: 'used_proofs', by: 'expires_at', ended: 'expires_at < now()' },
  { table: 'former_tokens', by: 'expires_at', ended: 'expires_at < now()' },
  {
    table: 'former_key_sets',
    by: 'ctid',
    ended: `not exists (select from apis a, jsonb_array_elements(a.former_issuers) one where one ->> 'jwks_uri' = address)`,
  },
  // retired keys remain one day longer than they can verify ID token hints
  {
    table: 'signing_keys',
    by: 'ctid',
    ended: "coalesce(retired_at, retires_at) < now() - interval '91 days'",
  },
  { table: 'page_states', by: 'expires_at', ended: 'expires_at < now()' },
  { table: 'used_forms', by: 'used_at', ended: "used_at < now() - interval '1 day'" },
  { table: 'client_secrets', by: 'ctid', ended: 'expires_at < now()' },
  // the rows remain for an hour after the decision, because it can be undone
  {
    table: 'request_mails',
    by: 'ctid',
    ended: `not exists (select from subscriptions s where s.client_id = request_mails.client_id
      and s.api_id = request_mails.api_id and (s.state = 'pending' or s.updated_at > now() - interval '1 hour'))`,
  },
  { table: 'request_mail_turns', by: 'ctid', ended: "next_at < now() - interval '1 day'" },
  // the rows remain for twice the period in which processes need the log
  { table: 'directory_changes', by: 'at', ended: "at < now() - interval '2 hours'" },
  // the sums remain a little longer than the range of the operators' page
  {
    table: 'usage_counts',
    by: 'ctid',
    ended: `((minutes = 5 and at < now() - interval '3 hours') or (minutes = 60 and at < now() - interval '8 days'))`,
  },
];

/** Result of a batch. `from`: position after the last batch, or null at the beginning. */
type Batch = { gone: number; more: boolean; from: string | null };
type Work = { table: string; from: string | null; run: (from: string | null) => Promise<Batch> };

/**
 * Settings for batch transactions. The commit is asynchronous, because rows that a crash restores are deleted again.
 * Index scans are required, because a bitmap or sort plan would repeat its work for each batch.
 */
const SETTINGS = {
  synchronous_commit: 'off',
  enable_bitmapscan: 'off',
  enable_seqscan: 'off',
  enable_sort: 'off',
  jit: 'off',
};
const GENTLY = joinSql(
  Object.entries(SETTINGS).map(([name, value]) => sql`set_config(${name}, ${value}, true)`),
  ', ',
);

const gently = <const Returned extends ColdReturns>(returns: Returned, statement: Sql) =>
  inTransaction(async (db) => {
    await db.$executeRaw(sql`select ${GENTLY}`);
    return readRow(db, returns)`${statement}`;
  });

/** SQL that selects the columns `what` of the expired rows, and locks these rows. */
function endedRows(what: string, { table, by, ended }: Sweep, from: string | null, limit: number): Sql {
  const [type, order] = by === 'ctid' ? ['tid', ''] : ['timestamptz', `order by ${by}`];
  const beyond = from === null ? raw('') : sql`and ${raw(by)} >= ${from}::${raw(type)}`;
  return sql`select ${raw(what)} from ${raw(table)} where ${raw(ended)} ${beyond}
    ${raw(order)} limit ${limit} for update skip locked`;
}

async function deleteBatch(sweep: Sweep, from: string | null): Promise<Batch> {
  const { table, by } = sweep;
  const row = await gently(
    { gone: 'int', from: 'text?' },
    sql`with gone as (
      delete from ${raw(table)} where ctid = any (array(${endedRows('ctid', sweep, from, BATCH)}))
      returning ${raw(by)} as place
    ) select count(*)::int as gone, max(place)::text as from from gone`,
  );
  const gone = row?.gone ?? 0;
  return { gone, more: gone >= BATCH, from: row?.from ?? from };
}

const ENDED_FAMILIES: Sweep = {
  table: 'token_families',
  by: 'expires_at',
  // the last access token of a token family can outlive the family by the token's lifetime
  ended: `expires_at < now() and expires_at < now() - make_interval(secs => coalesce((select access_token_ttl from apis where id = api_id), 0))`,
};

/**
 * Deletes ended token families. A family that was refreshed for months has thousands of tokens, so it is deleted when
 * few of them remain.
 */
async function deleteFamilies(from: string | null): Promise<Batch> {
  const row = await gently(
    { tokens: 'int', families: 'int', from: 'text?' },
    sql`with ended as materialized (${endedRows('id', ENDED_FAMILIES, from, FAMILIES)}),
    tokens as (
      delete from refresh_tokens where ctid = any (array(select r.place from ended e cross join lateral
        (select ctid as place from refresh_tokens where family_id = e.id limit ${BATCH}) r limit ${BATCH}))
      returning 1
    ), families as (
      delete from token_families where id in (select id from ended) and (select count(*) from tokens) < ${BATCH}
      returning expires_at
    )
    select (select count(*)::int from tokens) as tokens, count(*)::int as families, max(expires_at)::text as from
    from families`,
  );
  const { tokens = 0, families = 0, from: next = null } = row ?? {};
  return { gone: families, more: tokens >= BATCH || families >= FAMILIES, from: next ?? from };
}

/**
 * Calls functions of the database owner, because the service's role can insert audit events but cannot create or drop
 * tables.
 */
async function expire(call: Sql): Promise<number> {
  const row = await readRow(database(), { gone: 'int' })`select ${call} as gone`;
  return row?.gone ?? 0;
}

const toBatch = (run: () => Promise<number>) => async (): Promise<Batch> => {
  const gone = await run();
  return { gone, more: gone >= BATCH, from: null };
};

const works = (): Work[] => [
  { table: 'token_families', from: null, run: deleteFamilies },
  ...SWEEPS.map((sweep) => ({
    table: sweep.table,
    from: null,
    run: (from: string | null) => deleteBatch(sweep, from),
  })),
  { table: 'clients', from: null, run: toBatch(() => deleteUnapproved(BATCH)) },
  { table: 'logos', from: null, run: toBatch(() => deleteUnusedLogos(BATCH)) },
  { table: 'refusals', from: null, run: toBatch(() => tellRefusals(BATCH)) },
  {
    table: 'audit_events',
    from: null,
    run: toBatch(() => expire(sql`expire_audit_events(${settings().auditRetentionDays}, ${BATCH})`)),
  },
  {
    table: 'refused_requests',
    from: null,
    run: toBatch(() => expire(sql`expire_refused_requests(${BATCH})`)),
  },
];

/** Creates partitions for future weeks and drops expired ones. */
async function keepPartitions(): Promise<void> {
  const row = await readRow(database(), {
    kept: 'boolean',
  })`select keep_partitions(${settings().auditRetentionDays}) as kept`;
  if (!row?.kept)
    log().warn('a table has no partition for a day of the next week: docs/operate/run.md, Clean-up');
}

export type Swept = {
  /** number of deleted rows, by table */
  deleted: Record<string, number>;
  /** false: the time was used up, and expired rows remain */
  done: boolean;
};

/**
 * PostgreSQL's error code for a cancelled statement. The error's text is no reliable sign, because it depends on the
 * server's language.
 */
const CANCELLED = '57014';
const tookTooLong = (error: DatabaseUnavailable) =>
  isTimeout(error) || (error.cause as { code?: string } | undefined)?.code === CANCELLED;

/**
 * An error or timeout at one table does not delay the others, and the next run retries. An unreachable database stops
 * the run.
 */
async function runGuarded<T>(what: string, run: () => Promise<T>): Promise<T | null> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof DatabaseUnavailable && !tookTooLong(error)) throw error;
    log().error({ what, err: error }, 'clean-up of a table failed; it will be tried again');
    return null;
  }
}

/**
 * Processes one batch per table in turn, so that a large table does not delay the other tables. `rest`: pause after a
 * full batch, as a multiple of the batch's duration.
 */
export async function deleteExpired({ budgetMs = Number.POSITIVE_INFINITY, rest = 3 } = {}): Promise<Swept> {
  const began = performance.now();
  const leftMs = () => budgetMs - (performance.now() - began);
  const deleted: Record<string, number> = {};
  await runGuarded('partitions', keepPartitions);
  let left = works();
  while (left.length > 0 && leftMs() > 0) {
    const more: Work[] = [];
    for (const work of left) {
      if (leftMs() <= 0) {
        more.push(work);
        continue;
      }
      const started = performance.now();
      const batch = await runGuarded(work.table, () => work.run(work.from));
      deleted[work.table] = (deleted[work.table] ?? 0) + (batch?.gone ?? 0);
      if (!batch?.more) continue;
      more.push({ ...work, from: batch.from });
      const restMs = Math.min(MOST_REST_MS, rest * (performance.now() - started), leftMs());
      if (restMs > 0) await sleep(restMs);
    }
    left = more;
  }
  return { deleted, done: left.length === 0 };
}
