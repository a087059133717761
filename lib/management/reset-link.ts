// The mail with which somebody chooses a new password, or their first.
import { settings } from '#lib/settings/index.ts';
import { createMailToken, type MailPurpose } from '#lib/store/index.ts';
import { mint } from '#lib/tokens/index.ts';
import type { Actor } from './policy.ts';
import { type Author, record } from './record.ts';
import { sendServiceMail } from './service-mail.ts';

/** As long as the mail and the page say. */
export const RESET_LINK_MINUTES = 30;

/** Where a person goes on with the new password: to their account, or back to the application they came from. */
export type AfterReset = 'account' | 'application';

/** Where nobody has this address the mail says so: as many mails and statements tell nobody which of the two it was. */
export async function sendResetLink(
  email: string,
  by: Actor | Author,
  after: AfterReset = 'account',
): Promise<void> {
  const { value, hash } = mint('mail');
  const purpose: MailPurpose = 'password-reset';
  const made = await createMailToken({ tokenHash: hash, purpose, email, seconds: RESET_LINK_MINUTES * 60 });
  await record(by, { event: 'person.password_reset_asked', ...(made && { personId: made.personId }) });
  if (!made) return sendServiceMail({ to: email, subject: 'no account here', text: NO_ACCOUNT });
  const text = [
    `Somebody asked for a new password for this address. If it was you, choose one here within ${RESET_LINK_MINUTES} minutes:`,
    linkTo('reset-password', value, after === 'account' ? {} : { after }),
    '',
    'If it was not you, do nothing: your password stays as it is.',
  ].join('\n');
  sendServiceMail({ to: email, subject: 'choose a new password', text });
}

const NO_ACCOUNT = [
  'Somebody asked for a new password for this address, but no account here signs in with it.',
  '',
  'If it was you, try another address of yours. If it was not you, there is nothing to do.',
].join('\n');

export const linkTo = (page: string, token: string, more: Record<string, string> = {}) =>
  `${settings().baseUrl}/account/${page}?${new URLSearchParams({ token, ...more })}`;
