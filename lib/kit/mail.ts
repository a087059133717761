// Mail: plain text, by SMTP, or into files where no server is named. Sending never blocks, and never fails, whatever
// it belongs to: a failure is logged. Nothing of a message gets into the log, since its link may open something.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createTransport } from 'nodemailer';
import { now } from './clock.ts';
import { log } from './log.ts';
import { randomToken } from './random.ts';

export type Mail = { to: string; subject: string; text: string };
/** Where mail goes; `smtpUrl` may name the sender: `smtp://mail.example?from=login@example.com`. */
export type MailRoad = { smtpUrl: string | null; folder: string; from: string };

const TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };

const onTheWay = new Set<Promise<void>>();

/** Sets it on its way and returns at once. */
export function sendMail(mail: Mail, road: MailRoad): void {
  const sent = deliver(mail, road)
    .catch((error: unknown) => log().error({ err: error }, 'a mail could not be sent'))
    .finally(() => onTheWay.delete(sent));
  onTheWay.add(sent);
}

/** Waits for what is on its way: before a process ends. */
export async function settleMail(): Promise<void> {
  await Promise.all(onTheWay);
}

async function deliver(mail: Mail, road: MailRoad): Promise<void> {
  if (road.smtpUrl === null) return writeToFile(mail, road);
  const url = new URL(road.smtpUrl);
  const from = url.searchParams.get('from') ?? road.from;
  url.searchParams.delete('from');
  const transport = createTransport({ url: url.href, ...TIMEOUTS });
  try {
    await transport.sendMail({ ...mail, from, disableFileAccess: true, disableUrlAccess: true });
  } finally {
    transport.close();
  }
}

async function writeToFile(mail: Mail, { folder, from }: MailRoad): Promise<void> {
  const stamp = now().toISOString().replaceAll(/[:.]/g, '-');
  const file = path.join(folder, `${stamp}-${randomToken('').slice(0, 6)}.eml`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const header = [
    `From: ${oneLine(from)}`,
    `To: ${oneLine(mail.to)}`,
    `Subject: ${encoded(oneLine(mail.subject))}`,
    `Date: ${now().toUTCString()}`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: 8bit',
  ];
  const text = mail.text.replaceAll(/\r?\n/g, '\r\n');
  await writeFile(file, `${header.join('\r\n')}\r\n\r\n${text}\r\n`, { mode: 0o600, flag: 'wx' });
  log().info({ file }, 'no SMTP_URL: a mail was written to a file');
}

const oneLine = (text: string) => text.replaceAll(/[\r\n\0]+/g, ' ');
/** RFC 2047 §2, where the text is not ASCII */
const encoded = (text: string) =>
  /^[\x20-\x7e]*$/.test(text) ? text : `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`;

export type WrittenMail = Mail & { file: string };

/** The newest mails that were written to files. */
export async function readWrittenMail(folder: string, limit: number): Promise<WrittenMail[]> {
  const names = await readdir(folder).catch(() => []);
  const newest = names
    .filter((name) => name.endsWith('.eml'))
    .sort()
    .reverse()
    .slice(0, limit);
  return Promise.all(
    newest.map(async (file) => parse(file, await readFile(path.join(folder, file), 'utf8'))),
  );
}

function parse(file: string, content: string): WrittenMail {
  const [head = '', ...body] = content.split('\r\n\r\n');
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(head)?.[1]?.trim() ?? '';
  const word = /^=\?utf-8\?B\?(.*)\?=$/.exec(header('Subject'))?.[1];
  const subject = word === undefined ? header('Subject') : Buffer.from(word, 'base64').toString('utf8');
  return { file, to: header('To'), subject, text: body.join('\r\n\r\n').replaceAll('\r\n', '\n').trim() };
}
