// A notice is shown once: the address after a form holds its id, and the page that shows the notice deletes it. A page
// that is loaded again, kept or sent on says nothing of it.
import type { EnglishSentence } from '#lib/language/message.ts';
import { type StateReader, storeInSession, takeFromSession } from '#lib/sessions/page-state.ts';

/** Why something was not done. `of`: its name, where it was one of several. */
export type Problem = { of?: string; why: EnglishSentence };

/** `undo`: the fields of the form that takes back what was done, of which one name may come several times. */
export type Telling = {
  about: string | EnglishSentence | null;
  /** what was not done */
  problems?: readonly Problem[];
  undo?: readonly (readonly [name: string, value: string])[];
};

/** `notice`: its name. `about`: what was decided on, in the words that people have for it. Null: the session has ended. */
export const storeNotice = (notice: string, telling: Telling, actor: StateReader): Promise<string | null> =>
  storeInSession({ kind: 'notice', about: notice }, telling, actor.session.idHash);

/**
 * What the notice says, and how many seconds ago it was; undefined: it is no notice of this session and name, or was
 * shown, or is too old.
 */
export async function takeNotice(
  id: string,
  notice: string | undefined,
  actor: StateReader,
): Promise<(Telling & { secondsAgo: number }) | undefined> {
  const found = await takeFromSession<Telling>(id, { kind: 'notice', about: notice ?? '' }, actor);
  return found === null ? undefined : { ...found.value, secondsAgo: Math.floor(found.secondsAgo) };
}
