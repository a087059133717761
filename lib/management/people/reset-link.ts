// The mail with which a person chooses a new password, or their first.
import { type CameWith, mailBrand } from '#lib/mail/mail-brand.ts';
import { sendServiceMail } from '#lib/mail/service-mail.ts';
import type { Language } from '#lib/settings/languages.ts';
import { settings } from '#lib/settings/settings.ts';
import { createMailToken, type MailPurpose } from '#lib/store/sign-in/mail-tokens.ts';
import { mint } from '#lib/tokens/formats.ts';
import type { Actor } from '../core/policy.ts';
import { type Author, record } from '../core/record.ts';

/** As long as the mail and the page say. */
export const RESET_LINK_MINUTES = 30;

/** Where a person continues with the new password: at their account, or at the application they came from. */
export type AfterReset = 'account' | 'application';

type Asked = {
  after?: AfterReset;
  pageLanguage?: Language | undefined;
  /** the request that the person goes back to */
  cameWith?: CameWith | undefined;
};

/**
 * Without an account for this address the mail says so: the same mails and statements in both cases tell a caller
 * nothing. `pageLanguage`: of the page where the person asked themselves.
 */
export async function sendResetLink(
  email: string,
  by: Actor | Author,
  { after = 'account', pageLanguage, cameWith }: Asked = {},
): Promise<void> {
  const { value, hash } = mint('mail');
  const purpose: MailPurpose = 'password-reset';
  const made = await createMailToken({ tokenHash: hash, purpose, email, seconds: RESET_LINK_MINUTES * 60 });
  await record(by, { event: 'person.password_reset_asked', ...(made && { personId: made.personId }) });
  const brand = mailBrand(cameWith);
  if (!made) {
    sendServiceMail({ email, pageLanguage }, 'no-account', {}, brand);
    return;
  }
  const href = linkTo('reset-password', value, after === 'account' ? {} : { after });
  const reader = { email, locale: made.locale, pageLanguage };
  sendServiceMail(reader, 'password-reset', { href, minutes: RESET_LINK_MINUTES }, brand);
}

export const linkTo = (page: string, token: string, more: Record<string, string> = {}) =>
  `${settings().baseUrl}/account/${page}?${new URLSearchParams({ token, ...more })}`;
