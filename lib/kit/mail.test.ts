// What an SMTP server is told: one mailbox, whatever is in its name.
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { mailServer } from '#testing/net/mail-server.ts';
import { sendMail } from './index.ts';

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
