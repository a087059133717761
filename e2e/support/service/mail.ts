// Mails written by the service under test.
import path from 'node:path';
import { expect } from '@playwright/test';
import { readWrittenMail } from '#lib/kit/mail.ts';
import { sql } from './database.ts';

/** Returns the mails to an address, the newest first. */
export async function mailTo({ email }: { email: string }): Promise<{ subject: string; text: string }[]> {
  const folder = path.join(process.env['E2E_LOG_DIR'] ?? '', 'mail');
  return (await readWrittenMail(folder, 10_000)).filter(({ to }) => to === email);
}

/** Waits for a mail, because mails follow the response. Returns its link. */
export async function linkInMail(person: { email: string }, subject: string, count = 1): Promise<string> {
  const matching = async () => (await mailTo(person)).filter((mail) => mail.subject === subject);
  await expect.poll(async () => (await matching()).length, { message: subject }).toBe(count);
  return /https?:\/\/\S+/.exec((await matching())[0]?.text ?? '')?.[0] ?? '';
}

/**
 * Waits until this number of mails to the approver describes the request, alone or with other requests. Skips the
 * pause of ten minutes between two mails. Returns the link.
 */
export async function linkToRequest(
  person: { email: string },
  { client, api }: { client: string; api: string },
  count = 1,
): Promise<string> {
  const link = new RegExp(`https?://\\S+/admin\\?${new URLSearchParams({ client, api })}$`, 'm');
  const matching = async () => (await mailTo(person)).filter(({ text }) => link.test(text));
  const arrived = async () => {
    // shorter leases remain unchanged
    await sql(
      `update request_mail_turns t set next_at = now() from people p
        where p.id = t.person_id and p.email = $1 and next_at > now() + interval '301 seconds'`,
      [person.email],
    );
    return (await matching()).length;
  };
  await expect.poll(arrived, { message: `mails about ${client}`, timeout: 30_000 }).toBe(count);
  return link.exec((await matching())[0]?.text ?? '')?.[0] ?? '';
}
