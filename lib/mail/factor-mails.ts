// The words of the mails about a person's factors.
import type { Words } from '#lib/language/words.ts';
import { settings } from '#lib/settings/settings.ts';
import { namedIn } from './mail.ts';
import { type MailKind, mailKind } from './mail-kind.ts';

/** `name`: of the factor, where it has one */
type Named = { name: string };

/** `page`: where the person ends what was not theirs. */
const news = (
  say: (words: Words, name: string) => { subject: string; what: string },
  page = '/account/security',
): MailKind<Named> =>
  mailKind({
    to: 'person',
    compose: (words, { name }) => {
      const { t } = words;
      const { subject, what } = say(words, namedIn(words, name));
      const href = `${settings().baseUrl}${page}`;
      return {
        subject,
        parts: [
          what,
          t('mail.factor_you'),
          { text: t('mail.factor_not_you'), href, button: t('mail.button_account') },
        ],
      };
    },
    example: () => ({ name: 'My phone' }),
  });

export const factorMails = {
  'factor-passkey-added': news(({ t }, name) => ({
    subject: t('mail.passkey_added_subject'),
    what: t('mail.passkey_added', { name }),
  })),
  'factor-passkey-renamed': news(({ t }, name) => ({
    subject: t('mail.passkey_renamed_subject'),
    what: t('mail.passkey_renamed', { name }),
  })),
  'factor-passkey-removed': news(({ t }, name) => ({
    subject: t('mail.passkey_removed_subject'),
    what: t('mail.passkey_removed', { name }),
  })),
  'factor-app-added': news(({ t }) => ({ subject: t('mail.app_added_subject'), what: t('mail.app_added') })),
  'factor-app-removed': news(({ t }) => ({
    subject: t('mail.app_removed_subject'),
    what: t('mail.app_removed'),
  })),
  'factor-app-renamed': news(({ t }, name) => ({
    subject: t('mail.app_renamed_subject'),
    what: t('mail.app_renamed', { name }),
  })),
  'factor-app-replaced': news(({ t }) => ({
    subject: t('mail.app_replaced_subject'),
    what: t('mail.app_replaced'),
  })),
  'factor-codes-made': news(({ t }) => ({
    subject: t('mail.codes_made_subject'),
    what: t('mail.codes_made'),
  })),
  'factor-code-used': news(({ t }) => ({ subject: t('mail.code_used_subject'), what: t('mail.code_used') })),
  'factor-browser-trusted': news(({ t }) => ({
    subject: t('mail.browser_trusted_subject'),
    what: t('mail.browser_trusted'),
  })),
  'factor-device-connected': news(
    ({ t }, name) => ({
      subject: t('mail.device_connected_subject'),
      what: t('mail.device_connected', { name }),
    }),
    '/account',
  ),
  'factor-codes-guessed': news(({ t }) => ({
    subject: t('mail.codes_guessed_subject'),
    what: t('mail.codes_guessed'),
  })),
  'factor-codes-ended': news(({ t }) => ({
    subject: t('mail.codes_ended_subject'),
    what: t('mail.codes_ended'),
  })),
  'factor-reset': news(({ t }) => ({
    subject: t('mail.factors_reset_subject'),
    what: t('mail.factors_reset'),
  })),
};

export type FactorNews = keyof typeof factorMails extends `factor-${infer News}` ? News : never;
