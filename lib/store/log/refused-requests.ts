// Why clients' requests were refused, for their developers: of each kind in ten minutes the newest and how many there
// were; of each client the newest 200, none older than two weeks. Written after the answer; a request that succeeds
// costs nothing.
import { setTimeout as sleep } from 'node:timers/promises';
import { widestAddressBlock } from '#lib/http/peer-address.ts';
import { inBackground } from '#lib/kit/background.ts';
import { log } from '#lib/kit/log.ts';
import { sha256 } from '#lib/kit/random.ts';
import { type List, PARTS } from '../database/list.ts';
import { query } from '../database/pool.ts';
import { raw, type Sql, sql } from '../database/sql.ts';
import { statement } from '../database/statement.ts';
import { callerLimits } from '../tokens/limits.ts';
import { beginAttempt } from '../tokens/rate-limits.ts';
import { WINDOW } from './refusals.ts';

/** Of each client, since strangers can send refused requests in its name. */
const KEPT = 200;
/** How many kinds are noted for all clients together. */
const KINDS = { what: 'refused requests', each: 300, windowSeconds: 600, all: 2_000, allSeconds: 600 };

export type RefusedRequest = {
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

/** Kinds in memory at once; more are not noted. */
const MAX_WAITING = 100;
const WRITE_AFTER_MS = 300;
const waiting = new Map<string, Waiting>();
type Waiting = RefusedRequest & { kind: Buffer; count: number };
let isDue = false;

/**
 * Written a moment later, together with others: if noting a known client's refusal delayed the next request, that would
 * tell that the client exists.
 */
export function noteRefusedRequest(refused: RefusedRequest): void {
  const { clientId, apiId, authMethodId, endpoint, error, description, details, ip } = refused;
  // what the caller sent is in quotes, and does not make a kind of its own
  const said = description.replace(/'[^']*'/g, "''");
  const from = ip === null ? null : widestAddressBlock(ip);
  const kind = sha256(JSON.stringify([endpoint, apiId, authMethodId, error, said, details['reason'], from]));
  const key = `${clientId} ${kind.toString('latin1')}`;
  const count = waiting.get(key)?.count ?? 0;
  if (count === 0 && waiting.size >= MAX_WAITING) return;
  // they are written in the order of the map, and the last one written is the newest
  waiting.delete(key);
  waiting.set(key, { ...refused, kind, count: count + 1 });
  if (isDue) return;
  isDue = true;
  const later = sleep(WRITE_AFTER_MS * (1 + Math.random()), undefined, { ref: false });
  inBackground(later.then(writeRefusedRequests));
}

let writing: Promise<void> = Promise.resolve();

/** Writes what has been noted since the last time, one after the other: a storm of refusals takes one connection. */
function writeRefusedRequests(): Promise<void> {
  isDue = false;
  writing = writing.then(writeWaiting);
  return writing;
}

async function writeWaiting(): Promise<void> {
  const all = [...waiting.values()];
  waiting.clear();
  for (const one of all) {
    await insertRefusedRequest(one).catch((error: Error) =>
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
  const given = { ...refused, details: JSON.stringify(refused.details) };
  if ((await refuseAgain(given)).length > 0) return;
  if ((await beginAttempt(callerLimits(KINDS, refused.ip))).kind === 'admitted') await refuseFirst(given);
}

export type RequestRow = {
  /** of one kind each: `r12`, `a34` */
  id: string;
  at: Date;
  ok: boolean;
  endpoint: 'authorize' | 'par' | 'token';
  apiId: string | null;
  authMethodId: string | null;
  /** of a success: the audit log's event */
  event: string | null;
  error: string | null;
  description: string | null;
  details: Record<string, unknown>;
  requestId: string | null;
  /** of its kind, in ten minutes */
  count: number;
};

type OfClient = { clientId: string; failedOnly: boolean };

/** Of one client, as RequestRows. `page`: the order and limit of each of the two. */
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
      and event in ('code.issued', 'token.issued', 'token.refreshed', 'token.exchanged') ${page('a')}
  ), requests as (select * from refused union all select * from granted)`;

/** A client's last requests, refused and granted, the newest first. */
export const REQUESTS: List<RequestRow, OfClient> = {
  orders: ['-at'],
  order: () => ({ name: '-at', shapes: [PARTS.time.shape, /^[ra]\d{1,18}$/] }),
  async select(asked, { after = null, before = null, limit }) {
    // at least this process's, so that a developer who reloads the page sees the last request
    await writeRefusedRequests();
    const [time, id] = before ?? after ?? [];
    const order = raw(before ? 'asc' : 'desc');
    const page = (kind: string) => {
      const beyond = sql`and (at, ${raw(`'${kind}' || id`)}) ${raw(before ? '>' : '<')} (${time}::timestamptz, ${id})`;
      return sql`${time === undefined ? raw('') : beyond} order by at ${order}, id ${order} limit ${limit}`;
    };
    const rows = await query<RequestRow & { key: string[] }>(sql`${requestsOf(asked, page)}
      select id, at, ok, endpoint, api_id as "apiId", auth_method_id as "authMethodId", event, error, description,
        details, request_id as "requestId", count, array[at::text, id] as key
      from requests order by at ${order}, id ${order} limit ${limit}`);
    const found = rows.map(({ key, ...row }) => ({ key, row }));
    return before ? found.reverse() : found;
  },
  async count(asked, most) {
    const counted = sql`select count(*)::int as count from (select from requests limit ${most}) counted`;
    const [row] = await query<{ count: number }>(
      sql`${requestsOf(asked, () => sql`limit ${most}`)} ${counted}`,
    );
    return row?.count ?? 0;
  },
  // a client has no more than are counted
  estimate: async () => 0,
};
