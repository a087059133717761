// The mails as they would be, with examples put in: by the functions that write the real ones.
import type { Words } from '#lib/language/words.ts';
import { type CameWith, mailBrand } from './mail-brand.ts';
import type { MailKind } from './mail-kind.ts';
import { MAIL_NAMES, type MailName, mailOf } from './mails.ts';
import { type MailReader, sendServiceMail, writtenMail } from './service-mail.ts';

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
