// What a person typed, taken back to the form's page with its faults. The address holds its id (lib/sessions). With an
// actor it is of that person for one hour, otherwise of the browser for ten minutes. It contains no password, secret or
// credential.
import { type Words, wordsOf } from '#lib/language/words.ts';
import type { ConnectionTest } from '#lib/management/connections/step.ts';
import {
  findInBrowser,
  findInSession,
  type StateReader,
  storeInBrowser,
  storeInSession,
} from '#lib/sessions/page-state.ts';
import { findCredential } from '#lib/tokens/credential-text.ts';
import type { Fields } from './fields.ts';

export type Draft = {
  form: string;
  /** why it came back: another person was faster, after a fresh sign-in, or what it would do was only tested */
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

/** Who may open it. `cookie`: of the browser. */
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
  const whole = await store({ ...draft, message: joined(draft.message, why) }, holder);
  if (whole !== null) return whole;
  return store({ ...draft, message: joined(draft.message, t('told.not_kept')), entries: [] }, holder);
}

const joined = (message: string | null, more: string): string | null =>
  `${message ?? ''} ${more}`.trim() || null;

/** Each text that contains a credential becomes an ellipsis: a message may quote what was typed or answered. */
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

/** Null: no draft of this person or browser, or too old. */
export async function findDraft(
  id: string | undefined,
  { actor, cookie }: DraftHolder,
): Promise<Draft | null> {
  if (actor === null) return findInBrowser<Draft>(id, { kind: 'draft' }, cookie);
  return (await findInSession<Draft>(id, { kind: 'draft' }, actor))?.value ?? null;
}
