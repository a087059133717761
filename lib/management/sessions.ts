// Where people are signed in, for administrators: seen, and ended.
import { settings } from '#lib/settings/index.ts';
import {
  type Db,
  endSessionRow,
  endSignIns,
  inTransaction,
  type SessionRow,
  selectSessions,
} from '#lib/store/index.ts';
import { operation } from './operation.ts';
import {
  type Asked,
  HASH_PART,
  type Page,
  readPage,
  searchOf,
  TIME_PART,
  UUID_PART,
  withoutKey,
} from './page.ts';
import { findByRef } from './people.ts';
import { type Actor, requireAction } from './policy.ts';
import { record } from './record.ts';
import { Refused } from './refused.ts';

export type { SessionRow } from '#lib/store/index.ts';

export const pageSessions = operation(
  'pageSessions',
  async (
    actor: Actor,
    input: Asked & { personId?: string | undefined; kind?: 'sign-in' | 'console' | undefined } = {},
  ): Promise<Page<SessionRow>> => {
    requireAction(actor, 'sessions.read');
    const { personId = null } = input;
    if (personId !== null && !UUID_PART.test(personId)) return { rows: [], next: null };
    const page = await readPage(input, {
      parts: [TIME_PART, HASH_PART],
      select: (from) =>
        selectSessions({
          personId,
          kind: input.kind ?? null,
          search: searchOf(input),
          idleSeconds: settings().sessionIdleSeconds,
          ...from,
        }),
      key: (row) => [row.key, row.id],
    });
    return { ...page, rows: page.rows.map(withoutKey) };
  },
);

export const endSession = operation(
  'endSession',
  async (actor: Actor, input: { id: string }): Promise<void> => {
    requireAction(actor, 'sessions.end');
    await inTransaction(async (db: Db) => {
      const ended = HASH_PART.test(input.id) ? await endSessionRow(db, input.id, null) : null;
      if (!ended) throw new Refused('this session has ended already', 'not-found');
      await record(actor, { event: 'session.ended', ...ended }, db);
    });
  },
);

/** Signs a person out everywhere, and ends their tokens. */
export const endSessionsOf = operation(
  'endSessionsOf',
  async (actor: Actor, input: { personId: string }): Promise<void> => {
    requireAction(actor, 'sessions.end');
    await inTransaction(async (db: Db) => {
      const person = await findByRef(db, { id: input.personId });
      await endSignIns(db, person.id, 'signed out by an administrator');
      const details = { reason: 'all of them' };
      await record(actor, { event: 'session.ended', personId: person.id, details }, db);
    });
  },
);
