// The mails that the service under test would have sent.
import path from 'node:path';
import { expect } from '@playwright/test';
import { readWrittenMail } from '#lib/kit/index.ts';

/** What the service has written to an address, the newest first. */
export async function mailTo({ email }: { email: string }): Promise<{ subject: string; text: string }[]> {
  const folder = path.join(process.env['E2E_LOG_DIR'] ?? '', 'mail');
  return (await readWrittenMail(folder, 10_000)).filter(({ to }) => to === email);
}

/** Waits for a mail, since mails are sent after the answer; gives the link in it. */
export async function linkInMail(person: { email: string }, subject: string, count = 1): Promise<string> {
  const matching = async () => (await mailTo(person)).filter((mail) => mail.subject === subject);
  await expect.poll(async () => (await matching()).length, { message: subject }).toBe(count);
  return /https?:\/\/\S+/.exec((await matching())[0]?.text ?? '')?.[0] ?? '';
}
