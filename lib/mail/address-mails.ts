// The words of the mails about a change of address: a code to each of the two, and word to the one that is left.
import { settings } from '#lib/settings/settings.ts';
import { namedIn } from './mail.ts';
import { mailKind, noFacts } from './mail-kind.ts';
import { spaced } from './registration-mails.ts';

/** As long as the mails and the page say. */
export const ADDRESS_CHANGE_MINUTES = 15;

type Code = { digits: string };

export const addressMails = {
  'address-code-old': mailKind<Code>({
    to: 'person',
    compose: ({ t }, { digits }) => {
      const code = spaced(digits);
      const href = `${settings().baseUrl}/account/password`;
      return {
        subject: t('mail.address_code_subject'),
        parts: [
          t('mail.address_code_old'),
          { text: t('mail.address_code', { code, minutes: ADDRESS_CHANGE_MINUTES }), code },
          { text: t('mail.address_code_old_not_you'), href },
        ],
      };
    },
    example: () => ({ digits: '123456' }),
  }),
  'address-code-new': mailKind<Code>({
    to: 'person',
    compose: ({ t }, { digits }) => {
      const code = spaced(digits);
      return {
        subject: t('mail.address_code_subject'),
        parts: [
          t('mail.address_code_new'),
          { text: t('mail.address_code', { code, minutes: ADDRESS_CHANGE_MINUTES }), code },
          t('mail.address_code_new_not_you'),
        ],
      };
    },
    example: () => ({ digits: '123456' }),
  }),
  'address-taken': mailKind({
    to: 'person',
    compose: ({ t }) => ({
      subject: t('mail.address_taken_subject'),
      parts: [t('mail.address_taken'), t('mail.address_taken_you')],
    }),
    example: noFacts,
  }),
  'address-changed': mailKind<{ email: string }>({
    to: 'person',
    compose: (words, { email }) => ({
      subject: words.t('mail.address_changed_subject'),
      parts: [
        words.t('mail.address_moved', { email: namedIn(words, email) }),
        words.t('mail.address_moved_links'),
        words.t('mail.address_changed_unknown'),
      ],
    }),
    example: () => ({ email: 'new@example.com' }),
  }),
  'address-changed-by-administrator': mailKind({
    to: 'person',
    compose: ({ t }) => ({
      subject: t('mail.address_changed_subject'),
      parts: [t('mail.address_changed'), t('mail.address_changed_ended'), t('mail.address_changed_unknown')],
    }),
    example: noFacts,
  }),
};
