// A change that breaks something is saved only by a form that has shown what it breaks. The form carries a digest of
// each thing that it showed; what has been added since is shown again, marked. The number of living tokens is shown but
// not agreed to: it changes with every sign-in.
import { sha256 } from '#lib/kit/random.ts';
import { type EnglishSentence, english } from '#lib/language/message.ts';
import { inEnglish } from '#lib/language/words.ts';
import type { ConnectionTest } from '#lib/management/connections/step.ts';
import type { Consequences } from '#lib/management/core/consequences.ts';
import type { ConsoleActor } from '#lib/sessions/console.ts';
import type { Fields } from './fields.ts';
import { type ConsoleForm, type Context, done } from './form.ts';
import type { Labels } from './labels.ts';
import type { NoticeId } from './notices.ts';

export type Broken = { kind: 'pending' | 'access' | 'warning'; line: EnglishSentence; digest: string };

/** The id of the element that asks: the browser scrolls to it and focuses it, without a script. */
export const ASKED_ID = 'asked';

/** What a person agrees to, each as a line of text and its digest. */
export function brokenBy({ returnsToPending, losesAccess, warnings }: Consequences): Broken[] {
  const broken = (kind: Broken['kind'], line: EnglishSentence, of = inEnglish(line)): Broken => ({
    kind,
    line,
    digest: digest(`${kind} ${of}`),
  });
  return [
    ...returnsToPending.map(({ clientId, api, apiName, trusted }) => {
      const line = trusted
        ? english(
            'The trusted subscription to {api} waits for approval again. Until then it gets no tokens and renews none.',
            { api: apiName },
          )
        : english(
            'The machine’s subscription to {api} waits for approval again. Until then it gets no tokens and renews none.',
            { api: apiName },
          );
      return broken('pending', line, `${clientId} ${api}`);
    }),
    ...losesAccess.map(({ clientId, api }) =>
      broken('access', english('{client} loses its access to {api}.', { client: clientId, api })),
    ),
    ...warnings.map((warning) => broken('warning', warning)),
  ];
}

/** More than these get one digest for all: the draft of a form has to fit into an address. */
const MOST_BY_NAME = 200;
const SHOWN = 'shown';

/** The value of the form's field `confirmed`. */
export function agreementTo(consequences: Consequences): string {
  const digests = brokenBy(consequences).map((one) => one.digest);
  return [SHOWN, ...(digests.length > MOST_BY_NAME ? [digest(digests.toSorted().join())] : digests)].join(
    '.',
  );
}

/** What has been added since this was agreed to; null where one digest stood for all and they have changed. */
export function addedSince(agreement: string, consequences: Consequences): Broken[] | null {
  if (agreement === agreementTo(consequences)) return [];
  const broken = brokenBy(consequences);
  if (broken.length > MOST_BY_NAME) return null;
  const agreed = new Set(agreement.split('.'));
  return broken.filter((one) => !agreed.has(one.digest));
}

/** Whether to ask first. Faults are reported by the operation, which then saves nothing. */
export function mustConfirm(consequences: Consequences, fields: Fields): boolean {
  const { faults, endsTokens } = consequences;
  const breaksNothing = brokenBy(consequences).length === 0 && endsTokens === 0;
  return faults.length === 0 && !breaksNothing && isUnanswered(consequences, fields);
}

/** The form has not shown these consequences, or not all of them. */
export function isUnanswered(consequences: Consequences, fields: Fields): boolean {
  const agreement = fields.one('confirmed');
  return !agreement.startsWith(SHOWN) || addedSince(agreement, consequences)?.length !== 0;
}

/** What its button sends as `intent`. */
export const TEST = 'test';

/** It was sent by the button that tests what was typed. */
export const isTest = (fields: Fields): boolean => fields.one('intent') === TEST;

type ConfirmedForm<Input extends object> = {
  page: ConsoleForm['page'];
  labels?: Labels;
  read: (fields: Fields, actor: ConsoleActor) => Input | Promise<Input>;
  preview: (actor: ConsoleActor, input: Input) => Promise<Consequences>;
  /** what its second button does: tries what was typed, and saves nothing */
  test?: (actor: ConsoleActor, input: Input, fields: Fields) => Promise<ConnectionTest>;
  run: (actor: ConsoleActor, input: Input & { version: number }) => Promise<unknown>;
  /** where it leads, and what is said there */
  to: (fields: Fields, context: Context) => string;
  notice: NoticeId;
};

/** A form whose operation runs once what it breaks has been agreed to. */
export function confirmedForm<Input extends object>(form: ConfirmedForm<Input>): ConsoleForm {
  const { page, labels = {}, read, preview, test, run, to, notice } = form;
  return {
    page,
    labels,
    run: async (actor, fields, context) => {
      const input = await read(fields, actor);
      if (test && isTest(fields)) return { kind: 'tested', test: await test(actor, input, fields) };
      if (mustConfirm(await preview(actor, input), fields)) return { kind: 'confirm' };
      await run(actor, { ...input, version: fields.number('version') });
      return done(to(fields, context), notice);
    },
  };
}

function digest(text: string): string {
  return sha256(text).toString('base64url').slice(0, 8);
}
