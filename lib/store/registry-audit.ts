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

/** SQL: it takes the database's time, and a refused token request, which writes one too, must not wait for Prisma. */
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

/** What is not named is not asked about; an event that ends in a dot stands for all that begin with it. */
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

export async function selectAuditEvents(
  asked: AuditFilter & { limit: number; afterId: string | null },
): Promise<AuditRecord[]> {
  const { since, until, event, actor, personId, clientId, apiId, requestId } = asked;
  const following = asked.afterId !== null;
  const rows = await ownConnection.orm((prisma) =>
    prisma.auditEvent.findMany({
      where: {
        at: { ...(since && { gte: since }), ...(until && { lt: until }) },
        ...(event && { event: event.endsWith('.') ? { startsWith: event } : event }),
        ...(actor && { actor }),
        ...(personId && { personId }),
        ...(clientId && { clientId }),
        ...(apiId && { apiId }),
        ...(requestId && { requestId }),
        ...(asked.afterId !== null && { id: { gt: BigInt(asked.afterId) } }),
      },
      orderBy: { id: following ? 'asc' : 'desc' },
      take: asked.limit,
    }),
  );
  const events = rows.map((row) => ({
    ...row,
    id: row.id.toString(),
    details: row.details as Record<string, unknown>,
  }));
  return following ? events : events.reverse();
}
