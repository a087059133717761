// Every mail of the service. A mail that is not in here cannot be sent.
import { accountMails } from './account-mails.ts';
import { addressMails } from './address-mails.ts';
import { factorMails } from './factor-mails.ts';
import { identityMails } from './identity-mails.ts';
import type { MailKind } from './mail-kind.ts';
import { registrationMails } from './registration-mails.ts';
import { subscriptionMails } from './subscription-mails.ts';

const MAILS = {
  ...registrationMails,
  ...accountMails,
  ...addressMails,
  ...factorMails,
  ...identityMails,
  ...subscriptionMails,
} as const;

export type MailName = keyof typeof MAILS;
export type FactsOf<Name extends MailName> =
  (typeof MAILS)[Name] extends MailKind<infer Facts> ? Facts : never;

const KINDS: { [Name in MailName]: MailKind<FactsOf<Name>> } = MAILS;

export const mailOf = <Name extends MailName>(name: Name): MailKind<FactsOf<Name>> => KINDS[name];

export const isMailName = (name: string): name is MailName => Object.hasOwn(MAILS, name);

export const MAIL_NAMES: readonly MailName[] = Object.keys(MAILS).filter(isMailName);
