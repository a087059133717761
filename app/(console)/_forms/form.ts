// What a form of the console is: where it belongs, and what it does. It calls one operation, which asks for the rights.

import type { Browser } from '#lib/management/index.ts';
import type { ConsoleActor } from '#lib/sessions/index.ts';
import type { Shown } from '../_ui/shown-once.tsx';
import type { Fields } from './fields.ts';
import type { NoticeId } from './notices.ts';

export type Area = 'account' | 'developer' | 'admin';

export type Context = {
  area: Area;
  /** where this area's pages of clients are */
  clients: string;
  browser: Browser;
};

export type Outcome =
  /** go on to a page of ours, which may say what was done */
  | { kind: 'done'; to: string; notice?: NoticeId; cookie?: string | null }
  /** by a page of ours that goes on by itself: Chromium holds a redirect against the form's policy (decision 0006) */
  | { kind: 'depart'; href: string; cookie: string }
  /** a secret that the answer shows and nothing else ever does */
  | { kind: 'shown'; shown: Shown }
  /** back to the form's page, which says what this would break and asks once more */
  | { kind: 'confirm' }
  /** back to the form's page with a message */
  | { kind: 'refused'; status: number; message: string };

export type ConsoleForm = {
  /** the page that shows this form */
  page: (fields: Fields, context: Context) => string;
  run: (actor: ConsoleActor, fields: Fields, context: Context) => Promise<Outcome>;
};

/** A form for somebody who is not signed in. */
export type PublicForm = {
  page: (fields: Fields, context: Context) => string;
  run: (fields: Fields, context: Context) => Promise<Outcome>;
};

export type Forms = Readonly<Record<string, ConsoleForm | { public: PublicForm }>>;

export const done = (to: string, notice?: NoticeId): Outcome => ({
  kind: 'done',
  to,
  ...(notice === undefined ? {} : { notice }),
});

export const path = (...parts: string[]): string => `/${parts.map(encodeURIComponent).join('/')}`;
