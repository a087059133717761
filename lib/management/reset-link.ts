// The mail with which somebody chooses a new password, or their first.
import { settings } from '#lib/settings/index.ts';
import { createMailToken, type MailPurpose } from '#lib/store/index.ts';
import { mint } from '#lib/tokens/index.ts';
import type { Actor } from './policy.ts';
import { post } from './post.ts';
import { type Author, record } from './record.ts';

const RESET_SECONDS = 30 * 60;

/** Sends nothing where nobody has this address. */
export async function sendResetLink(email: string, by: Actor | Author): Promise<void> {
  const { value, hash } = mint('mail');
  const purpose: MailPurpose = 'password-reset';
  const made = await createMailToken({ tokenHash: hash, purpose, email, seconds: RESET_SECONDS });
  if (!made) return;
  await record(by, { event: 'person.password_reset_asked', personId: made.personId });
  const text = [
    'Somebody asked for a new password for this address. If it was you, choose one here within 30 minutes:',
    linkTo('reset-password', value),
    '',
    'If it was not you, do nothing: your password stays as it is.',
  ].join('\n');
  post({ to: email, subject: 'choose a new password', text });
}

export const linkTo = (page: string, token: string) =>
  `${settings().baseUrl}/account/${page}?${new URLSearchParams({ token })}`;
