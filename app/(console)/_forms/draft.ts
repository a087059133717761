// What a person typed, taken back to the form's page with its faults. Sealed in the address, for this person, or
// without a session for this browser, and for one hour; it holds no password or secret.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { nowSeconds, randomToken, seal, unseal } from '#lib/kit/index.ts';
import { type Words, wordsOf } from '#lib/language/index.ts';
import type { ConnectionTest } from '#lib/management/index.ts';
import { formHolder } from '#lib/sessions/index.ts';
import { settings } from '#lib/settings/index.ts';
import type { Fields } from './fields.ts';
import { shortened } from './test-result.ts';

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

const LIFE_SECONDS = 3600;
/** in characters; some proxies refuse longer addresses */
const MAX_LENGTH = 7000;
const NEVER_KEPT = new Set([
  ...['password', 'oldPassword', 'secret', 'token', 'interaction', 'anti_forgery'],
  ...['code', 'sealed', 'credential', 'passkey_state'],
]);

/** Who may open it. `cookie`: of the browser; without one of ours nothing opens it. */
export type DraftHolder = { personId: string | null; cookie: string | undefined };

const purpose = async ({ personId, cookie }: DraftHolder) =>
  `console draft ${personId ?? (await formHolder(cookie)) ?? randomToken('')}`;

export async function sealDraft(
  draft: Omit<Draft, 'entries'>,
  fields: Fields,
  holder: DraftHolder,
  { t }: Words = wordsOf('en'),
): Promise<string> {
  const entries = fields.entries.filter(([name]) => !NEVER_KEPT.has(name));
  const { test, ...told } = draft;
  const tests = test ? [test, shortened(test), undefined] : [undefined];
  for (const one of tests) {
    const whole = await sealed({ ...told, entries, ...(one && { test: one }) }, holder);
    if (whole.length <= MAX_LENGTH) return whole;
  }
  const message = `${draft.message ?? ''} ${t('told.not_kept')}`;
  return sealed({ ...told, message: message.trim(), entries: [] }, holder);
}

async function sealed(draft: Draft, holder: DraftHolder): Promise<string> {
  const text = JSON.stringify({ ...draft, at: nowSeconds() });
  const packed = deflateRawSync(Buffer.from(text)).toString('base64url');
  return seal(packed, await purpose(holder), settings().secrets);
}

/** Null: not a draft of this holder's, or too old. */
export async function openDraft(value: string | undefined, holder: DraftHolder): Promise<Draft | null> {
  const packed = value && unseal(value, await purpose(holder), settings().secrets);
  if (!packed) return null;
  const draft = JSON.parse(inflateRawSync(Buffer.from(packed, 'base64url')).toString()) as Draft & {
    at: number;
  };
  return nowSeconds() - draft.at > LIFE_SECONDS ? null : draft;
}
