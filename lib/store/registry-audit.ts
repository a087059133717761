// Audit events: written with the change they describe, read by the console and the command line.
import { type Db, ownConnection } from './registry-db.ts';

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

type AuditRow = {
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

const COLUMNS = `id::text as id, at, event, actor, person_id as "personId", client_id as "clientId", api_id as "apiId",
  auth_method_id as "authMethodId", request_id as "requestId", ip, details`;

export async function selectAuditEvents(asked: {
  since: Date | null;
  limit: number;
  afterId: string | null;
}): Promise<AuditRow[]> {
  const following = asked.afterId !== null;
  const rows = await ownConnection.query<AuditRow>({
    text: `select * from (
        select ${COLUMNS} from audit_events
        where ($1::timestamptz is null or at >= $1) and ($2::bigint is null or audit_events.id > $2)
        order by audit_events.id ${following ? 'asc' : 'desc'} limit $3
      ) chosen order by chosen.id::bigint`,
    values: [asked.since, asked.afterId, asked.limit],
  });
  return rows;
}
