// What takes something away, or gives power, asks before it is done: its page tells what ends with it, with numbers,
// and the form carries a digest of what was told. What has been added since is told again.
import type { EnglishSentence } from '#lib/language/message.ts';
import { type Consequences, consequencesOf, type Foreseen } from '#lib/management/core/consequences.ts';
import { operationName } from '#lib/management/core/operation.ts';
import { type PersonStep, previewPersonStep } from '#lib/management/people/person-steps.ts';
import type { ConsoleActor } from '#lib/sessions/console.ts';
import { toSay } from '../_texts/to-say.ts';
import { isUnanswered } from './confirm.ts';
import { Fields } from './fields.ts';
import { type ConsoleForm, type Context, done, type Outcome, path } from './form.ts';
import type { NoticeId } from './notices.ts';

export type QuestionWords = {
  /** `name`: of the object, as its own page shows it; `role`: of the console, where a role is given or taken */
  heading: (name: string, role: string) => EnglishSentence;
  lead: string;
  /** above the consequences */
  what?: string;
  submit: string;
  leave: string;
};

type Asked<Input extends object, Result> = QuestionWords & {
  run: (actor: ConsoleActor, input: Input & { version?: number }) => Promise<Result>;
  preview: (actor: ConsoleActor, input: Input) => Promise<Consequences>;
  read: (fields: Fields) => Input;
  page: (fields: Fields, context: Context) => string;
  outcome: (fields: Fields, context: Context, result: Result) => Outcome;
  /** where `run` only calls it */
  operation?: object;
};

export type Question = {
  words: QuestionWords;
  /** the operation that it asks before; null: a function that is no operation */
  operation: string | null;
  foresee: (actor: ConsoleActor, fields: Record<string, string | number>) => Promise<Consequences>;
  form: ConsoleForm;
};

export function question<Input extends object, Result>({
  run,
  preview,
  read,
  page,
  outcome,
  operation = run,
  ...words
}: Asked<Input, Result>): Question {
  return {
    words,
    operation: operationName(operation),
    foresee: (actor, fields) =>
      preview(
        actor,
        read(new Fields(Object.entries(fields).map(([name, value]) => [name, String(value)] as const))),
      ),
    form: {
      page,
      run: async (actor, fields, context) => {
        const input = read(fields);
        if (isUnanswered(await preview(actor, input), fields)) return { kind: 'confirm' };
        const seen = fields.has('version') ? { version: fields.number('version') } : {};
        return outcome(fields, context, await run(actor, { ...input, ...seen }));
      },
    },
  };
}

/** Only numbers, which are shown and not agreed to. */
export const numbersOnly = (counted: EnglishSentence[]): Foreseen => ({ ...consequencesOf(false), counted });

export const idOf = (fields: Fields) => ({ id: fields.one('id') });
export const clientOf = (fields: Fields) => ({ clientId: fields.one('clientId') });
export const roleOf = (fields: Fields) => ({ ...idOf(fields), role: fields.one('role') });

/** The words of a form that leaves everything as it is. */
export const LEAVE = toSay('Leave it as it is');

const personPage = (fields: Fields, ...below: string[]) =>
  path('admin', 'people', fields.one('id'), ...below);
export const clientPage = (fields: Fields, { area }: Context, ...below: string[]) =>
  path(area, 'clients', fields.one('clientId'), ...below);
export const apiPage = (fields: Fields, ...below: string[]) =>
  path('admin', 'apis', fields.one('id'), ...below);

const foreseenOf = (step: PersonStep) => (actor: ConsoleActor, input: { id: string; role?: string }) =>
  previewPersonStep(actor, { ...input, step });

export const onPerson = (step: PersonStep, notice: NoticeId) => ({
  preview: foreseenOf(step),
  page: (fields: Fields) =>
    personPage(fields, ...(fields.has('role') ? [`${step}-${fields.one('role')}`] : [step])),
  outcome: (fields: Fields) => done(personPage(fields), notice),
});

export const onClient = (step: string, notice: NoticeId) => ({
  read: clientOf,
  page: (fields: Fields, context: Context) => clientPage(fields, context, step),
  outcome: (fields: Fields, context: Context) => done(clientPage(fields, context), notice),
});
