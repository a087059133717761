// What a connection test found, taken to the page after its form: the address holds its id, for the session that asked,
// and for ten minutes.
import type { ConnectionTest } from '#lib/management/connections/step.ts';
import { findInSession, type StateReader, storeInSession } from '#lib/sessions/page-state.ts';
import { withoutCredentials } from './draft.ts';

/** `of`: the page and the part of it that shows the result. Null: the session has ended. */
export const storeResult = (of: string, test: ConnectionTest, actor: StateReader): Promise<string | null> =>
  storeInSession({ kind: 'test result', about: of }, withoutCredentials(test), actor.session.idHash);

/** Null: it is about something else, of another session, or too old. */
export async function findResult(
  id: string | undefined,
  of: string,
  actor: StateReader,
): Promise<ConnectionTest | null> {
  const found = await findInSession<ConnectionTest>(id, { kind: 'test result', about: of }, actor);
  return found?.value ?? null;
}
