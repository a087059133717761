// Which way mail goes: the settings' server, or a folder beside the data.
import path from 'node:path';
import { type Mail, readWrittenMail, sendMail, type WrittenMail } from '#lib/kit/index.ts';
import { settings } from '#lib/settings/index.ts';

const folder = () => path.join(/*turbopackIgnore: true*/ settings().dataDir, 'mail');

/** Sets it on its way; never fails. The name of the service comes first in every subject. */
export function post(mail: Mail): void {
  const { smtpUrl, baseUrl } = settings();
  const from = `Gatehouse <no-reply@${new URL(baseUrl).hostname}>`;
  sendMail({ ...mail, subject: `Gatehouse: ${mail.subject}` }, { smtpUrl, folder: folder(), from });
}

/** For the development page: what would have been sent. Nothing where mail is sent, or people come from elsewhere. */
export async function listDevelopmentMail(): Promise<WrittenMail[]> {
  const { smtpUrl, baseUrl } = settings();
  const local = ['localhost', '127.0.0.1', '[::1]'].includes(new URL(baseUrl).hostname);
  return smtpUrl === null && local ? readWrittenMail(folder(), 50) : [];
}
