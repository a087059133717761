// Deletes what has ended, in batches with SKIP LOCKED, on any instance at any time, until nothing is left. Codes and
// refresh tokens, used ones too, stay until their family ends, so that a late reuse is still recognised.
import { settings } from '#lib/settings/index.ts';
import { query } from './pool.ts';
import { tellRefusals } from './refusals.ts';

const BATCH = 2_000;
/** Each takes its codes and tokens along. */
const FAMILIES = 500;

const SWEEPS: readonly { table: string; key: string; ended: string }[] = [
  {
    table: 'token_families',
    key: 'id',
    // its last access token may live a little longer than the family
    ended: `expires_at < now() and expires_at < now() - make_interval(secs => coalesce((select access_token_ttl from apis where id = api_id), 0))`,
  },
  {
    table: 'codes',
    key: 'code_hash',
    ended: "family_id is null and expires_at < now() - interval '10 minutes'",
  },
  { table: 'opaque_tokens', key: 'token_hash', ended: 'expires_at < now()' },
  { table: 'revoked_tokens', key: 'jti', ended: 'expires_at < now()' },
  { table: 'sessions', key: 'id_hash', ended: "expires_at < now() or ended_at < now() - interval '1 day'" },
  // kept for an hour more where it may have been used up: the next one is longer then. No limit is smaller than five
  {
    table: 'attempts',
    key: 'key',
    ended: "expires_at < now() and (failed < 5 or expires_at < now() - interval '1 hour')",
  },
  { table: 'broker_states', key: 'state_hash', ended: 'expires_at < now()' },
  { table: 'mail_tokens', key: 'token_hash', ended: 'expires_at < now()' },
  { table: 'used_assertions', key: 'id_hash', ended: 'expires_at < now()' },
  { table: 'used_forms', key: 'token_hash', ended: "used_at < now() - interval '1 day'" },
  { table: 'refused_requests', key: 'id', ended: "at < now() - interval '14 days'" },
  { table: 'client_secrets', key: 'id', ended: 'expires_at < now()' },
  // twice as long as a process may rely on it
  { table: 'directory_changes', key: 'version', ended: "at < now() - interval '2 hours'" },
  // a little longer than the operators' page looks back
  {
    table: 'usage_counts',
    key: 'ctid',
    ended: `(minutes = 5 and at < now() - interval '3 hours') or (minutes = 60 and at < now() - interval '8 days')`,
  },
];

type Work = { table: string; batch: number; run: (batch: number) => Promise<number> };

const WORKS: readonly Work[] = [
  ...SWEEPS.map(({ table, key, ended }) => ({
    table,
    batch: table === 'token_families' ? FAMILIES : BATCH,
    run: async (batch: number) => {
      const rows = await query({
        text: `delete from ${table} where ${key} in
          (select ${key} from ${table} where ${ended} limit ${batch} for update skip locked) returning 1`,
        values: [],
      });
      return rows.length;
    },
  })),
  { table: 'refusals', batch: BATCH, run: tellRefusals },
  { table: 'audit_events', batch: BATCH, run: expireAuditEvents },
];

export type Swept = {
  /** rows, by table */
  deleted: Record<string, number>;
  /** false: time was up, and there is more */
  done: boolean;
};

/** A batch of each table in turn, so that none waits behind a flood in another. */
export async function deleteExpired(budgetMs = Number.POSITIVE_INFINITY): Promise<Swept> {
  const began = performance.now();
  const deleted: Record<string, number> = {};
  let left = WORKS;
  while (left.length > 0 && performance.now() - began < budgetMs) {
    const more: Work[] = [];
    for (const work of left) {
      const gone = await work.run(work.batch);
      deleted[work.table] = (deleted[work.table] ?? 0) + gone;
      if (gone >= work.batch) more.push(work);
    }
    left = more;
  }
  return { deleted, done: left.length === 0 };
}

/** Through the owner's function: the service itself may only add. */
async function expireAuditEvents(batch: number): Promise<number> {
  const [row] = await query<{ gone: number }>({
    name: 'cleanup-audit-events',
    text: 'select expire_audit_events($1, $2) as gone',
    values: [settings().auditRetentionDays, batch],
  });
  return row?.gone ?? 0;
}
