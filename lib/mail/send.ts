// Sends the mails of the service in the reader's language to the SMTP server of the settings, or writes them to a
// folder of the data directory.
import { isIP } from 'node:net';
import path from 'node:path';
import { log } from '#lib/kit/log.ts';
import {
  deliverMail,
  type Mail,
  type MailStep,
  type MailTransport,
  readWrittenMail,
  sendMail,
  tryMailServer,
  type WrittenMail,
} from '#lib/kit/mail.ts';
import { inBackground, settleBackground } from '#lib/kit/process.ts';
import { languageOf } from '#lib/language/negotiate.ts';
import { type Words, wordsOf } from '#lib/language/words.ts';
import type { Language } from '#lib/settings/languages.ts';
import { settings } from '#lib/settings/settings.ts';
import { selectReadersOf } from '#lib/store/people.ts';
import { afterCommit, database } from '#lib/store/prisma.ts';
import { type CameWith, htmlOfMail, type MailDress, mailBrand, textOfMail } from './mail.ts';
import {
  type FactorNews,
  type FactsOf,
  MAIL_NAMES,
  type MailKind,
  type MailName,
  mailOf,
} from './messages.ts';

const folder = () => path.join(/*turbopackIgnore: true*/ settings().dataDir, 'mail');

export type MailReader = {
  email: string;
  /** of the profile (BCP 47) */
  locale?: string | null | undefined;
  /** of the page where this person asked; a mail that another person caused has none */
  pageLanguage?: Language | null | undefined;
};

/**
 * Sends a mail in the background. The promise resolves after the mail is sent or has failed, and never rejects. In a
 * transaction the mail waits for the commit, a rollback drops it, and the promise resolves at once. Every subject begins
 * with the name of the service.
 */
export function sendServiceMail<Name extends MailName>(
  to: MailReader,
  name: Name,
  facts: FactsOf<Name>,
  dress?: MailDress,
): Promise<void> {
  let sent = Promise.resolve();
  afterCommit(() => {
    sent = sendMail(composeMail(to, name, facts, dress), mailTransport());
  });
  return sent;
}

export function mailTransport(): MailTransport {
  const { smtpUrl, baseUrl, serviceName } = settings();
  const address = `no-reply@${mailDomain(new URL(baseUrl).hostname)}`;
  return { smtpUrl, folder: folder(), from: { name: serviceName, address } };
}

/** RFC 5321 §4.1.3: IP addresses are domain literals, `[192.0.2.1]` and `[IPv6:2001:db8::1]`. */
function mailDomain(hostname: string): string {
  if (hostname.startsWith('[')) return `[IPv6:${hostname.slice(1)}`;
  return isIP(hostname) === 0 ? hostname : `[${hostname}]`;
}

export function composeMail<Name extends MailName>(
  { email, locale, pageLanguage }: MailReader,
  name: Name,
  facts: FactsOf<Name>,
  dress?: MailDress,
): Mail {
  const words = wordsOf(languageOf({ profile: locale }, pageLanguage ?? settings().defaultLanguage));
  return { to: email, ...writtenMail(name, words, facts, dress) };
}

/** The mail as its reader gets it. */
export function writtenMail<Name extends MailName>(
  name: Name,
  plain: Words,
  facts: FactsOf<Name>,
  dress?: MailDress,
): { subject: string; text: string; html: string } {
  const { baseUrl, serviceName } = settings();
  const { brand, words } = dress?.(plain) ?? { brand: null, words: plain };
  const { subject, parts } = mailOf(name).compose(words, facts);
  const closing = words.line('mail_closing');
  const content = { subject, parts: closing === null ? parts : [...parts, closing] };
  const shown = { brand: brand ?? { name: serviceName }, host: new URL(baseUrl).host };
  return {
    subject: `${serviceName}: ${content.subject}`,
    text: textOfMail(content, shown),
    html: htmlOfMail(content, words, shown),
  };
}

/**
 * For the development page: what would have been sent. Null where mail is sent, where people come from elsewhere, and
 * for callers from other machines, since a link in it opens an account.
 */
export async function listDevelopmentMail(asked: {
  fromThisMachine: boolean;
}): Promise<WrittenMail[] | null> {
  return mailStaysHere() && asked.fromThisMachine ? readWrittenMail(folder(), 50) : null;
}
/** Whether mails are read on the development page, because this is a local service without a mail server. */
export function mailStaysHere(): boolean {
  const { smtpUrl, local } = settings();
  return smtpUrl === null && local;
}

/** Runs without delaying the answer, so that timing tells nothing about what was found. */
export function background(work: () => Promise<void>): void {
  inBackground(work().catch((error: unknown) => log().error({ err: error }, 'a mail could not be made')));
}

const MAILS_AT_ONCE = 10;

