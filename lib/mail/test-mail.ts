// A test message: it goes out as every mail does, and what the server said at each step is told.
import { deliverMail } from '#lib/kit/mail.ts';
import { type MailStep, tryMailServer } from '#lib/kit/mail-trial.ts';
import { composeMail, type MailReader, mailTransport } from './service-mail.ts';

/** To null, only the server is asked. Null: no mail server is set, and the message is in a folder. */
export async function sendTestMail(to: MailReader | null): Promise<MailStep[] | null> {
  const mail = to && composeMail(to, 'test', {});
  const { smtpUrl, ...transport } = mailTransport();
  if (smtpUrl !== null) return tryMailServer({ ...transport, smtpUrl }, mail);
  if (mail) await deliverMail(mail, { ...transport, smtpUrl });
  return null;
}
