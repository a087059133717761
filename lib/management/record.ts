// What an operation leaves in the audit log says who did it, by which request and from where. The actor brings all three,
// so that no operation can leave one out (a test forbids every other way to the log in this room).
import { type AuditEvent, recordEvent } from '#lib/audit/index.ts';
import type { Db } from '#lib/store/index.ts';
import { type Actor, authorNames, type RequestFacts } from './policy.ts';

/** Who did it, where nobody is signed in: the holder of a link, or nobody that is known. */
export type Author = { kind: 'link'; personId: string | null; request: RequestFacts };

type Authored = 'actor' | 'requestId' | 'ip';
type WithoutAuthor<Event> = Event extends unknown ? Omit<Event, Authored> : never;

export function record(by: Actor | Author, event: WithoutAuthor<AuditEvent>, db?: Db): Promise<void> {
  return recordEvent({ ...event, ...authorOf(by) } as AuditEvent, db);
}

/** The same for the rooms below, which write their own events. */
export function authorOf(by: Actor | Author) {
  // neither the command line nor the configuration file comes by a request
  const request = 'request' in by ? by.request : null;
  return { actor: nameOf(by), requestId: request?.id, ip: request?.ip ?? undefined };
}

function nameOf(by: Actor | Author): string | undefined {
  if (by.kind === 'link') return by.personId ?? undefined;
  return by.kind === 'person' ? by.id : authorNames[by.kind];
}
