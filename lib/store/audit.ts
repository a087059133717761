// Audit events: written with the change that they describe, read in pages and as they come.
import { type Db, ownConnection } from './transaction.ts';

export type NewAuditEvent = {
  event: string;
  actor?: string | undefined;
  personId?: string | undefined;
  clientId?: string | undefined;
  apiId?: string | undefined;
  authMethodId?: string | undefined;
  requestId?: string | undefined;
  ip?: string | undefined;
  details: object;
};

export async function insertAuditEvent(event: NewAuditEvent, tx: Db = ownConnection): Promise<void> {
  await tx.query({
    text: `insert into audit_events
      (event, actor, person_id, client_id, api_id, auth_method_id, request_id, ip, details)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    values: [
      event.event,
      event.actor ?? null,
      event.personId ?? null,
      event.clientId ?? null,
      event.apiId ?? null,
      event.authMethodId ?? null,
      event.requestId ?? null,
      event.ip ?? null,
      JSON.stringify(event.details),
    ],
  });
}

/** An event as it stands in the log. */
export type AuditRecord = {
  id: string;
  at: Date;
  event: string;
  actor: string | null;
  personId: string | null;
  clientId: string | null;
  apiId: string | null;
  authMethodId: string | null;
  requestId: string | null;
  ip: string | null;
  details: Record<string, unknown>;
};

/**
 * What is not named is not asked about. `event`: a name, or its part up to the dot (`subscription.`); `actor`: a person's id,
 * `operator`, `config` or `system`.
 */
export type AuditFilter = {
  since?: Date | undefined;
  until?: Date | undefined;
  event?: string | undefined;
  actor?: string | undefined;
  personId?: string | undefined;
  clientId?: string | undefined;
  apiId?: string | undefined;
  requestId?: string | undefined;
};

/** After an event, by id; or the newest, the oldest of them first. */
export async function selectAuditEvents(
  asked: AuditFilter & { limit: number; afterId: string | null },
): Promise<AuditRecord[]> {
  const following = asked.afterId !== null;
  const rows = await ownConnection.query<AuditRecord>({
    text: `select ${EVENT} from audit_events c where ${MATCHES} and ($9::bigint is null or c.id > $9::bigint)
      order by c.id ${following ? 'asc' : 'desc'} limit $10`,
    values: [...matching(asked), asked.afterId, asked.limit],
  });
  return following ? rows : rows.reverse();
}

export type AuditRow = AuditRecord & {
  /** the actor's address, where it is a person that is still there */
  actorEmail: string | null;
  personEmail: string | null;
  key: string;
};

const UUID = `'^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'`;

/** In pages, the newest first. */
export async function selectAuditPage(
  asked: AuditFilter & { after: [time: string, id: string] | null; limit: number },
): Promise<AuditRow[]> {
  return ownConnection.query<AuditRow>({
    text: `with chosen as (
        select * from audit_events c where ${MATCHES}
          and ($9::timestamptz is null or (c.at, c.id) < ($9::timestamptz, $10::bigint))
        order by c.at desc, c.id desc limit $11
      )
      select ${EVENT}, a.email as "actorEmail", p.email as "personEmail", c.at::text as key
      from chosen c left join people a on a.id = case when c.actor ~ ${UUID} then c.actor::uuid end
        left join people p on p.id = c.person_id
      order by c.at desc, c.id desc`,
    values: [...matching(asked), asked.after?.[0] ?? null, asked.after?.[1] ?? null, asked.limit],
  });
}

const EVENT = `c.id::text as id, c.at, c.event, c.actor, c.person_id as "personId", c.client_id as "clientId",
  c.api_id as "apiId", c.auth_method_id as "authMethodId", c.request_id as "requestId", c.ip, c.details`;

/** SQL, of the event `c` and the values of `matching`. */
const MATCHES = `($1::text is null or c.event = $1 or ($1 like '%.' and starts_with(c.event, $1)))
  and ($2::text is null or c.actor = $2) and ($3::uuid is null or c.person_id = $3)
  and ($4::text is null or c.client_id = $4) and ($5::text is null or c.api_id = $5)
  and ($6::text is null or c.request_id = $6)
  and ($7::timestamptz is null or c.at >= $7) and ($8::timestamptz is null or c.at < $8)`;

function matching({
  event,
  actor,
  personId,
  clientId,
  apiId,
  requestId,
  since,
  until,
}: AuditFilter): unknown[] {
  return [event, actor, personId, clientId, apiId, requestId, since, until].map((value) => value ?? null);
}

export type SignInRow = {
  id: string;
  at: Date;
  kind: 'sign-in' | 'console' | 'password-grant';
  authMethodId: string | null;
  methodName: string | null;
  clientId: string | null;
  ip: string | null;
  key: string;
};

/** Where and how somebody signed in as this person, the newest first: from the audit log. */
export async function selectSignIns(asked: {
  personId: string;
  after: [time: string, id: string] | null;
  limit: number;
}): Promise<SignInRow[]> {
  return ownConnection.query<SignInRow>({
    text: `select e.id::text as id, e.at, e.auth_method_id as "authMethodId", m.name as "methodName",
        e.client_id as "clientId", e.ip, e.at::text as key,
        case when e.event = 'token.issued' then 'password-grant' else coalesce(e.details ->> 'kind', 'sign-in') end as kind
      from audit_events e left join auth_methods m on m.id = e.auth_method_id
      where e.person_id = $1 and (e.event = 'sign_in.succeeded'
          or (e.event = 'token.issued' and e.details ->> 'grant_type' = 'password'))
        and ($2::timestamptz is null or (e.at, e.id) < ($2::timestamptz, $3::bigint))
      order by e.at desc, e.id desc limit $4`,
    values: [asked.personId, asked.after?.[0] ?? null, asked.after?.[1] ?? null, asked.limit],
  });
}
