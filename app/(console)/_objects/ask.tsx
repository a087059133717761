// The panel of a question: what ends with it, and the button that does it.

import type { ReactNode } from 'react';
import { QUESTIONS, type QuestionName } from '../_forms/questions.ts';
import { say, spoken } from '../_texts/say.tsx';
import { toSay } from '../_texts/to-say.ts';
import { Form } from '../_ui/form.tsx';
import { Panel } from '../_ui/pieces.tsx';
import type { Visit } from '../_visit/visit.tsx';
import { Consequences } from './consequences.tsx';

type Asking = {
  /** what the form is about, and the version that was seen */
  fields: Record<string, string | number>;
  /** what it is called */
  of: string;
  /** the page that it came from */
  leave: string;
};

type Visited = Pick<Visit, 'actor' | 'form' | 'typed'>;

export async function ask(visit: Visited, name: QuestionName, { fields, of, leave }: Asking) {
  const { words } = QUESTIONS[name];
  return (
    <Panel
      id="question"
      heading={spoken().told(words.heading(of, String(fields['role'] ?? '')))}
      lead={say(words.lead)}
    >
      <Form
        {...(await visit.form(name))}
        fields={fields}
        submit={say(words.submit)}
        tone="danger"
        leave={{ href: leave, label: say(words.leave) }}
      >
        {await consequences(visit, name, fields)}
      </Form>
    </Panel>
  );
}

/** What ends, for a form that asks on the page of the object. */
export async function consequences(
  { actor, typed }: Visited,
  name: QuestionName,
  fields: Asking['fields'],
): Promise<ReactNode> {
  const { words, foresee } = QUESTIONS[name];
  return (
    <Consequences
      of={await foresee(actor, fields)}
      heading={say(words.what ?? toSay('What ends with it'))}
      agreed={typed(name).one('confirmed')}
      asks={typed(name).confirming}
    />
  );
}

/** The page of a question that has been answered already, or is not to be asked. */
export function AskedInVain({ why, leave }: { why: string; leave: string }) {
  return (
    <Panel id="question" heading={say('There is nothing to do')}>
      <p>{why}</p>
      <div className="form-actions">
        <a className="button quiet" href={leave}>
          {say('Back')}
        </a>
      </div>
    </Panel>
  );
}
