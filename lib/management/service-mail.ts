// Mail goes to the SMTP server of the settings, or into a folder of the data directory.
import path from 'node:path';
import { log, type Mail, readWrittenMail, sendMail, settleMail, type WrittenMail } from '#lib/kit/index.ts';
import { settings } from '#lib/settings/index.ts';

const folder = () => path.join(/*turbopackIgnore: true*/ settings().dataDir, 'mail');

/** Sends in the background; never throws. The service's name comes first in every subject. */
export function sendServiceMail(mail: Mail): void {
  const { smtpUrl, baseUrl } = settings();
  const from = `Gatehouse <no-reply@${new URL(baseUrl).hostname}>`;
  sendMail({ ...mail, subject: `Gatehouse: ${mail.subject}` }, { smtpUrl, folder: folder(), from });
}

/**
 * For the development page: what would have been sent. Null where mail is sent, where people come from elsewhere, and
 * for whoever does not ask from this very machine, since a link in it opens an account.
 */
export async function listDevelopmentMail(asked: {
  fromThisMachine: boolean;
}): Promise<WrittenMail[] | null> {
  const { smtpUrl, local } = settings();
  return smtpUrl === null && local && asked.fromThisMachine ? readWrittenMail(folder(), 50) : null;
}

const running = new Set<Promise<void>>();

/** Runs without delaying the answer, so that timing tells nothing about what was found. */
export function background(work: () => Promise<void>): void {
  const done = work()
    .catch((error: unknown) => log().error({ err: error }, 'a mail could not be made'))
    .finally(() => running.delete(done));
  running.add(done);
}

const PATIENCE_MS = 2_000;

/** Before a process ends: waits at most PATIENCE_MS for mails under way. */
export async function settleNotices(): Promise<void> {
  const settled = Promise.all(running).then(settleMail);
  const patience = new Promise<void>((resolve) => setTimeout(resolve, PATIENCE_MS).unref());
  await Promise.race([settled, patience]);
}
