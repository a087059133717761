// Sends the mails of a change of address.
import { type MailReader, sendServiceMail } from './service-mail.ts';

export function sendAddressCode(to: MailReader, digits: string, which: 'old' | 'new'): void {
  sendServiceMail(to, `address-code-${which}`, { digits });
}

/** Instead of a code: an address has one account. */
export function sendAddressTaken(to: MailReader): void {
  sendServiceMail(to, 'address-taken', {});
}

export function sendAddressChanged(to: MailReader, email: string): void {
  sendServiceMail(to, 'address-changed', { email });
}
