// Sends mail by SMTP or, if there is no server, writes it to plain text files. Delivery runs in the background and
// never fails for the caller; failures are logged. The log never contains mail text, because a link in a mail can
// open an account. The files contain lines without encoding or line breaks, so that links can be copied
// (docs/project/decisions/0028).
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { now } from './clock.ts';
import { log } from './log.ts';
import { inBackground } from './process.ts';
import { randomToken } from './random.ts';

/** `to`: a single mailbox */
export type Mail = { to: string; subject: string; text: string; html?: string };
/** Destination of mails. `smtpUrl` may set the sender: `smtp://mail.example?from=login@example.com`. */
export type MailTransport = {
  smtpUrl: string | null;
  folder: string;
  from: { name: string; address: string };
};

const MAIL_TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };

/** Delivers a mail in the background. The promise resolves after success or failure and never rejects. */
export const sendMail = (mail: Mail, transport: MailTransport): Promise<void> =>
  inBackground(
    deliverMail(mail, transport).catch((error: unknown) =>
      log().error({ err: error }, 'a mail could not be sent'),
    ),
  );

/** Delivers a mail and waits for the result. Rejects if the server refuses the mail. */
export async function deliverMail(
  mail: Mail,
  transport: MailTransport,
  timeouts = MAIL_TIMEOUTS,
): Promise<void> {
  if (transport.smtpUrl === null) return writeToFile(mail, transport);
  const { url, from = transport.from } = smtpAddress(transport.smtpUrl);
  // the library is loaded for the first mail
  const { createTransport } = await import('nodemailer');
  const smtp = createTransport({ url, ...timeouts });
  try {
    // an object is one mailbox, whereas the library would parse a string as a list
    const to = { name: '', address: mail.to };
    await smtp.sendMail({
      ...mail,
      to,
      from,
      headers: AUTOMATIC,
      messageId: messageIdOf(from),
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  } finally {
    smtp.close();
  }
}

/**
 * RFC 3834 §5: prevents vacation replies. Exchange requires another header for this. Each mail concerns one person's
 * account, so `List-…` and `Precedence: bulk` are omitted.
 */
const AUTOMATIC = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };

/**
 * RFC 5322 §3.6.4: the id contains the domain of the sender, which mail filters can look up. The name of the host may
 * be that of a container, so it is not used.
 */
const messageIdOf = (from: MailTransport['from'] | string): string => {
  const address = typeof from === 'string' ? (/<([^<>]*)>\s*$/.exec(from)?.[1] ?? from) : from.address;
  const domain = address.slice(address.lastIndexOf('@') + 1).trim();
  return `<${randomToken('')}@${domain}>`;
};

/** Separates `from` (the sender) from the URL. Gatehouse adds this parameter, and the library does not know it. */
function smtpAddress(smtpUrl: string): { url: string; from?: string } {
  const url = new URL(smtpUrl);
  const from = url.searchParams.get('from');
  url.searchParams.delete('from');
  return { url: url.href, ...(from !== null && { from }) };
}

/** File names of one process sort in the order in which its mails were sent, even within a millisecond. */
let files = 0;

async function writeToFile(mail: Mail, { folder, from }: MailTransport): Promise<void> {
  const stamp = now().toISOString().replaceAll(/[:.]/g, '-');
  files += 1;
  const name = `${stamp}-${String(files).padStart(6, '0')}-${randomToken('').slice(0, 6)}.eml`;
  const file = path.join(folder, name);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const header = [
    `From: ${formatAddress(from)}`,
    `To: ${oneLine(mail.to)}`,
    `Subject: ${encodeWord(oneLine(mail.subject))}`,
    `Date: ${now().toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: ${messageIdOf(from)}`,
    ...Object.entries(AUTOMATIC).map(([name, value]) => `${name}: ${value}`),
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: 8bit',
  ];
  const text = mail.text.replaceAll(/\r?\n/g, '\r\n');
  await writeFile(file, `${header.join('\r\n')}\r\n\r\n${text}\r\n`, { mode: 0o600, flag: 'wx' });
  log().info({ file }, 'no SMTP_URL: a mail was written to a file');
}

const oneLine = (text: string) => text.replaceAll(/[\r\n\0]+/g, ' ');
const formatAddress = ({ name, address }: MailTransport['from']) =>
  `${quoteName(oneLine(name))} <${oneLine(address)}>`;
/** RFC 5322 §3.4: quotes a name that contains special characters */
const quoteName = (name: string) =>
  /^[\w ]*$/.test(name) || encodeWord(name) !== name ? encodeWord(name) : JSON.stringify(name);
/** RFC 2047 §2: encodes text that is not ASCII */
const encodeWord = (text: string) =>
  /^[\x20-\x7e]*$/.test(text) ? text : `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`;

export type WrittenMail = Omit<Mail, 'html'> & { file: string };

/** Reads the newest mails in the folder, newest first. */
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

// Tests the mail server like a sender: connects, encrypts, logs in, and disconnects.

const PATIENCE = { connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 5_000 };
/** maximum time per step, even if the server keeps sending data slowly */
const MOST_MS = 8_000;

type MailStage = 'connect' | 'encrypt' | 'login' | 'message';

/** `code` and `command` come from the library, `cause` from the system or TLS. `said`: the response of the server. */
export type MailFault = { code: string; command: string; cause: string; said: string };

export type MailStep = {
  stage: MailStage;
  tookMs: number;
  /** `skipped`: SMTP_URL contains no user, or TLS is neither required nor offered */
  outcome: 'done' | 'skipped' | MailFault;
};

/** Stops at the first step that fails. If a mail is given, it is sent last, by the code that sends every mail. */
export async function tryMailServer(
  transport: MailTransport & { smtpUrl: string },
  mail: Mail | null,
): Promise<MailStep[]> {
  const [{ default: SMTPConnection }, { parseConnectionUrl }] = await Promise.all([
    import('nodemailer/lib/smtp-connection'),
    import('nodemailer/lib/shared'),
  ]);
  const { auth, ...options } = parseConnectionUrl(smtpAddress(transport.smtpUrl).url);
  const connection = new SMTPConnection({ ...options, ...PATIENCE, dnsTimeout: PATIENCE.connectionTimeout });
  const steps: MailStep[] = [];
  try {
    const met = await withTimeLimit((done) => {
      connection.once('error', done);
      connection.connect(done);
    });
    if (met.fault && !isOfTls(met.fault)) return [step('connect', met)];
    steps.push(step('connect', { tookMs: met.tookMs, fault: null }));
    if (met.fault) return [...steps, step('encrypt', { ...met, tookMs: 0 })];
    steps.push({ stage: 'encrypt', tookMs: 0, outcome: connection.secure ? 'done' : 'skipped' });
    if (auth?.user === undefined) steps.push({ stage: 'login', tookMs: 0, outcome: 'skipped' });
    else {
      const letIn = await withTimeLimit((done) => connection.login(auth, done));
      steps.push(step('login', letIn));
      if (letIn.fault) return steps;
    }
  } finally {
    connection.removeAllListeners('error').on('error', () => {});
    connection.close();
  }
  if (mail === null) return steps;
  const taken = await withTimeLimit((done) => {
    deliverMail(mail, transport, PATIENCE).then(() => done(), done);
  });
  return [...steps, step('message', taken)];
}

type Tried = { tookMs: number; fault: MailFault | null };

const step = (stage: MailStage, { tookMs, fault }: Tried): MailStep => ({
  stage,
  tookMs,
  outcome: fault ?? 'done',
});

async function withTimeLimit(work: (done: (error?: Error | null) => void) => void): Promise<Tried> {
  const began = performance.now();
  const { promise, resolve } = Promise.withResolvers<Error | null>();
  const timer = setTimeout(() => resolve(Object.assign(new Error(), { code: 'ETIMEDOUT' })), MOST_MS);
  work((error) => resolve(error ?? null));
  const error = await promise;
  clearTimeout(timer);
  return { tookMs: Math.round(performance.now() - began), fault: error && faultOf(error) };
}

function faultOf(error: Error): MailFault {
  const { code, command, originalCode, response } = error as Record<string, unknown> & Error;
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  return {
    code: text(code),
    command: text(command),
    cause: text(originalCode) || text((error.cause as { code?: unknown } | undefined)?.code),
    said: text(response),
  };
}

/** True if the server responds, but the encrypted connection fails. */
const isOfTls = ({ code, cause }: MailFault): boolean =>
  code === 'ETLS' || /^(ERR_(SSL|TLS)|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO$|HOSTNAME)/.test(cause);
