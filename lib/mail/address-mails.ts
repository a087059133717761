// The mails of a change of address: a code to each of the two, and word to the one that is left.
import { settings } from '#lib/settings/index.ts';
import { namedIn } from './mail.ts';
import { type MailReader, sendServiceMail } from './service-mail.ts';

/** As long as the mails and the page say. */
export const ADDRESS_CHANGE_MINUTES = 15;

export function sendAddressCode(to: MailReader, digits: string, which: 'old' | 'new'): void {
  const code = `${digits.slice(0, 3)} ${digits.slice(3)}`;
  const href = `${settings().baseUrl}/account/password`;
  sendServiceMail(to, ({ t }) => ({
    subject: t('mail.address_code_subject'),
    parts: [
      t(which === 'old' ? 'mail.address_code_old' : 'mail.address_code_new'),
      { text: t('mail.address_code', { code, minutes: ADDRESS_CHANGE_MINUTES }), code },
      which === 'old'
        ? { text: t('mail.address_code_old_not_you'), href }
        : t('mail.address_code_new_not_you'),
    ],
  }));
}

/** Instead of a code: an address has one account. */
export function sendAddressTaken(to: MailReader): void {
  sendServiceMail(to, ({ t }) => ({
    subject: t('mail.address_taken_subject'),
    parts: [t('mail.address_taken'), t('mail.address_taken_you')],
  }));
}

export function sendAddressChanged(to: MailReader, email: string): void {
  sendServiceMail(to, (words) => ({
    subject: words.t('mail.address_changed_subject'),
    parts: [
      words.t('mail.address_moved', { email: namedIn(words, email) }),
      words.t('mail.address_moved_links'),
      words.t('mail.address_changed_unknown'),
    ],
  }));
}
