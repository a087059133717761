// Mail goes to the SMTP server of the settings, or into a folder of the data directory, in its reader's language.
import path from 'node:path';
import { inBackground, settleBackground } from '#lib/kit/background.ts';
import { log } from '#lib/kit/log.ts';
import { type Mail, type MailTransport, readWrittenMail, sendMail, type WrittenMail } from '#lib/kit/mail.ts';
import { languageOf } from '#lib/language/negotiate.ts';
import { type Words, wordsOf } from '#lib/language/words.ts';
import type { Language } from '#lib/settings/languages.ts';
import { settings } from '#lib/settings/settings.ts';
import { htmlOfMail, textOfMail } from './mail.ts';
import type { MailDress } from './mail-brand.ts';
import { type FactsOf, type MailName, mailOf } from './mails.ts';

const folder = () => path.join(/*turbopackIgnore: true*/ settings().dataDir, 'mail');

export type MailReader = {
  email: string;
  /** of the profile (BCP 47) */
  locale?: string | null | undefined;
  /** of the page where this person asked; a mail that another person caused has none */
  pageLanguage?: Language | null | undefined;
};

/**
 * In the background; ends when it is sent or has failed, and never rejects. Every subject begins with the service's
 * name, as lists of mails show it.
 */
export function sendServiceMail<Name extends MailName>(
  to: MailReader,
  name: Name,
  facts: FactsOf<Name>,
  dress?: MailDress,
): Promise<void> {
  return sendMail(composeMail(to, name, facts, dress), mailTransport());
}

export function mailTransport(): MailTransport {
  const { smtpUrl, baseUrl, serviceName } = settings();
  const address = `no-reply@${new URL(baseUrl).hostname}`;
  return { smtpUrl, folder: folder(), from: { name: serviceName, address } };
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
