// What a person typed, taken back to the form's page with its faults. Sealed in the address, for this person and for one
// hour; it holds no password or secret.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { nowSeconds, seal, unseal } from '#lib/kit/index.ts';
import { settings } from '#lib/settings/index.ts';
import type { Fields } from './fields.ts';

export type Draft = {
  form: string;
  /** why it came back: to be corrected, to be confirmed, because somebody else was faster, or after a fresh sign-in */
  because: 'invalid' | 'confirm' | 'stale' | 'reauthenticated';
  message: string | null;
  faults: Record<string, string>;
  entries: readonly (readonly [string, string])[];
};

const LIFE_SECONDS = 3600;
/** in characters; some proxies refuse longer addresses */
const MAX_LENGTH = 7000;
const NEVER_KEPT = new Set([
  ...['password', 'oldPassword', 'secret', 'token', 'interaction', 'anti_forgery'],
  ...['code', 'sealed', 'credential', 'passkey_state'],
]);

const purpose = (personId: string | null) => `console draft ${personId ?? 'nobody'}`;

export function sealDraft(draft: Omit<Draft, 'entries'>, fields: Fields, personId: string | null): string {
  const entries = fields.entries.filter(([name]) => !NEVER_KEPT.has(name));
  const whole = sealed({ ...draft, entries }, personId);
  if (whole.length <= MAX_LENGTH) return whole;
  const message = `${draft.message ?? ''} What you typed was too long to be kept: use your browser’s Back button.`;
  return sealed({ ...draft, message: message.trim(), entries: [] }, personId);
}

function sealed(draft: Draft, personId: string | null): string {
  const text = JSON.stringify({ ...draft, at: nowSeconds() });
  const packed = deflateRawSync(Buffer.from(text)).toString('base64url');
  return seal(packed, purpose(personId), settings().secrets);
}

/** Null: not a draft of this person's, or too old. */
export function openDraft(value: string | undefined, personId: string | null): Draft | null {
  const packed = value && unseal(value, purpose(personId), settings().secrets);
  if (!packed) return null;
  const draft = JSON.parse(inflateRawSync(Buffer.from(packed, 'base64url')).toString()) as Draft & {
    at: number;
  };
  return nowSeconds() - draft.at > LIFE_SECONDS ? null : draft;
}
