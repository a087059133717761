// Result of a connection test. It is stored for ten minutes for the session that requested the test. The
// address of the next page refers to the result, and that page renders it in the reader's language.
import type { ConnectionTest, TestStep } from '#lib/management/connection-steps.ts';
import { findInSession, type StateReader, storeInSession } from '#lib/sessions/page-state.ts';
import type { PageWords } from '../_texts/page-words.ts';
import { toSay } from '../_texts/to-say.ts';
import { withoutCredentials } from './draft.ts';
import type { SaidTest } from './test-steps.tsx';

/** `of`: page and part of the page that show the result. Null: the session has ended. */
export const storeResult = (of: string, test: ConnectionTest, actor: StateReader): Promise<string | null> =>
  storeInSession({ kind: 'test result', about: of }, withoutCredentials(test), actor.session.idHash);

/** Returns null if the result belongs to another subject or session, or has expired. */
export async function findResult(
  id: string | undefined,
  of: string,
  actor: StateReader,
): Promise<ConnectionTest | null> {
  const storedTest = await findInSession<ConnectionTest>(id, { kind: 'test result', about: of }, actor);
  return storedTest?.value ?? null;
}

// Texts for the result of a connection test, in the language of the page.

const STATES = toSay({
  ok: { tone: 'good', word: 'works' },
  warning: { tone: 'waiting', word: 'warning' },
  broken: { tone: 'refused', word: 'fails' },
  skipped: { tone: 'neutral', word: 'not tested' },
});

const WHOLE = toSay({
  ok: { tone: 'good', text: 'Works, as far as this can be tested.' },
  warning: { tone: 'waiting', text: 'Works, with a warning.' },
  broken: { tone: 'refused', text: 'Does not work yet. The necessary changes are listed below.' },
});

const FACTS = toSay({ sent: 'Sent:', answered: 'Received:', took: '{tookMs} ms', steps: 'Steps' });

type Say = PageWords['say'];

export function testInWords(say: Say, { state, steps }: ConnectionTest): SaidTest {
  const { tone, text } = WHOLE[state];
  return { tone, text: say(text), label: say(FACTS.steps), steps: steps.map((step) => stepIn(say, step)) };
}

function stepIn(say: Say, { check, state, sent, answered, tookMs, found, change }: TestStep) {
  const { tone, word } = STATES[state];
  return {
    check: say(check.text, check.values),
    tone,
    state: say(word),
    found: say(found.text, found.values),
    change: change && say(change.text, change.values),
    facts: [
      ...(sent ? [{ name: say(FACTS.sent), code: sent }] : []),
      ...(answered ? [{ name: say(FACTS.answered), code: answered }] : []),
      ...(tookMs === null ? [] : [{ name: say(FACTS.took, { tookMs }) }]),
    ],
  };
}
