// The messages that SMTP servers receive: each has one mailbox, whatever the name. Also tests the order of
// mails in a folder.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { mailServer } from '#testing/net/mail-server.ts';
import { readWrittenMail, sendMail } from './mail.ts';

async function recipientsOf(to: string): Promise<string[]> {
  const server = await mailServer();
  const from = { name: 'Gatehouse', address: 'login@example.com' };
  await sendMail({ to, subject: 'Hello', text: 'Text' }, { smtpUrl: server.smtpUrl, folder: tmpdir(), from });
  server.close();
  return server.received.flatMap((text) => text.match(/^RCPT TO:.*$/gm) ?? []);
}

test('a mail for a mailbox is delivered to it', async () => {
  expect(await recipientsOf('ada@example.com')).toEqual(['RCPT TO:<ada@example.com>']);
});

test.each([
  'one@example.com,two@example.com',
  '"Prize" <one@example.com>, two@example.com',
  'one@example.com;two@example.com',
  'one@example.com\r\nRCPT TO:<two@example.com>',
])('the address %j never becomes several mailboxes', async (to) => {
  expect((await recipientsOf(to)).length).toBeLessThanOrEqual(1);
});

/** Header fields, keyed by their name in lower case. */
function headersOf(message: string): Map<string, string> {
  const [head = ''] = message.split('\r\n\r\n');
  const lines = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n');
  return new Map(
    lines.map((line) => {
      const [name = '', ...value] = line.split(':');
      return [name.toLowerCase(), value.join(':').trim()];
    }),
  );
}

async function sentMessage(from: string): Promise<string> {
  const server = await mailServer();
  const transport = { folder: tmpdir(), from: { name: 'Gatehouse', address: 'no-reply@login.example' } };
  const smtpUrl = server.smtpUrl.replace('from=login@example.com', `from=${encodeURIComponent(from)}`);
  const mail = { to: 'ada@example.com', subject: 'Größe', text: 'Text', html: '<p>Text</p>' };
  await sendMail(mail, { ...transport, smtpUrl });
  server.close();
  return server.received.find((text) => /^subject:/im.test(text)) ?? '';
}

async function writtenMessage(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'gatehouse-mail-'));
  const from = { name: 'Gatehouse', address: 'no-reply@login.example' };
  await sendMail({ to: 'ada@example.com', subject: 'Größe', text: 'Text' }, { smtpUrl: null, folder, from });
  const [file = ''] = await readdir(folder);
  const message = await readFile(path.join(folder, file), 'utf8');
  await rm(folder, { recursive: true });
  return message;
}

test.each([
  ['by SMTP', () => sentMessage('login@example.com'), 'example.com'],
  ['by SMTP, from a named sender', () => sentMessage('Login <login@mail.example>'), 'mail.example'],
  ['into a file', writtenMessage, 'login.example'],
])(
  'a mail %s has the headers of RFC 5322 §3.6 and RFC 3834 §5, and no mailing-list headers',
  async (_, send, domain) => {
    const headers = headersOf(await send());
    expect(headers.get('auto-submitted')).toBe('auto-generated');
    expect(headers.get('x-auto-response-suppress')).toBe('All');
    expect(headers.get('message-id')).toMatch(new RegExp(`^<[\\w-]{20,}@${domain.replace('.', '\\.')}>$`));
    expect(headers.get('date')).toMatch(/^\w{3}, \d{1,2} \w{3} \d{4} \d\d:\d\d:\d\d \+0000$/);
    expect(headers.get('mime-version')).toBe('1.0');
    expect(headers.get('subject')).toMatch(/^=\?utf-8\?/i);
    expect([...headers.keys()].filter((name) => /^list-|^precedence$|^bcc$/.test(name))).toEqual([]);
  },
);

test('mails in a mail folder are read newest first, even within one millisecond', async () => {
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
