// Writes audit events with who did it, by which request and from where; all three come from the actor. A test forbids
// other ways to the audit log in this room.
import { recordEvent } from '#lib/audit/audit-log.ts';
import type { AuditEvent } from '#lib/audit/events.ts';
import type { Db } from '#lib/store/database/prisma.ts';
import { type Actor, authorNames, type RequestFacts } from './policy.ts';

/** Who did it without a sign-in: the holder of a link; `personId` null: unknown. */
export type Author = { kind: 'link'; personId: string | null; request: RequestFacts };

type Authored = 'actor' | 'requestId' | 'ip';
type WithoutAuthor<Event> = Event extends unknown ? Omit<Event, Authored> : never;

export function record(by: Actor | Author, event: WithoutAuthor<AuditEvent>, db?: Db): Promise<void> {
  return recordEvent({ ...event, ...authorOf(by) } as AuditEvent, db);
}

/** For rooms that write their own events. */
export function authorOf(by: Actor | Author) {
  // operator and configuration have no request
  const request = 'request' in by ? by.request : null;
  return { actor: nameOf(by), requestId: request?.id, ip: request?.ip ?? undefined };
}

function nameOf(by: Actor | Author): string | undefined {
  if (by.kind === 'link') return by.personId ?? undefined;
  if (by.kind === 'machine') return `client:${by.clientId}`;
  return by.kind === 'person' ? by.id : authorNames[by.kind];
}
