// Refusals that anybody can cause, in the audit log: the first of a kind at once, those after it as a number when the ten
// minutes are over. So a flood of them is two events, and the log, which keeps them for a year, does not grow with it.
import { widestAddressBlock } from '#lib/http/index.ts';
import { sha256 } from '#lib/kit/index.ts';
import { query } from '../database/index.ts';
import { beginAttempt, callerLimits } from '../tokens/index.ts';

/** What is counted belongs to the ten minutes that hold it. */
export const WINDOW = "date_bin('10 minutes', now(), 'epoch'::timestamptz)";

/** How many kinds are told apart; beyond them all of an event are one number. */
const KINDS = { what: 'refusals', each: 300, windowSeconds: 600, all: 2_000, allSeconds: 600 };

export type Refusal = {
  event: string;
  actor?: string | undefined;
  clientId?: string | null | undefined;
  apiId?: string | null | undefined;
  authMethodId?: string | null | undefined;
  requestId?: string | null | undefined;
  ip?: string | null | undefined;
  details: object;
  /** where it counts as one kind; without it the caller's block */
  place?: string | undefined;
};

export async function recordRefusal(refusal: Refusal): Promise<void> {
  const { event, actor = null, clientId = null, apiId = null, authMethodId = null, ip = null } = refusal;
  const from = refusal.place ?? (ip === null ? null : widestAddressBlock(ip));
  const details = JSON.stringify(refusal.details);
  const key = sha256(JSON.stringify([event, actor, clientId, apiId, authMethodId, from, details]));
  if (await count(key)) return;
  const room = await beginAttempt(callerLimits(KINDS, ip));
  if (room.kind !== 'admitted') return countElsewhere(event);
  await query({
    name: 'refusal-first',
    text: `
with kind as (
  insert into refusals as r (window_start, key, event, actor, client_id, api_id, auth_method_id, ip, details)
  values (${WINDOW}, $1, $2, $3, $4, $5, $6, $7, $8::jsonb)
  on conflict (window_start, key) do update set count = r.count + 1
  returning r.*
)
insert into audit_events (event, actor, client_id, api_id, auth_method_id, request_id, ip, details)
select event, actor, client_id, api_id, auth_method_id, $9, ip, details from kind where count = 0`,
    values: [key, event, actor, clientId, apiId, authMethodId, ip, details, refusal.requestId ?? null],
  });
}

async function count(key: Uint8Array): Promise<boolean> {
  const rows = await query({
    name: 'refusal-count',
    text: `update refusals set count = count + 1 where window_start = ${WINDOW} and key = $1 returning 1`,
    values: [key],
  });
  return rows.length > 0;
}

async function countElsewhere(event: string): Promise<void> {
  await query({
    name: 'refusal-elsewhere',
    text: `insert into refusals as r (window_start, key, event, count) values (${WINDOW}, $1, $2, 1)
on conflict (window_start, key) do update set count = r.count + 1`,
    values: [sha256(event), event],
  });
}

/** Writes the numbers of windows that are over into the audit log; gives how many rows it dealt with. */
export async function tellRefusals(batch: number): Promise<number> {
  const [row] = await query<{ gone: number }>({
    name: 'refusals-tell',
    text: `
with over as (
  delete from refusals where (window_start, key) in
    (select window_start, key from refusals where window_start < ${WINDOW} limit $1 for update skip locked)
  returning *
), told as (
  insert into audit_events (event, actor, client_id, api_id, auth_method_id, ip, details)
  select event, actor, client_id, api_id, auth_method_id, ip,
    details || jsonb_build_object('count', count, 'since', window_start)
  from over where count > 0
)
select count(*)::int as gone from over`,
    values: [batch],
  });
  return row?.gone ?? 0;
}
