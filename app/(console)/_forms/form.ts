// A form of the console: the page that shows it, and the operation that it calls. The operation checks the rights.

import { type EnglishSentence, english, type Told } from '#lib/language/message.ts';
import type { Browser } from '#lib/management/account/sign-in.ts';
import type { ConnectionTest } from '#lib/management/connections/step.ts';
import type { ConsoleActor, UnfinishedSignIn } from '#lib/sessions/console.ts';
import type { Shown } from '../_ui/shown-once.tsx';
import type { Fields } from './fields.ts';
import type { Labels } from './labels.ts';
import type { NoticeId } from './notices.ts';
import type { Problem, Telling } from './told-once.ts';

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
export type PublicForm = FormPage & {
  public: true;
  run: (fields: Fields, context: Context) => Promise<Outcome>;
};

/** A form for a person who has not made the second step yet. */
export type UnfinishedForm = FormPage & {
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
    next: { href: next, label: english('I have kept it') },
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
