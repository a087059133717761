// Sends mails of the service in the reader's language to the configured SMTP server, or writes them to the data
// folder.
import { isIP } from 'node:net';
import path from 'node:path';
import { selectReadersOf } from '#lib/catalogue/people/rows.ts';
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
  /** language in the reader's profile (BCP 47) */
  locale?: string | null | undefined;
  /** language of the page that the reader uses; missing if another user caused the mail */
  pageLanguage?: Language | null | undefined;
};

/**
 * Sends a mail in the background. The promise resolves after the mail was sent or has failed, and never rejects.
 * Inside a transaction, the mail is sent after the commit and dropped after a rollback, and the promise resolves
 * immediately. Every subject begins with the name of the service.
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

/**
 * Returns the domain of a mail address. An IP address becomes a domain literal, `[192.0.2.1]` or
 * `[IPv6:2001:db8::1]` (RFC 5321 §4.1.3).
 */
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

/** Renders a mail of the service for its reader. */
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
  const mailContext = { brand: brand ?? { name: serviceName }, host: new URL(baseUrl).host };
  return {
    subject: `${serviceName}: ${content.subject}`,
    text: textOfMail(content, mailContext),
    html: htmlOfMail(content, words, mailContext),
  };
}

/**
 * Returns unsent mails for the development page. `null`: mails are delivered, or users or the caller are on another
 * machine. Reason: a link in a mail can open an account.
 */
export async function listDevelopmentMail(input: {
  fromThisMachine: boolean;
}): Promise<WrittenMail[] | null> {
  return mailStaysHere() && input.fromThisMachine ? readWrittenMail(folder(), 50) : null;
}
/** True if mails are shown on the development page. This is the case for a local service without a mail server. */
export function mailStaysHere(): boolean {
  const { smtpUrl, local } = settings();
  return smtpUrl === null && local;
}

/** Runs work without delaying the response, so that its timing does not reveal whether an account was found. */
export function background(work: () => Promise<void>): void {
  inBackground(work().catch((error: unknown) => log().error({ err: error }, 'a mail could not be made')));
}

const MAILS_AT_ONCE = 10;

/**
 * Limits how many mails are sent at the same time, so that the mail server never receives a thousand connections at
 * once.
 */
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

/**
 * Called before the process exits: waits for pending mails. Resolves to `true` if every mail was sent or has failed.
 */
export const settleNotices = (patienceMs = 2_000): Promise<boolean> => settleBackground(patienceMs);

// Sends mails about passwords.

/**
 * Runs in the background. Notifies users whose password was taken over from their previous service. `email` null: no
 * mail is sent.
 */
export function tellOfAdoption({
  email,
  ...reader
}: Omit<MailReader, 'email'> & { email: string | null }): void {
  if (email !== null) sendServiceMail({ email, ...reader }, 'password-adopted', {});
}

// Sends mails about a change of address.

export function sendAddressCode(to: MailReader, digits: string, which: 'old' | 'new'): void {
  sendServiceMail(to, `address-code-${which}`, { digits });
}

/** Sends the mail that replaces the code if the address already belongs to an account. */
export function sendAddressTaken(to: MailReader): void {
  sendServiceMail(to, 'address-taken', {});
}

export function sendAddressChanged(to: MailReader, email: string): void {
  sendServiceMail(to, 'address-changed', { email });
}

// Notifies the user by mail about each change of factors and each use of a recovery code, so that users detect
// changes that they did not make. Users without an address get no mail.

/** Runs in the background. `email` null: no mail is sent. */
export function tellOfFactor(
  { email, ...reader }: Omit<MailReader, 'email'> & { email: string | null },
  news: FactorNews,
  name = '',
): void {
  if (email !== null) sendServiceMail({ email, ...reader }, `factor-${news}`, { name });
}

// Sends mails about registration. If the address already has an account, the mail lists its sign-in methods instead.

type Brand = ReturnType<typeof mailBrand>;

export function sendRegistrationCode(to: MailReader, digits: string, link: string, brand?: Brand): void {
  sendServiceMail(to, 'registration-code', { digits, link }, brand);
}

export function sendAccountExists(to: MailReader, brand?: Brand): void {
  sendServiceMail(to, 'has-account', {}, brand);
}

/**
 * Notifies approvers and administrators without naming the user, because strangers choose their names. The inbox
 * shows the names.
 */
export function tellDeciders(): void {
  background(async () => {
    const deciders = await Promise.all(
      (['approver', 'administrator'] as const).map((role) => selectReadersOf(database(), role)),
    );
    // a person can be an approver and an administrator
    for (const to of new Map(deciders.flat().map((decider) => [decider.email, decider])).values())
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

/** Notifies users whose registration was pending at a sign-in method that was deleted. */
export function tellWaitingEnded(waited: readonly Decided[]): void {
  background(() => sendToEach(waited, ({ to, brand }) => sendServiceMail(to, 'waiting-ended', {}, brand)));
}

// Previews of mails with example data; the functions that write real mails render them.

export type MailListed = { name: MailName; to: MailKind<never>['to']; subject: string };

/** Every mail that the service sends. */
export const listMails = (words: Words): MailListed[] =>
  MAIL_NAMES.map((name) => ({ name, to: mailOf(name).to, subject: subjectOf(name, words) }));

const subjectOf = <Name extends MailName>(name: Name, words: Words) => {
  const { compose, example } = mailOf(name);
  return compose(words, example()).subject;
};

/** Returns the brand of the application, which only mails to its users have. */
const brandOf = (name: MailName, cameWith: CameWith | undefined) =>
  mailOf(name).to === 'visitor' ? mailBrand(cameWith) : undefined;

export const exampleMail = <Name extends MailName>(name: Name, words: Words, cameWith?: CameWith) =>
  writtenMail(name, words, mailOf(name).example(), brandOf(name, cameWith));

export const sendExampleMail = <Name extends MailName>(reader: MailReader, name: Name, cameWith?: CameWith) =>
  sendServiceMail(reader, name, mailOf(name).example(), brandOf(name, cameWith));

// Sends a test message in the same way as every mail, and returns the response of the server for each step.

/**
 * If `to` is null, only the server is tested. Returns `null` if no mail server is set, because mails are then written
 * to a folder.
 */
export async function sendTestMail(to: MailReader | null): Promise<MailStep[] | null> {
  const mail = to && composeMail(to, 'test', {});
  const { smtpUrl, ...transport } = mailTransport();
  if (smtpUrl !== null) return tryMailServer({ ...transport, smtpUrl }, mail);
  if (mail) await deliverMail(mail, { ...transport, smtpUrl });
  return null;
}
