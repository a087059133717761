// Which texts of sign-in pages and mails an API or a client may replace, and which lines it may add. None is on the
// consent page, in an error or in what is said about a second factor: those words are the service's promise.
import type { TextShape } from '#lib/kit/text/readable-text.ts';

export type TextSlot = {
  /** the page, or the mail */
  at: string;
  /** the message that it replaces; null: a line of its own, where the service says nothing */
  replaces: string | null;
  /** in characters */
  longest: number;
  shape: TextShape;
  /** what is put in: each must be there, as `{name}`, and no other */
  values: readonly string[];
};

const line = (at: string, longest: number, shape: TextShape = 'line') =>
  ({ at, replaces: null, longest, shape, values: [] }) satisfies TextSlot;

const instead = (at: string, replaces: string, longest: number, values: readonly string[] = []) =>
  ({ at, replaces, longest, shape: 'line', values }) satisfies TextSlot;

const SUBJECT = 100;
const PARAGRAPH = 400;

/** In the order in which people meet them. */
export const TEXT_SLOTS = {
  sign_in_lead: line('sign_in', 200),
  sign_in_help: line('sign_in', 300, 'lines'),
  sign_in_forgotten: instead('sign_in', 'sign_in.forgotten', 60),
  sign_in_new_here: instead('sign_in', 'sign_in.new_here', 100),
  registration_lead: line('registration', 200),
  registration_intro: instead('registration', 'register.lead', 300),
  registration_approval: instead('registration', 'register.approval_lead', 300),
  registration_waits: instead('registration', 'register.waits', PARAGRAPH),
  registration_closed: instead('registration', 'register.closed', PARAGRAPH),
  mail_closing: line('mails', 300, 'lines'),
  mail_code_subject: instead('registration-code', 'mail.confirm_subject', SUBJECT),
  mail_code: instead('registration-code', 'mail.code', PARAGRAPH, ['code', 'minutes']),
  mail_has_account_subject: instead('has-account', 'mail.has_account_subject', SUBJECT),
  mail_has_account: instead('has-account', 'mail.has_account', PARAGRAPH),
  mail_admitted_subject: instead('admitted', 'mail.admitted_subject', SUBJECT),
  mail_admitted: instead('admitted', 'mail.admitted', PARAGRAPH),
  mail_rejected_subject: instead('rejected', 'mail.rejected_subject', SUBJECT),
  mail_rejected: instead('rejected', 'mail.rejected', PARAGRAPH, ['host']),
  mail_waiting_ended_subject: instead('waiting-ended', 'mail.waiting_ended_subject', SUBJECT),
  mail_waiting_ended: instead('waiting-ended', 'mail.waiting_ended', PARAGRAPH, ['host']),
  mail_reset_subject: instead('password-reset', 'mail.reset_subject', SUBJECT),
  mail_reset: instead('password-reset', 'mail.reset', PARAGRAPH, ['minutes']),
  mail_no_account_subject: instead('no-account', 'mail.no_account_subject', SUBJECT),
  mail_no_account: instead('no-account', 'mail.no_account', PARAGRAPH),
} as const satisfies Record<string, TextSlot>;

export type TextSlotName = keyof typeof TEXT_SLOTS;

const isSlotName = (name: string): name is TextSlotName => Object.hasOwn(TEXT_SLOTS, name);
export const TEXT_SLOT_NAMES: readonly TextSlotName[] = Object.keys(TEXT_SLOTS).filter(isSlotName);
