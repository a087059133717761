// The words of the mails to people who make an account, and to those who decide on it.
import { settings } from '#lib/settings/settings.ts';
import { mailKind, noFacts } from './mail-kind.ts';

/** As long as an interrupted request waits in its browser, and as the mail says. */
export const REGISTRATION_MINUTES = 10;

/** As they are read aloud. */
export const spaced = (digits: string) => `${digits.slice(0, 3)} ${digits.slice(3)}`;

const hostOf = () => new URL(settings().baseUrl).host;

export const registrationMails = {
  'registration-code': mailKind<{ digits: string; link: string }>({
    to: 'visitor',
    compose: ({ t }, { digits, link }) => {
      const code = spaced(digits);
      return {
        subject: t('mail.confirm_subject'),
        parts: [
          { text: t('mail.code', { code, minutes: REGISTRATION_MINUTES }), code },
          { text: t('mail.code_link'), href: link, button: t('mail.button_confirm') },
          t('mail.code_not_you'),
        ],
      };
    },
    example: () => ({ digits: '123456', link: `${settings().authUrl}/register?link=EXAMPLE` }),
  }),
  'has-account': mailKind({
    to: 'visitor',
    compose: ({ t }) => {
      const account = `${settings().baseUrl}/account`;
      return {
        subject: t('mail.has_account_subject'),
        parts: [
          t('mail.has_account'),
          { text: t('mail.has_account_you'), href: account, button: t('mail.button_account') },
          { text: t('mail.has_account_password'), href: `${account}/forgot-password` },
          t('mail.has_account_not_you'),
        ],
      };
    },
    example: noFacts,
  }),
  admitted: mailKind({
    to: 'visitor',
    compose: ({ t }) => {
      const href = `${settings().authUrl}/register?done=approved`;
      return {
        subject: t('mail.admitted_subject'),
        parts: [{ text: t('mail.admitted'), href, button: t('mail.button_sign_in') }],
      };
    },
    example: noFacts,
  }),
  rejected: mailKind<{ reason: string | null }>({
    to: 'visitor',
    compose: ({ t }, { reason }) => ({
      subject: t('mail.rejected_subject'),
      parts: [
        t('mail.rejected', { host: hostOf() }),
        ...(reason === null ? [] : [{ text: t('mail.decided_why'), quote: reason }]),
      ],
    }),
    example: () => ({ reason: 'Please ask with your work address.' }),
  }),
  'waiting-ended': mailKind({
    to: 'visitor',
    compose: ({ t }) => ({
      subject: t('mail.waiting_ended_subject'),
      parts: [t('mail.waiting_ended', { host: hostOf() })],
    }),
    example: noFacts,
  }),
  'person-waits': mailKind({
    to: 'decider',
    compose: ({ t }) => {
      const href = `${settings().baseUrl}/admin/approvals`;
      return {
        subject: t('mail.person_waits_subject'),
        parts: [
          { text: t('mail.person_waits'), href, button: t('mail.button_look') },
          t('mail.person_waits_hourly'),
        ],
      };
    },
    example: noFacts,
  }),
};
