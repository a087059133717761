// Form input for the brand of an API or client, and for the texts on its sign-in pages and in its mails.
import { isLanguage } from '#lib/language/negotiate.ts';
import {
  flatText,
  type OwnTexts,
  TEXT_SLOTS,
  type TextSlotName,
  withTexts,
} from '#lib/registry/own-texts.ts';
import type { Language } from '#lib/settings/languages.ts';
import type { Outcome } from '../_kit/console-form.ts';
import type { Labels } from '../_kit/in-words.ts';
import type { Fields } from '../_kit/posted.ts';
import { toSay } from '../_texts/to-say.ts';

export const BRAND_LABELS = toSay({
  logo: { label: 'Logo image' },
  'brand.accent': { label: 'Accent colour' },
  'brand.accent_dark': { label: 'Accent colour in the dark theme' },
}) satisfies Labels;

/**
 * Result of the preview button: the form stores nothing, and the page is displayed again with the input as preview.
 */
export const LOOK: Outcome = { kind: 'confirm' };

export function brandPartOf(fields: Fields) {
  const chosen = fields.files.get('logo');
  const logo = chosen ?? (fields.has('no_logo') ? null : undefined);
  return {
    ...(logo !== undefined && { logo }),
    accent: fields.one('brand.accent').trim(),
    accent_dark: fields.one('brand.accent_dark').trim(),
  };
}

// Custom texts of an API or client for sign-in pages and mails, in one language.

export const SLOT_LABELS: Readonly<Record<TextSlotName, string>> = toSay({
  sign_in_lead: 'Line below the heading',
  sign_in_help: 'Lines below the form',
  sign_in_forgotten: 'Link for a forgotten password',
  sign_in_new_here: 'Text before the link to create an account',
  registration_lead: 'Line below the registration heading',
  registration_intro: 'Requirements for an account',
  registration_approval: 'Requirements for an account that needs approval',
  registration_waits: 'Text after an account request',
  registration_closed: 'Text if registration is closed',
  mail_closing: 'Lines at the end of each mail',
  mail_code_subject: 'Subject of the mail',
  mail_code: 'First paragraph',
  mail_has_account_subject: 'Subject of the mail',
  mail_has_account: 'First paragraph',
  mail_admitted_subject: 'Subject of the mail',
  mail_admitted: 'First paragraph',
  mail_rejected_subject: 'Subject of the mail',
  mail_rejected: 'First paragraph',
  mail_waiting_ended_subject: 'Subject of the mail',
  mail_waiting_ended: 'First paragraph',
  mail_reset_subject: 'Subject of the mail',
  mail_reset: 'First paragraph',
  mail_no_account_subject: 'Subject of the mail',
  mail_no_account: 'First paragraph',
});

/** Label of the page or mail that contains the text. */
export const SLOT_PLACES: Readonly<Record<string, string>> = toSay({
  sign_in: 'Sign-in page',
  registration: 'Registration page',
  mails: 'All mails to people who come from an application',
  'registration-code': 'Mail with the code for a new account',
  'has-account': 'Mail to people who already have an account',
  admitted: 'Mail about an approved account',
  rejected: 'Mail about a rejected request',
  'waiting-ended': 'Mail about a request that has ended',
  'password-reset': 'Mail to choose a new password',
  'no-account': 'Mail to an address without an account',
});
export const TEXTS_LABELS: Labels = Object.fromEntries(
  Object.entries(SLOT_LABELS).map(([name, label]) => [`texts.${name}`, { label }]),
);

export const slotField = (slot: TextSlotName, language: Language) => `texts.${slot}.${language}`;

/**
 * Returns the language whose texts the form edits. The parameter is not called `language`, because that parameter
 * permanently changes the page language.
 */
export const languageIn = (fields: Fields): Language => {
  const language = fields.one('in');
  return isLanguage(language) ? language : 'en';
};

/** Returns the stored texts, updated by the input. A text that the user restores becomes the default text. */
export function textsTyped(fields: Fields, stored: OwnTexts | null): OwnTexts | null {
  let texts = stored;
  const back = fields.one('back');
  for (const [field, typed] of fields.entries) {
    const at = flatText(field);
    if (at === null) continue;
    // a text of one line also has a textarea, because only textareas adapt their height; line breaks become spaces
    const text = TEXT_SLOTS[at.slot].shape === 'line' ? typed.replaceAll(/\s*\n\s*/g, ' ') : typed;
    texts = withTexts(texts, at.language, { [at.slot]: field === back ? '' : text }) as OwnTexts;
  }
  return texts;
}
