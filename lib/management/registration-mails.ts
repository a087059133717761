// The mails of people who make an account. An address that has one gets a mail as well, with the ways in.
import { settings } from '#lib/settings/index.ts';
import { sendServiceMail } from './service-mail.ts';

/** As long as an interrupted request waits in its browser, and as the mail says. */
export const REGISTRATION_MINUTES = 10;

export function sendRegistrationCode(to: string, code: string, link: string): void {
  const text = [
    `Your code is ${code.slice(0, 3)} ${code.slice(3)}. Type it where you began, within ${REGISTRATION_MINUTES} minutes.`,
    '',
    'In the same browser this link does the same:',
    link,
    '',
    'If it was not you who asked for an account, do nothing: none is made.',
  ];
  sendServiceMail({ to, subject: 'confirm your address', text: text.join('\n') });
}

export function sendAccountExists(to: string): void {
  const { baseUrl } = settings();
  const text = [
    'Somebody asked for an account with this address, and it has one already.',
    '',
    'If it was you, go back to the application and sign in, or see your account:',
    `${baseUrl}/account`,
    'You do not know your password? Choose a new one:',
    `${baseUrl}/account/forgot-password`,
    '',
    'If it was not you, do nothing: your account stays as it is.',
  ];
  sendServiceMail({ to, subject: 'you have an account', text: text.join('\n') });
}
