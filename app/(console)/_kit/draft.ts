// Input of a rejected form, displayed again with its faults. The address contains only an id. The draft is a database
// row of the user or, without a session, a cookie of the browser. Fields show the draft instead of stored values.
import { type Words, wordsOf } from '#lib/language/words.ts';
import type { ConnectionTest } from '#lib/management/connection-steps.ts';
import {
  findInBrowser,
  findInSession,
  type StateReader,
  storeInBrowser,
  storeInSession,
} from '#lib/sessions/page-state.ts';
import { findCredential } from '#lib/tokens/credential-text.ts';
import { Fields, type Pair } from './posted.ts';

export type Draft = {
  form: string;
  /** why the draft was stored: a fault, a confirmation, a concurrent change, a fresh sign-in or a connection test */
  because: 'invalid' | 'confirm' | 'stale' | 'reauthenticated' | 'tested';
  message: string | null;
  faults: Record<string, string>;
  /** result of the connection test */
  test?: ConnectionTest;
  entries: readonly (readonly [string, string])[];
};

const NEVER_KEPT = new Set([
  ...['password', 'oldPassword', 'secret', 'token', 'interaction', 'anti_forgery'],
  ...['code', 'credential', 'passkey_state'],
]);

/** The user or browser that reads drafts. `cookie`: the browser's cookie. */
export type DraftHolder = { actor: StateReader | null; cookie: string | undefined };

type StoredDraft = { id: string; cookie: string | null };

/** Returns null if the session has ended. */
export async function storeDraft(
  draftFields: Omit<Draft, 'entries'>,
  fields: Fields,
  holder: DraftHolder,
  { t }: Words = wordsOf('en'),
): Promise<StoredDraft | null> {
  const typed = fields.entries.filter(([name]) => !NEVER_KEPT.has(name));
  const entries = typed.filter(([, value]) => findCredential(value) === null);
  const why = entries.length < typed.length ? t('told.credential_not_kept') : '';
  const draft = { ...withoutCredentials(draftFields), entries };
  const whole = await store({ ...draft, message: joinMessages(draft.message, why) }, holder);
  if (whole !== null) return whole;
  return store({ ...draft, message: joinMessages(draft.message, t('told.not_kept')), entries: [] }, holder);
}

const joinMessages = (message: string | null, more: string): string | null =>
  `${message ?? ''} ${more}`.trim() || null;

/**
 * Replaces each text that contains a credential with an ellipsis, because a message may quote the input or a
 * response.
 */
export const withoutCredentials = <Value extends object>(value: Value): Value =>
  JSON.parse(
    JSON.stringify(value, (_name, part: unknown) =>
      typeof part === 'string' && findCredential(part) !== null ? '…' : part,
    ),
  ) as Value;

async function store(draft: Draft, { actor, cookie }: DraftHolder): Promise<StoredDraft | null> {
  if (actor === null) return storeInBrowser({ kind: 'draft' }, draft, cookie);
  const id = await storeInSession({ kind: 'draft' }, draft, actor.session.idHash);
  return id === null ? null : { id, cookie: null };
}

/** Returns null if the draft has expired, or belongs to another user or browser. */
export async function findDraft(
  id: string | undefined,
  { actor, cookie }: DraftHolder,
): Promise<Draft | null> {
  if (actor === null) return findInBrowser<Draft>(id, { kind: 'draft' }, cookie);
  return (await findInSession<Draft>(id, { kind: 'draft' }, actor))?.value ?? null;
}

// Initial values of fields: from the draft if one exists, otherwise the stored values.

export class FormValues {
  private readonly because: Draft['because'] | undefined;
  readonly typed: Fields;
  constructor(draft: Draft | null) {
    this.because = draft?.because;
    this.typed = new Fields(draft?.entries ?? []);
  }

  /** True if the form is valid and only needs confirmation. */
  get confirming(): boolean {
    return this.because === 'confirm';
  }

  /** True if there is a draft. */
  get kept(): boolean {
    return this.typed.entries.length > 0;
  }

  /** Returns the stored value if the draft lacks this field. An older version of the form did not have the field. */
  one(name: string, stored = ''): string {
    return this.typed.has(name) ? this.typed.one(name) : stored;
  }

  list(name: string, stored: readonly string[] = []): readonly string[] {
    return this.kept ? this.typed.all(name).filter((value) => value.trim() !== '') : stored;
  }

  isTicked(name: string, stored = false): boolean {
    return this.kept ? this.typed.has(name) : stored;
  }

  pairs(name: string, stored: readonly Pair[]): readonly Pair[] {
    return this.kept ? this.typed.pairs(name) : stored;
  }

  /** Returns the stored value if another user has changed it since; undefined: the stored value equals the input. */
  meanwhile(name: string, stored: string): string | undefined {
    return this.meanwhileOf(this.typed.all(name).join('\n'), stored);
  }

  /** Makes the same comparison as `meanwhile`, for a value that consists of several fields. */
  meanwhileOf(typed: string, stored: string): string | undefined {
    if (this.because !== 'stale') return undefined;
    return typed.trim() === stored.trim() ? undefined : stored;
  }

  /** Makes the same comparison as `meanwhile`, for rows of two fields. */
  meanwhilePairs(name: string, stored: readonly Pair[]): string | undefined {
    if (this.because !== 'stale') return undefined;
    const now = linesOf(stored);
    return linesOf(this.typed.pairs(name)) === now ? undefined : now;
  }
}

function linesOf(pairs: readonly Pair[]): string {
  const lines = pairs.map((pair) =>
    [pair.name, pair.description, pair.texts, pair.required_acr, pair.groups].filter(Boolean).join(' '),
  );
  return lines.filter(Boolean).join('\n');
}

// The page to show after a multi-step sign-in in which a form was rejected.

/**
 * Returns the address of the page. `address`: the current page. The field `to` of a rejected sign-in form contains
 * this page with the draft that was typed before the sign-in. If the field names another page, it is ignored.
 */
export function pageAfterSignIn(address: string, draft: Draft | null): string {
  const named = new FormValues(draft).one('to');
  return pathOf(named) === pathOf(address) ? named : address;
}

const pathOf = (address: string) => address.split(/[?#]/)[0];
