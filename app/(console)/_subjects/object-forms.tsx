// The edit form of an object, and the confirmation with its consequences and its button.
import type { ReactNode } from 'react';
import { type EnglishSentence, english } from '#lib/language/message.ts';
import type { Consequences as Found } from '#lib/management/consequences.ts';
import { ASKED_ID, addedSince, agreementTo, type Broken, brokenBy } from '../_kit/console-form.ts';
import type { FormValues } from '../_kit/draft.ts';
import { Form } from '../_kit/form.tsx';
import type { FormStart } from '../_kit/page-start.tsx';
import { Callout, Panel } from '../_kit/pieces.tsx';
import { QUESTIONS, type QuestionName } from '../_kit/questions.ts';
import type { Visit } from '../_kit/visit.tsx';
import { currentWords, say } from '../_texts/say.tsx';
import { toSay } from '../_texts/to-say.ts';

/** Maximum number of listed consequences; only the number of the others is shown. */
const MOST = 10;

type ConsequencesProps = {
  of: Found & { counted?: EnglishSentence[] };
  heading: string;
  /** the digests that the user confirmed; empty: the page is shown for the first time */
  agreed: string;
  /** true: shown because the submitted form needs confirmation; false: the page always shows the consequences */
  asks?: boolean;
};

/** Consequences of saving or deleting, and the field `confirmed`, which confirms exactly these consequences. */
export function Consequences({ of, heading, agreed, asks = true }: ConsequencesProps) {
  const { told } = currentWords();
  const added = (agreed !== '' && addedSince(agreed, of)) || [];
  const agreedItems = brokenBy(of).filter(({ digest }) => !added.some((item) => item.digest === digest));
  const lines = [
    ...(of.counted ?? []).map((line) => ({ line })),
    ...agreedItems.filter(({ kind }) => kind === 'pending'),
    ...few(agreedItems.filter(({ kind }) => kind === 'access')),
    ...(of.endsTokens > 0 ? [{ line: tokens(of.endsTokens, of.people) }] : []),
    ...agreedItems.filter(({ kind }) => kind === 'warning'),
  ].map(({ line }) => told(line));
  return (
    <Callout tone="refused" {...(asks && { landing: ASKED_ID })}>
      {added.length > 0 && (
        <>
          <p>
            <strong>{say('New since you opened this page')}</strong>
          </p>
          <Lines lines={few(added).map(({ line }) => told(line))} />
        </>
      )}
      <p>
        <strong>{heading}</strong>
      </p>
      {lines.length === 0 ? <p>{say('Nothing else depends on it.')}</p> : <Lines lines={lines} />}
      <input type="hidden" name="confirmed" value={agreementTo(of)} />
    </Callout>
  );
}

function few(broken: Broken[]): { line: EnglishSentence }[] {
  const more = broken.length - MOST;
  return [...broken.slice(0, MOST), ...(more > 0 ? [{ line: english('And {more} more.', { more }) }] : [])];
}

function Lines({ lines }: { lines: string[] }) {
  return (
    <ul>
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

function tokens(count: number, people: number): EnglishSentence {
  return english(
    '{people, plural, one {One person} other {# people}} must sign in again: {count, plural, one {# active sign-in ends} other {# active sign-ins end}}.',
    { people, count },
  );
}

type Editing = {
  /** hidden fields: the id of the object, and the version that was displayed */
  fields: Record<string, string | number>;
  /** the object's page */
  leave: string;
  /** consequences of saving, if the form must be confirmed */
  preview: (values: FormValues) => Promise<Found>;
  /** second button, which tests the input */
  also?: { intent: string; label: string } | undefined;
  children: (values: FormValues, start: FormStart) => ReactNode;
};

/** The form with the settings of an object. `name`: name of the form. */
export async function renderEdit(
  { form, typed }: Pick<Visit, 'form' | 'typed'>,
  name: string,
  { fields, leave, preview, also, children }: Editing,
): Promise<ReactNode> {
  const values = typed(name);
  const start = await form(name);
  const consequences = values.confirming && (await preview(values));
  return (
    <Panel id="edit" heading={say('Settings')}>
      <Form
        {...start}
        fields={fields}
        submit={consequences ? say('Save anyway') : say('Save')}
        also={also}
        leave={{ href: leave, label: say('Cancel') }}
      >
        {children(values, start)}
        {consequences && (
          <Consequences
            of={consequences}
            heading={say('Saving this has consequences')}
            agreed={values.one('confirmed')}
          />
        )}
      </Form>
    </Panel>
  );
}

type DeletePanelProps = { lead: string; href: string; label: string };

/** Link to the confirmation of a deletion, below the settings of an object. */
export const DeletePanel = ({ lead, href, label }: DeletePanelProps) => (
  <Panel id="ending" heading={say('Delete')} lead={lead}>
    <div className="form-actions">
      <a className="button danger" href={href}>
        {label}
      </a>
    </div>
  </Panel>
);

// A confirmation: its consequences and its button.

type Asking = {
  /** hidden fields: the id of the object, and the version that was displayed */
  fields: Record<string, string | number>;
  /** name of the object that the question concerns */
  of: string;
  /** address of the cancel link: the page that links to this question */
  leave: string;
};

type Visited = Pick<Visit, 'actor' | 'form' | 'typed'>;

export async function ask(visit: Visited, name: QuestionName, { fields, of, leave }: Asking) {
  const { words } = QUESTIONS[name];
  return (
    <Panel
      id="question"
      heading={currentWords().told(words.heading(of, String(fields['role'] ?? '')))}
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

/** Consequences for forms that ask for confirmation on the page of the object. */
export async function consequences(
  { actor, typed }: Visited,
  name: QuestionName,
  fields: Asking['fields'],
): Promise<ReactNode> {
  const { words, foresee } = QUESTIONS[name];
  return (
    <Consequences
      of={await foresee(actor, fields)}
      heading={say(words.what ?? toSay('What this ends'))}
      agreed={typed(name).one('confirmed')}
      asks={typed(name).confirming}
    />
  );
}

/** Page that is shown if the question is no longer needed, for example because the action was already done. */
export function AskedInVain({ why, leave }: { why: string; leave: string }) {
  return (
    <Panel id="question" heading={say('Nothing to do')}>
      <p>{why}</p>
      <div className="form-actions">
        <a className="button quiet" href={leave}>
          {say('Back')}
        </a>
      </div>
    </Panel>
  );
}
