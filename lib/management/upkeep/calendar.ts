// What expires, at an address that a calendar program subscribes to. The address is the right: it is shown once, kept
// as a hash, and counts as long as the person who made it has the role. Nothing in it is about a person.
import { countAttempt, TooManyAttempts } from '#lib/auth-methods/index.ts';
import { now, randomToken, sha256, VERSION } from '#lib/kit/index.ts';
import { settings } from '#lib/settings/index.ts';
import {
  attemptLimit,
  type CalendarRow,
  type ChecklistName,
  callerLimits,
  deleteCalendar,
  findCalendar,
  noteCalendarRead,
  replaceCalendar,
  selectCalendars,
} from '#lib/store/index.ts';
import {
  type Action,
  type Actor,
  mayDo,
  operation,
  Refused,
  type RequestFacts,
  record,
  requireAction,
  requirePerson,
} from '../core/index.ts';
import { eventOf } from './calendar-events.ts';
import { listExpiring, MOST_DAYS } from './expiring.ts';
import { writeCalendar } from './icalendar.ts';

const RIGHTS = { service: 'keys.read', own: 'clients.see-own' } as const satisfies Record<
  ChecklistName,
  Action
>;

type Of = { list: ChecklistName };

const addressOf = (token: string) => `${settings().baseUrl}/calendar/${token}.ics`;

export const listMyCalendars = operation(
  'listMyCalendars',
  ({ actor, db }): Promise<CalendarRow[]> => selectCalendars(db, requirePerson(actor).id),
);

/** The address, which nothing shows again. The one before ends. */
export const renewCalendar = operation(
  'renewCalendar',
  async ({ actor, db }, { list }: Of): Promise<{ address: string }> => {
    requireAction(actor, RIGHTS[list]);
    const { id: personId } = requirePerson(actor);
    const token = randomToken('');
    const replaced = await replaceCalendar(db, { personId, list, tokenHash: sha256(token) });
    await record(actor, { event: 'calendar.made', personId, details: { list, replaced } }, db);
    return { address: addressOf(token) };
  },
);

export const removeCalendar = operation(
  'removeCalendar',
  async ({ actor, db }, { list }: Of): Promise<void> => {
    requireAction(actor, RIGHTS[list]);
    const { id: personId } = requirePerson(actor);
    if (!(await deleteCalendar(db, personId, list))) throw new Refused('calendar.none');
    await record(actor, { event: 'calendar.removed', personId, details: { list } }, db);
  },
);

/** Wrong addresses of one place, and of everybody; a calendar program asks once in an hour or a day. */
const CALLERS = { what: 'calendar', each: 60, windowSeconds: 900, all: 200, allSeconds: 10 };
const READS = 30;

export type CalendarAnswer =
  | { kind: 'file'; text: string }
  | { kind: 'none' }
  | { kind: 'slow-down'; retryAfterSeconds: number };

/** `none`: no such address, or its person may not see the list any more; which of them is not said. */
export async function readCalendar(token: string, request: RequestFacts): Promise<CalendarAnswer> {
  const context = { requestId: request.id, ip: request.ip };
  try {
    await countAttempt(callerLimits(CALLERS, request.ip), context);
    const tokenHash = sha256(token);
    const owner = await findCalendar(tokenHash);
    if (!owner || owner.disabled) return { kind: 'none' };
    const { personId, list, roles } = owner;
    const actor: Actor = {
      kind: 'person',
      id: personId,
      email: null,
      roles,
      signedInAt: null,
      request,
    };
    if (!mayDo(actor, RIGHTS[list])) return { kind: 'none' };
    await countAttempt([attemptLimit('calendar', tokenHash.toString('hex'), READS)], context);
    await noteCalendarRead(tokenHash);
    return { kind: 'file', text: await fileOf(actor, list) };
  } catch (error) {
    if (!(error instanceof TooManyAttempts)) throw error;
    return { kind: 'slow-down', retryAfterSeconds: error.waitSeconds };
  }
}

async function fileOf(actor: Actor, list: ChecklistName): Promise<string> {
  const rows = await listExpiring(actor, { own: list === 'own', days: MOST_DAYS });
  const { serviceName } = settings();
  return writeCalendar({
    name: list === 'own' ? `${serviceName}: my applications` : `${serviceName}: what expires`,
    product: `-//Gatehouse//Gatehouse ${VERSION}//EN`,
    made: now(),
    events: rows.map((row) => eventOf(row, list)),
  });
}
