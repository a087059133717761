// The mails about a person's factors. Each change, and each use of a recovery code, is mailed to the person, so that
// they learn of what they did not do. People without an address get none.
import type { Words } from '#lib/language/index.ts';
import { settings } from '#lib/settings/index.ts';
import { namedIn } from './mail.ts';
import { type MailReader, sendServiceMail } from './service-mail.ts';

type Told = { subject: string; what: string };

const NEWS = {
  'passkey-added': ({ t }, name) => ({
    subject: t('mail.passkey_added_subject'),
    what: t('mail.passkey_added', { name }),
  }),
  'passkey-renamed': ({ t }, name) => ({
    subject: t('mail.passkey_renamed_subject'),
    what: t('mail.passkey_renamed', { name }),
  }),
  'passkey-removed': ({ t }, name) => ({
    subject: t('mail.passkey_removed_subject'),
    what: t('mail.passkey_removed', { name }),
  }),
  'app-added': ({ t }) => ({ subject: t('mail.app_added_subject'), what: t('mail.app_added') }),
  'app-removed': ({ t }) => ({ subject: t('mail.app_removed_subject'), what: t('mail.app_removed') }),
  'app-replaced': ({ t }) => ({ subject: t('mail.app_replaced_subject'), what: t('mail.app_replaced') }),
  'codes-made': ({ t }) => ({ subject: t('mail.codes_made_subject'), what: t('mail.codes_made') }),
  'code-used': ({ t }) => ({ subject: t('mail.code_used_subject'), what: t('mail.code_used') }),
  'browser-trusted': ({ t }) => ({
    subject: t('mail.browser_trusted_subject'),
    what: t('mail.browser_trusted'),
  }),
  'codes-guessed': ({ t }) => ({ subject: t('mail.codes_guessed_subject'), what: t('mail.codes_guessed') }),
  'codes-ended': ({ t }) => ({ subject: t('mail.codes_ended_subject'), what: t('mail.codes_ended') }),
  reset: ({ t }) => ({ subject: t('mail.factors_reset_subject'), what: t('mail.factors_reset') }),
} as const satisfies Record<string, (words: Words, name: string) => Told>;
export type FactorNews = keyof typeof NEWS;

/** In the background. `email` null: there is no address. */
export function tellOfFactor(
  { email, ...reader }: Omit<MailReader, 'email'> & { email: string | null },
  news: FactorNews,
  name = '',
): void {
  if (email === null) return;
  sendServiceMail({ email, ...reader }, (words) => {
    const { t } = words;
    const { subject, what } = NEWS[news](words, namedIn(words, name));
    const href = `${settings().baseUrl}/account/security`;
    return {
      subject,
      parts: [
        what,
        t('mail.factor_you'),
        { text: t('mail.factor_not_you'), href, button: t('mail.button_account') },
      ],
    };
  });
}
