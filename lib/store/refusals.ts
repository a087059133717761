// Rejected requests: audit events, and rows for a client's developers. In the audit log, the first refusal of a kind is
// written immediately, and later ones are written as a count after ten minutes. A flood therefore causes two events,
// and the log, which is kept for a year, stays small.

import { setTimeout as sleep } from 'node:timers/promises';
import { widestAddressBlock } from '#lib/http/forwarding.ts';
import { log } from '#lib/kit/log.ts';
import { inBackground } from '#lib/kit/process.ts';
import { sha256 } from '#lib/kit/random.ts';
import { GRANT_EVENTS } from '#lib/registry/audit-event.ts';
import { beginAttempt, callerLimits } from './hot/limits.ts';
import { type List, PARTS } from './list.ts';
import { database, readRow, readRows } from './prisma.ts';
import { raw, type Sql, sql } from './sql.ts';
import { type ColdRow, narrowTo, statement } from './statement.ts';

/** SQL: start of the current ten-minute window. */
const WINDOW = "date_bin('10 minutes', now(), 'epoch'::timestamptz)";

/** Limits for the number of distinct kinds. Above these limits, all refusals of an event share one count. */
const REFUSAL_KINDS = { what: 'refusals', each: 300, windowSeconds: 600, all: 2_000, allSeconds: 600 };

