// A form of the console: the page that shows it, and the operation that it calls, which checks the rights. A change that
// breaks something is saved only by a form that has shown what it breaks.
import { sha256 } from '#lib/kit/random.ts';
import { type EnglishSentence, english, type Told } from '#lib/language/message.ts';
import { inEnglish } from '#lib/language/words.ts';
import type { ConnectionTest } from '#lib/management/connection-steps.ts';
import type { Consequences } from '#lib/management/consequences.ts';
import type { Browser } from '#lib/management/console-sign-in.ts';
import type { ConsoleActor, UnfinishedSignIn } from '#lib/sessions/console.ts';
import type { Shown } from './form.tsx';
import type { Labels } from './in-words.ts';
import type { NoticeId, Problem, Telling } from './notices.ts';
import type { Fields } from './posted.ts';

export type Area = 'account' | 'developer' | 'admin';

export type Context = { area: Area; browser: Browser };

/** What is shown once, before it is known in which language. */
export type ToldOnce = Omit<Shown, 'heading' | 'message' | 'values' | 'next' | 'first' | 'kept'> & {
  heading: Told;
  message: Told;
  values: [name: Told, value: string | EnglishSentence][];
  next: { href: string; label: Told };
  first?: { href: string; label: Told };
  /** offers the values as a file of this name, and on paper */
  keptAs?: string;
};

/** What the notice says beside what was done. */
export type Said = Pick<Telling, 'problems' | 'undo'>;

export type Outcome =
  /** redirect to a page of ours, which may say what was done, and to what */
  | ({ kind: 'done'; to: string; notice?: NoticeId; about?: Telling['about']; cookie?: string | null } & Said)
  /** a page of ours redirects by itself: Chromium applies form-action to redirects (docs/decisions/0010) */
  | { kind: 'depart'; href: string; cookie: string }
  /** a secret that only this answer shows */
  | { kind: 'shown'; shown: ToldOnce; cookie?: string | null }
  /** back to the form's page, which says what this would break and asks for confirmation */
  | { kind: 'confirm' }
  /** back to the form's page, which says what a test of what was typed found */
  | { kind: 'tested'; test: ConnectionTest }
  /** back to the form's page with a message */
  | { kind: 'refused'; status: number; told: Told; problems?: readonly Problem[] };

type PageOf = (fields: Fields, context: Context) => string;

type FormPage = {
  /** the page that shows this form */
  page: PageOf;
  /** what its fields are called there, where the page is in English */
  labels?: Labels;
};

export type ConsoleForm = FormPage & {
  public?: false;
  /** it changes nothing: its token may be used again, as one does who comes back to the page */
  repeats?: true;
  /** it may bring a file */
  takesFile?: true;
  run: (actor: ConsoleActor, fields: Fields, context: Context) => Promise<Outcome>;
};

/** A form for a person who is not signed in. */
type PublicForm = FormPage & {
  public: true;
  run: (fields: Fields, context: Context) => Promise<Outcome>;
};

/** A form for a person who has not made the second step yet. */
type UnfinishedForm = FormPage & {
  public: 'half';
  run: (who: UnfinishedSignIn, fields: Fields, context: Context) => Promise<Outcome>;
};

export type Forms = Readonly<Record<string, ConsoleForm | PublicForm | UnfinishedForm>>;

/** `about`: what the notice names. */
export const done = (to: string, notice?: NoticeId, about?: Telling['about'], said: Said = {}): Outcome => ({
  kind: 'done',
  to,
  ...said,
  ...(notice === undefined ? {} : { notice }),
  ...(about === undefined ? {} : { about }),
});

/** A secret that cannot be shown again, which the message says. */
export const shownOnce = (
  heading: EnglishSentence,
  values: ToldOnce['values'],
  {
    message,
    next,
    ...more
  }: { message: EnglishSentence; next: string } & Pick<ToldOnce, 'first' | 'file' | 'isPage'>,
): Outcome => ({
  kind: 'shown',
  shown: {
    heading,
    message,
    values,
    next: { href: next, label: english('I’ve saved it') },
    ...more,
  },
});

/** A form that leads back to its own page, which says what was done. */
export const backWith = (
  page: PageOf,
  notice: NoticeId,
  operation: (actor: ConsoleActor, fields: Fields) => Promise<unknown>,
): ConsoleForm => ({
  page,
  run: async (actor, fields, context) => {
    await operation(actor, fields);
    return done(page(fields, context), notice);
  },
});

export const path = (...parts: string[]): string => `/${parts.map(encodeURIComponent).join('/')}`;

// A change that breaks something is saved only by a form that has shown what it breaks. The form carries a digest of
// each thing that it showed; what has been added since is shown again, marked. The number of living tokens is shown but
// not agreed to: it changes with every sign-in.

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
            'The trusted subscription to {api} needs approval again. Until then the client gets no new tokens and cannot renew existing ones.',
            { api: apiName },
          )
        : english(
            'The machine subscription to {api} needs approval again. Until then the client gets no new tokens and cannot renew existing ones.',
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
