// Deletes what has ended, in small batches with SKIP LOCKED, on any instance at any time. Codes and refresh tokens,
// used ones too, stay until their family ends, so that a late reuse is still recognised.
import { settings } from '#lib/settings/index.ts';
import { query } from './pool.ts';

const BATCH = 500;
const MAX_BATCHES = 200;

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
  // kept for an hour more: a window that was used up makes the next one longer
  { table: 'attempts', key: 'key', ended: "expires_at < now() - interval '1 hour'" },
  { table: 'broker_states', key: 'state_hash', ended: 'expires_at < now()' },
  { table: 'mail_tokens', key: 'token_hash', ended: 'expires_at < now()' },
  { table: 'used_forms', key: 'token_hash', ended: "used_at < now() - interval '1 day'" },
  { table: 'refused_requests', key: 'id', ended: "at < now() - interval '14 days'" },
  { table: 'client_secrets', key: 'id', ended: 'expires_at < now()' },
  // twice as long as a process may rely on it
  { table: 'directory_changes', key: 'version', ended: "at < now() - interval '2 hours'" },
];

/** Gives the number of rows deleted, by table. */
export async function deleteExpired(): Promise<Record<string, number>> {
  const deleted: Record<string, number> = {};
  for (const { table, key, ended } of SWEEPS) {
    let total = 0;
    for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
      const rows = await query({
        text: `delete from ${table} where ${key} in
          (select ${key} from ${table} where ${ended} limit ${BATCH} for update skip locked) returning 1`,
        values: [],
      });
      total += rows.length;
      if (rows.length < BATCH) break;
    }
    deleted[table] = total;
  }
  deleted['audit_events'] = await expireAuditEvents();
  return deleted;
}

/** Through the owner's function: the service itself may only add. */
async function expireAuditEvents(): Promise<number> {
  let total = 0;
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const [row] = await query<{ gone: number }>({
      name: 'cleanup-audit-events',
      text: 'select expire_audit_events($1, $2) as gone',
      values: [settings().auditRetentionDays, BATCH],
    });
    total += row?.gone ?? 0;
    if ((row?.gone ?? 0) < BATCH) break;
  }
  return total;
}
