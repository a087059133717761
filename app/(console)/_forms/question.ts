// What takes something away, or gives power, asks before it is done: its page tells what ends with it, with numbers,
// and the form carries a digest of what was told. What has been added since is told again.
import { type Consequences, consequencesOf, type Foreseen, operationName } from '#lib/management/index.ts';
import type { ConsoleActor } from '#lib/sessions/index.ts';
import { isUnanswered } from './confirm.ts';
import { Fields } from './fields.ts';
import type { ConsoleForm, Context, Outcome } from './form.ts';

export type QuestionWords = {
  /** `name`: what it is about, as its own page calls it */
  heading: (name: string) => string;
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
export const numbersOnly = (counted: string[]): Foreseen => ({ ...consequencesOf(false), counted });
