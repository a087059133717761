// Sends the mails about a password.
import { type MailReader, sendServiceMail } from './service-mail.ts';

/** In the background. The password came from the service that the person used before; `email` null: no mail. */
export function tellOfAdoption({
  email,
  ...reader
}: Omit<MailReader, 'email'> & { email: string | null }): void {
  if (email !== null) sendServiceMail({ email, ...reader }, 'password-adopted', {});
}
