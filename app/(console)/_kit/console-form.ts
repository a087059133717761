// A form of the console: its page, and its operation, which checks permissions. A change with consequences is saved
// only if the form displayed the consequences.
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

/** Content that is shown once. Its texts are not translated into the language of the page yet. */
export type ToldOnce = Omit<Shown, 'heading' | 'message' | 'values' | 'next' | 'first' | 'kept'> & {
  heading: Told;
  message: Told;
  values: [name: Told, value: string | EnglishSentence | { what: EnglishSentence; why: EnglishSentence }][];
  next: { href: string; label: Told };
  first?: { href: string; label: Told };
  /** offers the values as a printout and as a download with this file name */
  keptAs?: string;
};

/** Problems and undo fields that a notice shows together with the result. */
export type Said = Pick<Telling, 'problems' | 'undo'>;

export type Outcome =
  /** redirect to a console page, optionally with a notice that names the result and the object */
  | ({
      kind: 'done';
      to: string;
      notice?: NoticeId;
      about?: Telling['about'];
      cookie?: string | string[] | null;
    } & Said)
  /**
   * a Gatehouse page performs the redirect, because Chromium applies form-action to redirects
   * (docs/project/decisions/0010)
   */
  | { kind: 'depart'; href: string; cookie: string }
  /** a secret that only this response displays */
  | { kind: 'shown'; shown: ToldOnce; cookie?: string | null }
  /** back to the form page, showing the consequences and asking for confirmation */
  | { kind: 'confirm' }
  /** back to the form page, showing the test result of the input */
  | { kind: 'tested'; test: ConnectionTest }
  /** back to the form's page with a message */
  | { kind: 'refused'; status: number; told: Told; problems?: readonly Problem[] };

type PageOf = (fields: Fields, context: Context) => string;

type FormPage = {
  /** the page that contains this form */
  page: PageOf;
  /** labels of the form's fields, for English pages */
  labels?: Labels;
};

export type ConsoleForm = FormPage & {
  public?: false;
  /** the form changes nothing, so its token can be used several times, for example if the user returns to the page */
  repeats?: true;
  /** the form can include a file */
  takesFile?: true;
  run: (actor: ConsoleActor, fields: Fields, context: Context) => Promise<Outcome>;
};

/** A form for users without a session. */
type PublicForm = FormPage & {
  public: true;
  run: (fields: Fields, context: Context) => Promise<Outcome>;
};

/** A form for users who have not completed their second step. */
type UnfinishedForm = FormPage & {
  public: 'half';
  run: (who: UnfinishedSignIn, fields: Fields, context: Context) => Promise<Outcome>;
};

export type Forms = Readonly<Record<string, ConsoleForm | PublicForm | UnfinishedForm>>;

/** `about`: the object that the notice names. */
export const redirectAfter = (
  to: string,
  notice?: NoticeId,
  about?: Telling['about'],
  options: Said = {},
): Outcome => ({
  kind: 'done',
  to,
  ...options,
  ...(notice === undefined ? {} : { notice }),
  ...(about === undefined ? {} : { about }),
});

/** A secret that the page shows once, with a warning. */
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

/** Returns to the form's page and shows a notice there. */
export const backWith = (
  page: PageOf,
  notice: NoticeId,
  operation: (actor: ConsoleActor, fields: Fields) => Promise<unknown>,
): ConsoleForm => ({
  page,
  run: async (actor, fields, context) => {
    await operation(actor, fields);
    return redirectAfter(page(fields, context), notice);
  },
});

export const path = (...parts: string[]): string => `/${parts.map(encodeURIComponent).join('/')}`;

/**
 * Page with the panel that disables or deletes a client: the tab “Settings”, or the overview of a client without
 * settings, whose id is the address of its metadata document.
 */
export const pathOfEnding = (area: Area, clientId: string): string =>
  path(area, 'clients', clientId, ...(URL.canParse(clientId) ? [] : ['edit']));

// A change with consequences is saved only if the form displayed them. The form contains a digest of each
// consequence. New consequences are marked and displayed again. The number of valid tokens needs no confirmation,
// because every sign-in changes it.

export type Broken = { kind: 'pending' | 'access' | 'warning'; line: EnglishSentence; digest: string };

/** Id of the confirmation element: browsers scroll to it and focus it without JavaScript. */
export const ASKED_ID = 'asked';

/** Returns the consequences that the user must confirm, each as a line of text with a digest. */
export function brokenBy({ returnsToPending, losesAccess, warnings }: Consequences): Broken[] {
  const brokenForm = (kind: Broken['kind'], line: EnglishSentence, of = inEnglish(line)): Broken => ({
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
      return brokenForm('pending', line, `${clientId} ${api}`);
    }),
    ...losesAccess.map(({ clientId, api }) =>
      brokenForm('access', english('{client} loses its access to {api}.', { client: clientId, api })),
    ),
    ...warnings.map((warning) => brokenForm('warning', warning)),
  ];
}

/**
 * Above this number of consequences, one digest covers all of them, because the form's draft must fit into an
 * address.
 */
const MOST_BY_NAME = 200;
const SHOWN = 'shown';

/** Returns the value of the form's field `confirmed`. */
export function agreementTo(consequences: Consequences): string {
  const digests = brokenBy(consequences).map((consequence) => consequence.digest);
  return [SHOWN, ...(digests.length > MOST_BY_NAME ? [digest(digests.toSorted().join())] : digests)].join(
    '.',
  );
}

/** Consequences added since the confirmation; null: the digest that covers all has changed. */
export function addedSince(agreement: string, consequences: Consequences): Broken[] | null {
  if (agreement === agreementTo(consequences)) return [];
  const broken = brokenBy(consequences);
  if (broken.length > MOST_BY_NAME) return null;
  const agreed = new Set(agreement.split('.'));
  return broken.filter((consequence) => !agreed.has(consequence.digest));
}

/**
 * True if the user must confirm consequences. False if the operation will report faults, because it then saves
 * nothing.
 */
export function mustConfirm(consequences: Consequences, fields: Fields): boolean {
  const { faults, endsTokens } = consequences;
  const breaksNothing = brokenBy(consequences).length === 0 && endsTokens === 0;
  return faults.length === 0 && !breaksNothing && isUnanswered(consequences, fields);
}

/** True if the form did not confirm every consequence. */
export function isUnanswered(consequences: Consequences, fields: Fields): boolean {
  const agreement = fields.one('confirmed');
  return !agreement.startsWith(SHOWN) || addedSince(agreement, consequences)?.length !== 0;
}

/** The value of `intent` that the test button sends. */
export const TEST = 'test';

/** True if the test button submitted the form. */
export const isTest = (fields: Fields): boolean => fields.one('intent') === TEST;

type ConfirmedForm<Input extends object> = {
  page: ConsoleForm['page'];
  labels?: Labels;
  read: (fields: Fields, actor: ConsoleActor) => Input | Promise<Input>;
  preview: (actor: ConsoleActor, input: Input) => Promise<Consequences>;
  /** action of the second button: tests the input and saves nothing */
  test?: (actor: ConsoleActor, input: Input, fields: Fields) => Promise<ConnectionTest>;
  run: (actor: ConsoleActor, input: Input & { version: number }) => Promise<unknown>;
  /** returns the next page with its notice */
  to: (fields: Fields, context: Context) => string;
  notice: NoticeId;
};

/** A form whose operation runs after the user has confirmed its consequences. */
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
      return redirectAfter(to(fields, context), notice);
    },
  };
}

function digest(text: string): string {
  return sha256(text).toString('base64url').slice(0, 8);
}
