// Input of a rejected form, redisplayed with its faults. The address contains an id: the draft is a database row of the
// user, or a browser cookie without a session. Fields prefer the draft over stored values.
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
  /** reason: concurrent change, fresh sign-in, confirmation, fault or test */
  because: 'invalid' | 'confirm' | 'stale' | 'reauthenticated' | 'tested';
  message: string | null;
  faults: Record<string, string>;
  /** what the test of it found */
  test?: ConnectionTest;
  entries: readonly (readonly [string, string])[];
};

const NEVER_KEPT = new Set([
  ...['password', 'oldPassword', 'secret', 'token', 'interaction', 'anti_forgery'],
  ...['code', 'sealed', 'credential', 'passkey_state'],
]);

/** Draft reader. `cookie`: browser cookie. */
export type DraftHolder = { actor: StateReader | null; cookie: string | undefined };

type StoredDraft = { id: string; cookie: string | null };

/** Null: the session has ended. */
export async function storeDraft(
  told: Omit<Draft, 'entries'>,
  fields: Fields,
  holder: DraftHolder,
  { t }: Words = wordsOf('en'),
): Promise<StoredDraft | null> {
  const typed = fields.entries.filter(([name]) => !NEVER_KEPT.has(name));
  const entries = typed.filter(([, value]) => findCredential(value) === null);
  const why = entries.length < typed.length ? t('told.credential_not_kept') : '';
  const draft = { ...withoutCredentials(told), entries };
  const whole = await store({ ...draft, message: joinMessages(draft.message, why) }, holder);
  if (whole !== null) return whole;
  return store({ ...draft, message: joinMessages(draft.message, t('told.not_kept')), entries: [] }, holder);
}

const joinMessages = (message: string | null, more: string): string | null =>
  `${message ?? ''} ${more}`.trim() || null;

/**
 * Replaces each text that contains a credential by an ellipsis, because a message may quote the input or a response.
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

/** Null: expired, or draft of another user or browser. */
export async function findDraft(
  id: string | undefined,
  { actor, cookie }: DraftHolder,
): Promise<Draft | null> {
  if (actor === null) return findInBrowser<Draft>(id, { kind: 'draft' }, cookie);
  return (await findInSession<Draft>(id, { kind: 'draft' }, actor))?.value ?? null;
}

// Initial field values: from the draft, otherwise stored.

export class FormValues {
  private readonly because: Draft['because'] | undefined;
  readonly typed: Fields;
  constructor(draft: Draft | null) {
    this.because = draft?.because;
    this.typed = new Fields(draft?.entries ?? []);
  }

  /** the form is valid and needs confirmation */
  get confirming(): boolean {
    return this.because === 'confirm';
  }

  /** there is a draft */
  get kept(): boolean {
    return this.typed.entries.length > 0;
  }

  /** Returns the stored value if the draft has no such field, because an older version submitted it. */
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

  /** The stored value if another user changed it; undefined: equal to the input. */
  meanwhile(name: string, stored: string): string | undefined {
    return this.meanwhileOf(this.typed.all(name).join('\n'), stored);
  }

  /** Same comparison for a value built from several fields. */
  meanwhileOf(typed: string, stored: string): string | undefined {
    if (this.because !== 'stale') return undefined;
    return typed.trim() === stored.trim() ? undefined : stored;
  }

  /** Same comparison for rows of two fields. */
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

// Target of a multi-step sign-in after a rejected form.

/**
 * `asked`: this page's address. A rejected sign-in form has the page in field `to`, including the draft typed before
 * sign-in; other pages are ignored.
 */
export function pageAfterSignIn(asked: string, draft: Draft | null): string {
  const named = new FormValues(draft).one('to');
  return pathOf(named) === pathOf(asked) ? named : asked;
}

const pathOf = (address: string) => address.split(/[?#]/)[0];
