// The words of the mails about an account: passwords, a proof of its address, and its end.
import { settings } from '#lib/settings/settings.ts';
import { mailKind, noFacts } from './mail-kind.ts';

const EXAMPLE = 'EXAMPLE';

export const accountMails = {
  'password-reset': mailKind<{ href: string; minutes: number }>({
    to: 'visitor',
    compose: ({ t }, { href, minutes }) => ({
      subject: t('mail.reset_subject'),
      parts: [
        { text: t('mail.reset', { minutes }), href, button: t('mail.button_password') },
        t('mail.reset_not_you'),
      ],
    }),
    example: () => ({ href: `${settings().baseUrl}/account/reset-password?token=${EXAMPLE}`, minutes: 30 }),
  }),
  'password-adopted': mailKind({
    to: 'person',
    compose: ({ t }) => ({
      subject: t('mail.password_adopted_subject'),
      parts: [t('mail.password_adopted'), t('mail.password_adopted_not_you')],
    }),
    example: noFacts,
  }),
  'no-account': mailKind({
    to: 'visitor',
    compose: ({ t }) => ({
      subject: t('mail.no_account_subject'),
      parts: [t('mail.no_account'), t('mail.no_account_you')],
    }),
    example: noFacts,
  }),
  invited: mailKind<{ href: string; days: number }>({
    to: 'person',
    compose: ({ t }, { href, days }) => {
      const { host } = new URL(settings().baseUrl);
      return {
        subject: t('mail.invited_subject'),
        parts: [
          { text: t('mail.invited', { host, days }), href, button: t('mail.button_invited') },
          t('mail.invited_unexpected'),
        ],
      };
    },
    example: () => ({ href: `${settings().authUrl}/register?invitation=${EXAMPLE}`, days: 7 }),
  }),
  'verify-address': mailKind<{ href: string }>({
    to: 'person',
    compose: ({ t }, { href }) => ({
      subject: t('mail.confirm_subject'),
      parts: [{ text: t('mail.verify'), href, button: t('mail.button_confirm') }],
    }),
    example: () => ({ href: `${settings().baseUrl}/account/verify-email?token=${EXAMPLE}` }),
  }),
  'account-deleted': mailKind({
    to: 'person',
    compose: ({ t }) => ({
      subject: t('mail.account_deleted_subject'),
      parts: [t('mail.account_deleted'), t('mail.account_deleted_not_you')],
    }),
    example: noFacts,
  }),
  test: mailKind({
    to: 'administrator',
    compose: ({ t }) => ({ subject: t('mail.test_subject'), parts: [t('mail.test')] }),
    example: noFacts,
  }),
  'clients-without-owner': mailKind<{ links: readonly string[] }>({
    to: 'administrator',
    compose: ({ t }, { links }) => ({
      subject: t('mail.ownerless_subject'),
      parts: [{ text: t('mail.ownerless'), links }],
    }),
    example: () => ({ links: [`${settings().baseUrl}/admin/clients/${EXAMPLE}`] }),
  }),
};
