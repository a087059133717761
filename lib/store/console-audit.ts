// The audit log in pages, the newest first, and the few counts that the console's first pages show.
import { decidableBy } from './console-subscriptions.ts';
import type { AuditRecord } from './registry-audit.ts';
import { ownConnection } from './registry-db.ts';

export type AuditRow = AuditRecord & {
  /** the actor's address, where it is a person that is still there */
  actorEmail: string | null;
  personEmail: string | null;
  key: string;
};

const UUID = `'^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'`;

/** Each part that is null is not asked about; an event that ends in a dot asks for all that begin with it. */
export async function selectAuditPage(asked: {
  event: string | null;
  actor: string | null;
  personId: string | null;
  clientId: string | null;
  apiId: string | null;
  requestId: string | null;
  since: Date | null;
  until: Date | null;
  after: [time: string, id: string] | null;
  limit: number;
}): Promise<AuditRow[]> {
  return ownConnection.query<AuditRow>({
    text: `with chosen as (
        select * from audit_events e
        where ($1::text is null or e.event = $1 or ($1 like '%.' and starts_with(e.event, $1)))
          and ($2::text is null or e.actor = $2) and ($3::uuid is null or e.person_id = $3)
          and ($4::text is null or e.client_id = $4) and ($5::text is null or e.api_id = $5)
          and ($6::text is null or e.request_id = $6)
          and ($7::timestamptz is null or e.at >= $7) and ($8::timestamptz is null or e.at < $8)
          and ($9::timestamptz is null or (e.at, e.id) < ($9::timestamptz, $10::bigint))
        order by e.at desc, e.id desc limit $11
      )
      select c.id::text as id, c.at, c.event, c.actor, a.email as "actorEmail", c.person_id as "personId",
        p.email as "personEmail", c.client_id as "clientId", c.api_id as "apiId", c.auth_method_id as "authMethodId",
        c.request_id as "requestId", c.ip, c.details, c.at::text as key
      from chosen c left join people a on a.id = case when c.actor ~ ${UUID} then c.actor::uuid end
        left join people p on p.id = c.person_id
      order by c.at desc, c.id desc`,
    values: [
      asked.event,
      asked.actor,
      asked.personId,
      asked.clientId,
      asked.apiId,
      asked.requestId,
      asked.since,
      asked.until,
      asked.after?.[0] ?? null,
      asked.after?.[1] ?? null,
      asked.limit,
    ],
  });
}

/** How many requests wait for this approver; null as the address: for an administrator. */
export async function countPending(approver: string | null): Promise<number> {
  const [row] = await ownConnection.query<{ count: number }>({
    text: `select count(*)::int as count from subscriptions s join apis a on a.id = s.api_id
      where s.state = 'pending' and ${decidableBy('$1')}`,
    values: [approver],
  });
  return row?.count ?? 0;
}

export type RegistryCounts = {
  apis: number;
  authMethods: number;
  clients: number;
  people: number;
  subscriptions: number;
  sessions: number;
};

export async function countRegistry(): Promise<RegistryCounts> {
  const [row] = await ownConnection.query<RegistryCounts>({
    text: `select (select count(*)::int from apis) as apis, (select count(*)::int from auth_methods) as "authMethods",
      (select count(*)::int from clients) as clients, (select count(*)::int from people) as people,
      (select count(*)::int from subscriptions) as subscriptions,
      (select count(*)::int from sessions where ended_at is null and expires_at > now()) as sessions`,
  });
  if (!row) throw new Error('the registry could not be counted');
  return row;
}