type Refusal = {
  event: string;
  actor?: string | undefined;
  clientId?: string | null | undefined;
  apiId?: string | null | undefined;
  authMethodId?: string | null | undefined;
  requestId?: string | null | undefined;
  ip?: string | null | undefined;
  details: object;
  /** part of the kind; default: address block of the caller */
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
  const room = await beginAttempt(callerLimits(REFUSAL_KINDS, ip));
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
  returns: { '?column?': 'int' },
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
  returns: { gone: 'int' },
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

/** Writes the counts of finished windows to the audit log. Returns the number of processed rows. */
export async function tellRefusals(batch: number): Promise<number> {
  const [row] = await refusalsTell({ batch });
  return row?.gone ?? 0;
}

// Rejected requests of clients, for their developers. For each kind in ten minutes, a row has the newest request and
// the count. Each client has at most the 200 newest rows, and none that is older than two weeks. Rows are written
// after the response, so a successful request costs nothing.

/** Maximum number of rows per client, because strangers can send rejected requests in its name. */
const KEPT = 200;
/** Limit of recorded kinds for all clients together. */
const REQUEST_KINDS = {
  what: 'refused requests',
  each: 300,
  windowSeconds: 600,
  all: 2_000,
  allSeconds: 600,
};

type RefusedRequest = {
  clientId: string;
  apiId: string;
  authMethodId: string;
  endpoint: 'authorize' | 'par' | 'token';
  error: string;
  description: string;
  /** facts without a secret */
  details: Record<string, unknown>;
  requestId: string;
  ip: string | null;
};

/** Maximum number of kinds in memory. Further kinds are dropped. */
const MAX_WAITING = 100;
const WRITE_AFTER_MS = 300;
const waiting = new Map<string, Waiting>();
type Waiting = RefusedRequest & { kind: Buffer; count: number };
let isDue = false;

/**
 * Collects a refusal, which is written later, together with other refusals. An immediate write could delay the next
 * request, which would reveal that the client exists.
 */
export function noteRefusedRequest(refusedRequest: RefusedRequest): void {
  const { clientId, apiId, authMethodId, endpoint, error, description, details, ip } = refusedRequest;
  // caller input in quotes must not create separate kinds
  const maskedDescription = description.replace(/'[^']*'/g, "''");
  const from = ip === null ? null : widestAddressBlock(ip);
  const kind = sha256(
    JSON.stringify([endpoint, apiId, authMethodId, error, maskedDescription, details['reason'], from]),
  );
  const key = `${clientId} ${kind.toString('latin1')}`;
  const count = waiting.get(key)?.count ?? 0;
  if (count === 0 && waiting.size >= MAX_WAITING) return;
  // entries are written in the order of the map, so the last entry becomes the newest row
  waiting.delete(key);
  waiting.set(key, { ...refusedRequest, kind, count: count + 1 });
  if (isDue) return;
  isDue = true;
  const later = sleep(WRITE_AFTER_MS * (1 + Math.random()), undefined, { ref: false });
  inBackground(later.then(writeRefusedRequests));
}

let writing: Promise<void> = Promise.resolve();

/** Writes the collected refusals one after another, so that a flood uses one connection. */
function writeRefusedRequests(): Promise<void> {
  isDue = false;
  writing = writing.then(writeWaiting);
  return writing;
}

async function writeWaiting(): Promise<void> {
  const all = [...waiting.values()];
  waiting.clear();
  for (const refusedRequest of all) {
    await insertRefusedRequest(refusedRequest).catch((error: Error) =>
      log().debug({ reason: error.message }, 'a refused request was not noted'),
    );
  }
}

const NEWEST = {
  clientId: 'text',
  kind: 'bytea',
  description: 'text',
  details: 'jsonb',
  requestId: 'text',
  count: 'bigint',
} as const;

const refuseAgain = statement({
  name: 'refused-request-again',
  takes: NEWEST,
  returns: { '?column?': 'int' },
  text: (value) => `
update refused_requests set count = count + ${value.count}, at = now(), description = ${value.description},
  details = ${value.details}, request_id = ${value.requestId}
where client_id = ${value.clientId} and window_start = ${WINDOW} and kind = ${value.kind} returning 1`,
});

const refuseFirst = statement({
  name: 'refused-request-first',
  takes: { ...NEWEST, apiId: 'text', authMethodId: 'text', endpoint: 'text', error: 'text' },
  text: (value) => `
with crowded as (
  delete from refused_requests where client_id = ${value.clientId} and id in
    (select id from refused_requests where client_id = ${value.clientId} order by at desc, id desc offset ${KEPT - 1})
)
insert into refused_requests as r
  (client_id, kind, description, details, request_id, count, window_start, api_id, auth_method_id, endpoint, error)
select client_id, ${value.kind}, ${value.description}, ${value.details}, ${value.requestId}, ${value.count}, ${WINDOW},
  ${value.apiId}, ${value.authMethodId}, ${value.endpoint}, ${value.error} from clients where client_id = ${value.clientId}
on conflict (client_id, window_start, kind) do update set count = r.count + excluded.count, at = now(),
  description = excluded.description, details = excluded.details, request_id = excluded.request_id`,
});

async function insertRefusedRequest(refused: Waiting): Promise<void> {
  const row = { ...refused, details: JSON.stringify(refused.details) };
  if ((await refuseAgain(row)).length > 0) return;
  if ((await beginAttempt(callerLimits(REQUEST_KINDS, refused.ip))).kind === 'admitted')
    await refuseFirst(row);
}

const REQUEST_ROW = {
  /** id with the letter of its table: `r12`, `a34` */
  id: 'text',
  at: 'timestamptz',
  ok: 'boolean',
  endpoint: narrowTo<'authorize' | 'par' | 'token'>('text'),
  apiId: 'text?',
  authMethodId: 'text?',
  /** name of the audit event of a successful request; null: a refused request */
  event: 'text?',
  error: 'text?',
  description: 'text?',
  details: narrowTo<Record<string, unknown>>('jsonb'),
  requestId: 'text?',
  /** number of requests of this kind in ten minutes */
  count: 'int',
} as const;
export type RequestRow = ColdRow<typeof REQUEST_ROW>;

type OfClient = { clientId: string; failedOnly: boolean };

/** Returns SQL for the requests of a client, as RequestRows. `page`: SQL order and limit for both tables. */
const requestsOf = (
  { clientId, failedOnly }: OfClient,
  page: (kind: 'r' | 'a') => Sql,
): Sql => sql`with refused as (
    select 'r' || id as id, at, false as ok, endpoint, api_id, auth_method_id, null as event, error, description,
      details, request_id, count
    from refused_requests where client_id = ${clientId} and at > now() - interval '14 days' ${page('r')}
  ), granted as (
    select 'a' || id as id, at, true as ok, case event when 'code.issued' then 'authorize' else 'token' end as endpoint,
      api_id, auth_method_id, event, null as error, null as description, details, request_id, 1 as count
    from audit_events where client_id = ${clientId} and not ${failedOnly}
      and event = any (${GRANT_EVENTS}) ${page('a')}
  ), requests as (select * from refused union all select * from granted)`;

/** A client's last requests, refused or granted, newest first. */
export const REQUESTS: List<RequestRow, OfClient> = {
  orders: ['-at'],
  order: () => ({ name: '-at', shapes: [PARTS.time.shape, /^[ra]\d{1,18}$/] }),
  async select(filter, { after = null, before = null, limit }) {
    // writes refusals of this process first, so a page reload shows the last request
    await writeRefusedRequests();
    const [time, id] = before ?? after ?? [];
    const order = raw(before ? 'asc' : 'desc');
    const page = (kind: string) => {
      const beyond = sql`and (at, ${raw(`'${kind}' || id`)}) ${raw(before ? '>' : '<')} (${time}::timestamptz, ${id})`;
      return sql`${time === undefined ? raw('') : beyond} order by at ${order}, id ${order} limit ${limit}`;
    };
    const rows = await readRows(database(), { ...REQUEST_ROW, key: 'text[]' })`
      ${requestsOf(filter, page)}
      select id, at, ok, endpoint, api_id as "apiId", auth_method_id as "authMethodId", event, error, description,
        details, request_id as "requestId", count, array[at::text, id] as key
      from requests order by at ${order}, id ${order} limit ${limit}`;
    const keyedRows = rows.map(({ key, ...row }) => ({ key, row }));
    return before ? keyedRows.reverse() : keyedRows;
  },
  async count(filter, most) {
    const counted = sql`select count(*)::int as count from (select from requests limit ${most}) counted`;
    const row = await readRow(database(), {
      count: 'int',
    })`${requestsOf(filter, () => sql`limit ${most}`)} ${counted}`;
    return row?.count ?? 0;
  },
  // never needed, because a client has fewer rows than the count limit
  estimate: async () => 0,
};