/** A few at a time, so that the mail server is not called a thousand times at once. */
export async function sendToEach<Reader>(
  readers: readonly Reader[],
  send: (reader: Reader) => Promise<void>,
): Promise<void> {
  const left = readers.values();
  const sendSome = async () => {
    for (const reader of left) await send(reader);
  };
  await Promise.all(Array.from({ length: MAILS_AT_ONCE }, sendSome));
}

/** Before a process ends: waits for mails under way. Gives whether every one has been sent or has failed. */
export const settleNotices = (patienceMs = 2_000): Promise<boolean> => settleBackground(patienceMs);

// Sends the mails about a password.

/** In the background. The password came from the service that the person used before; `email` null: no mail. */
export function tellOfAdoption({
  email,
  ...reader
}: Omit<MailReader, 'email'> & { email: string | null }): void {
  if (email !== null) sendServiceMail({ email, ...reader }, 'password-adopted', {});
}

// Sends the mails of a change of address.

export function sendAddressCode(to: MailReader, digits: string, which: 'old' | 'new'): void {
  sendServiceMail(to, `address-code-${which}`, { digits });
}

/** Instead of a code: an address has one account. */
export function sendAddressTaken(to: MailReader): void {
  sendServiceMail(to, 'address-taken', {});
}

export function sendAddressChanged(to: MailReader, email: string): void {
  sendServiceMail(to, 'address-changed', { email });
}

// Each change of a person's factors, and each use of a recovery code, is mailed to them, so that they learn of what
// they did not do. People without an address get none.

/** In the background. `email` null: there is no address. */
export function tellOfFactor(
  { email, ...reader }: Omit<MailReader, 'email'> & { email: string | null },
  news: FactorNews,
  name = '',
): void {
  if (email !== null) sendServiceMail({ email, ...reader }, `factor-${news}`, { name });
}

// Sends the mails of people who make an account. An address that has one gets a mail as well, with the ways in.

type Brand = ReturnType<typeof mailBrand>;

export function sendRegistrationCode(to: MailReader, digits: string, link: string, brand?: Brand): void {
  sendServiceMail(to, 'registration-code', { digits, link }, brand);
}

export function sendAccountExists(to: MailReader, brand?: Brand): void {
  sendServiceMail(to, 'has-account', {}, brand);
}

/** To approvers and administrators, without who waits: what a stranger calls themselves is seen in the inbox. */
export function tellDeciders(): void {
  background(async () => {
    const db = await database();
    const deciders = await Promise.all(
      (['approver', 'administrator'] as const).map((role) => selectReadersOf(db, role)),
    );
    // one person may be both
    for (const to of new Map(deciders.flat().map((one) => [one.email, one])).values())
      sendServiceMail(to, 'person-waits', {});
  });
}

type Decided = { to: MailReader; brand: Brand };

export function tellAdmitted({ to, brand }: Decided): void {
  sendServiceMail(to, 'admitted', {}, brand);
}

export function tellRejected({ to, brand }: Decided, reason: string | null): void {
  sendServiceMail(to, 'rejected', { reason }, brand);
}

/** To everybody who waited at a method that is no more. */
export function tellWaitingEnded(waited: readonly Decided[]): void {
  background(() => sendToEach(waited, ({ to, brand }) => sendServiceMail(to, 'waiting-ended', {}, brand)));
}

// The mails as they would be, with examples put in: by the functions that write the real ones.

export type MailListed = { name: MailName; to: MailKind<never>['to']; subject: string };

/** Every mail that the service sends. */
export const listMails = (words: Words): MailListed[] =>
  MAIL_NAMES.map((name) => ({ name, to: mailOf(name).to, subject: subjectOf(name, words) }));

const subjectOf = <Name extends MailName>(name: Name, words: Words) => {
  const { compose, example } = mailOf(name);
  return compose(words, example()).subject;
};

/** Only a person who came from an application gets a mail with its brand. */
const brandOf = (name: MailName, cameWith: CameWith | undefined) =>
  mailOf(name).to === 'visitor' ? mailBrand(cameWith) : undefined;

export const exampleMail = <Name extends MailName>(name: Name, words: Words, cameWith?: CameWith) =>
  writtenMail(name, words, mailOf(name).example(), brandOf(name, cameWith));

export const sendExampleMail = <Name extends MailName>(reader: MailReader, name: Name, cameWith?: CameWith) =>
  sendServiceMail(reader, name, mailOf(name).example(), brandOf(name, cameWith));

// A test message: it goes out as every mail does, and what the server said at each step is told.

/** To null, only the server is asked. Null: no mail server is set, and the message is in a folder. */
export async function sendTestMail(to: MailReader | null): Promise<MailStep[] | null> {
  const mail = to && composeMail(to, 'test', {});
  const { smtpUrl, ...transport } = mailTransport();
  if (smtpUrl !== null) return tryMailServer({ ...transport, smtpUrl }, mail);
  if (mail) await deliverMail(mail, { ...transport, smtpUrl });
  return null;
}
