// Refusals that anybody can cause, in the audit log: the first of a kind at once, those after it as a number when the
// ten minutes are over. So a flood of them is two events, and the log, which keeps them for a year, does not grow with
// it.
import { widestAddressBlock } from '#lib/http/peer-address.ts';
import { sha256 } from '#lib/kit/random.ts';
import { statement } from '../database/statement.ts';
import { callerLimits } from '../tokens/limits.ts';
import { beginAttempt } from '../tokens/rate-limits.ts';

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

const refusalFirst = statement({
  name: 'refusal-first',
  takes: {
    key: 'bytea',
    event: 'text',
    actor: 'text?',
    clientId: 'text?',
    apiId: 'text?',
    authMethodId: 'text?',
    ip: 'text?',
    details: 'jsonb',
    requestId: 'text?',
  },
  text: (value) => `
with kind as (
  insert into refusals as r (window_start, key, event, actor, client_id, api_id, auth_method_id, ip, details)
  values (${WINDOW}, ${value.key}, ${value.event}, ${value.actor}, ${value.clientId}, ${value.apiId}, ${value.authMethodId}, ${value.ip}, ${value.details})
  on conflict (window_start, key) do update set count = r.count + 1
  returning r.*
)
insert into audit_events (event, actor, client_id, api_id, auth_method_id, request_id, ip, details)
select event, actor, client_id, api_id, auth_method_id, ${value.requestId}, ip, details from kind where count = 0`,
});

export async function recordRefusal(refusal: Refusal): Promise<void> {
  const { event, actor = null, clientId = null, apiId = null, authMethodId = null, ip = null } = refusal;
  const from = refusal.place ?? (ip === null ? null : widestAddressBlock(ip));
  const details = JSON.stringify(refusal.details);
  const key = sha256(JSON.stringify([event, actor, clientId, apiId, authMethodId, from, details]));
  if (await count(key)) return;
  const room = await beginAttempt(callerLimits(KINDS, ip));
  if (room.kind !== 'admitted') return countElsewhere(event);
  await refusalFirst({
    key,
    event,
    actor,
    clientId,
    apiId,
    authMethodId,
    ip,
    details,
    requestId: refusal.requestId ?? null,
  });
}

const refusalCount = statement({
  name: 'refusal-count',
  takes: { key: 'bytea' },
  text: (value) =>
    `update refusals set count = count + 1 where window_start = ${WINDOW} and key = ${value.key} returning 1`,
});

async function count(key: Uint8Array): Promise<boolean> {
  const rows = await refusalCount({ key });
  return rows.length > 0;
}

const refusalElsewhere = statement({
  name: 'refusal-elsewhere',
  takes: { key: 'bytea', event: 'text' },
  text: (
    value,
  ) => `insert into refusals as r (window_start, key, event, count) values (${WINDOW}, ${value.key}, ${value.event}, 1)
on conflict (window_start, key) do update set count = r.count + 1`,
});

async function countElsewhere(event: string): Promise<void> {
  await refusalElsewhere({ key: sha256(event), event });
}

const refusalsTell = statement({
  name: 'refusals-tell',
  takes: { batch: 'bigint' },
  text: (value) => `
with over as (
  delete from refusals where (window_start, key) in
    (select window_start, key from refusals where window_start < ${WINDOW} limit ${value.batch} for update skip locked)
  returning *
), told as (
  insert into audit_events (event, actor, client_id, api_id, auth_method_id, ip, details)
  select event, actor, client_id, api_id, auth_method_id, ip,
    details || jsonb_build_object('count', count, 'since', window_start)
  from over where count > 0
)
select count(*)::int as gone from over`,
});

/** Writes the numbers of windows that are over into the audit log; gives how many rows it dealt with. */
export async function tellRefusals(batch: number): Promise<number> {
  const [row] = await refusalsTell<{ gone: number }>({ batch });
  return row?.gone ?? 0;
}
