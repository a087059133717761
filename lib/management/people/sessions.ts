// Where people are signed in, for administrators: seen, and ended.
import type { SessionRow } from '#lib/registry/objects/session.ts';
import { settings } from '#lib/settings/settings.ts';
import { isHash, isUuid } from '#lib/store/database/list.ts';
import { endSignIns } from '#lib/store/endings/endings.ts';
import { searchPeople } from '#lib/store/people/people-search.ts';
import { endSessionRow, SESSIONS } from '#lib/store/people/session-list.ts';
import { operation } from '../core/operation.ts';
import { type Asked, type Page, readPage, typedSearchOf } from '../core/page.ts';
import { record } from '../core/record.ts';
import { Refused } from '../core/refused.ts';
import { findByRef } from './people.ts';

export const pageSessions = operation(
  'pageSessions',
  async (
    _,
    input: Asked & { personId?: string | undefined; kind?: 'sign-in' | 'console' | undefined } = {},
  ): Promise<Page<SessionRow>> => {
    const { personId = null, kind = null } = input;
    if (personId !== null && !isUuid(personId)) return { rows: [], next: null, previous: null };
    const { sessionIdleSeconds: idleSeconds } = settings();
    const search = await searchPeople(typedSearchOf(input));
    return readPage(SESSIONS, input, { personId, kind, search, idleSeconds });
  },
);

export const endSession = operation(
  'endSession',
  async ({ actor, db }, input: { id: string }): Promise<void> => {
    const ended = isHash(input.id) && (await endSessionRow(db, input.id, null));
    if (!ended) throw new Refused('own_account.session_gone');
    await record(actor, { event: 'session.ended', ...ended }, db);
  },
);

/** Signs a person out everywhere, and ends their tokens. */
export const endSessionsOf = operation(
  'endSessionsOf',
  async ({ actor, db }, input: { personId: string }): Promise<void> => {
    const person = await findByRef(db, { id: input.personId });
    await endSignIns(db, person.id, 'signed out by an administrator');
    const details = { reason: 'all of them' };
    await record(actor, { event: 'session.ended', personId: person.id, details }, db);
  },
);
