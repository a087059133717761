// The steps of a first day: what is done is ticked, and each line leads to where it is done.
import type { ReactNode } from 'react';
import { say } from '../_texts/say.tsx';
import { Form } from '../_ui/form.tsx';
import { Panel } from '../_ui/pieces.tsx';
import { Submit } from '../_ui/submit.tsx';
import type { FormStart } from '../_visit/start-form.ts';

export type ChecklistItem = {
  step: string;
  title: string;
  text: ReactNode;
  href: string;
  done: boolean;
  /** a word beside it: it waits for another person, or was only said to be done */
  aside?: string;
  /** the form that says it is done, or takes that back */
  mark?: { start: FormStart; done: boolean; label: string };
};

type ChecklistProps = {
  lead: string;
  items: readonly ChecklistItem[];
  /** `service` or `own` */
  list: string;
  away: FormStart;
};

export function Checklist({ lead, items, list, away }: ChecklistProps) {
  const done = items.filter((item) => item.done).length;
  return (
    <Panel
      id="first-day"
      heading={say('The first day')}
      lead={lead}
      aside={<span className="soft">{say('{done} of {all} done', { done, all: items.length })}</span>}
    >
      <progress
        className="checklist-bar"
        max={items.length}
        value={done}
        aria-label={say('Steps that are done')}
      />
      <ol className="checklist">
        {items.map((item) => (
          <Line key={item.step} {...item} />
        ))}
      </ol>
      <Form {...away} className="inline">
        <input type="hidden" name="list" value={list} />
        <input type="hidden" name="away" value="yes" />
        <Submit tone="link">{say('Put this list away')}</Submit>
      </Form>
    </Panel>
  );
}

function Line({ step, title, text, href, done, aside, mark }: ChecklistItem) {
  return (
    <li className={done ? 'done' : undefined}>
      <span className="checklist-mark" aria-hidden="true">
        {done ? '✓' : ''}
      </span>
      <div className="checklist-text">
        <p>
          <a href={href}>{title}</a>
          <span className="unseen">{done ? say('(done)') : say('(to do)')}</span>
          {aside && <span className="soft"> {aside}</span>}
        </p>
        {!done && <div className="soft">{text}</div>}
      </div>
      {mark && (
        <Form {...mark.start} className="inline">
          <input type="hidden" name="step" value={step} />
          <input type="hidden" name="done" value={mark.done ? 'yes' : ''} />
          <Submit tone="link" of={title}>
            {mark.label}
          </Submit>
        </Form>
      )}
    </li>
  );
}

/** Where the list was put away. */
export function BringBack({ list, start }: { list: string; start: FormStart }) {
  return (
    <Form {...start} className="inline">
      <input type="hidden" name="list" value={list} />
      <Submit tone="link">{say('Show the list of the first day again')}</Submit>
    </Form>
  );
}
