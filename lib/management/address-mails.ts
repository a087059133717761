// The mails of a change of address: a code to each of the two, and word to the one that is left.
import { settings } from '#lib/settings/index.ts';
import { sendServiceMail } from './service-mail.ts';

/** As long as the mails and the page say. */
export const ADDRESS_CHANGE_MINUTES = 15;

export function sendAddressCode(to: string, code: string, which: 'old' | 'new'): void {
  const about =
    which === 'old'
      ? 'Somebody who is signed in to your account wants to give it another e-mail address.'
      : 'Somebody wants this to be the e-mail address of their account.';
  const text = [
    about,
    `If it is you, type the code ${code.slice(0, 3)} ${code.slice(3)} where you began, within ${ADDRESS_CHANGE_MINUTES} minutes.`,
    '',
    ...(which === 'old'
      ? ['If it is not you, nothing changes. Change your password:', `${settings().baseUrl}/account/password`]
      : ['If it is not you, do nothing: nothing changes.']),
  ];
  sendServiceMail({ to, subject: 'a code to change your address', text: text.join('\n') });
}

/** Instead of a code: an address has one account. */
export function sendAddressTaken(to: string): void {
  const text = [
    'Somebody wants this to be the e-mail address of their account, but it has an account already, so it stays with that.',
    '',
    'If it was you, sign in with this address, or choose another one.',
  ];
  sendServiceMail({ to, subject: 'this address has an account', text: text.join('\n') });
}

export function sendAddressChanged(to: string, email: string): void {
  const text = [
    `The e-mail address of your account is ${email} now. It is no longer this one.`,
    'Links from earlier mails no longer work.',
    '',
    'If you do not know about this, tell whoever runs this service.',
  ];
  sendServiceMail({ to, subject: 'your address was changed', text: text.join('\n') });
}
