// What an SMTP server is told: one mailbox for any name; and the order of mails in a folder.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { mailServer } from '#testing/net/mail-server.ts';
import { readWrittenMail, sendMail } from './index.ts';

async function recipientsOf(to: string): Promise<string[]> {
  const server = await mailServer();
  const from = { name: 'Gatehouse', address: 'login@example.com' };
  await sendMail({ to, subject: 'Hello', text: 'Text' }, { smtpUrl: server.smtpUrl, folder: tmpdir(), from });
  server.close();
  return server.received.flatMap((text) => text.match(/^RCPT TO:.*$/gm) ?? []);
}

test('a mail goes to its mailbox', async () => {
  expect(await recipientsOf('ada@example.com')).toEqual(['RCPT TO:<ada@example.com>']);
});

test.each([
  'one@example.com,two@example.com',
  '"Prize" <one@example.com>, two@example.com',
  'one@example.com;two@example.com',
  'one@example.com\r\nRCPT TO:<two@example.com>',
])('%j is no list of mailboxes', async (to) => {
  expect((await recipientsOf(to)).length).toBeLessThanOrEqual(1);
});

test('mails in a folder are read newest first, also those of one millisecond', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'gatehouse-mail-'));
  const from = { name: 'Gatehouse', address: 'login@example.com' };
  const subjects = Array.from({ length: 50 }, (_, n) => `Number ${n}`);
  await Promise.all(
    subjects.map((subject) =>
      sendMail({ to: 'ada@example.com', subject, text: 'Text' }, { smtpUrl: null, folder, from }),
    ),
  );
  const read = await readWrittenMail(folder, 50);
  await rm(folder, { recursive: true });
  expect(read.map(({ subject }) => subject)).toEqual(subjects.toReversed());
});
