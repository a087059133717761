// What a mail is: what it says, who reads it, and an example of what is put in, by which it can be looked at.
import type { Words } from '#lib/language/words.ts';
import type { MailContent } from './mail.ts';

export type MailKind<Facts> = {
  /** `visitor`: a person on the way through an application’s sign-in, whose brand the mail has */
  to: 'visitor' | 'person' | 'developer' | 'decider' | 'administrator';
  compose: (words: Words, facts: Facts) => MailContent;
  example: () => Facts;
};

export const mailKind = <Facts>(kind: MailKind<Facts>): MailKind<Facts> => kind;

export type NoFacts = Record<never, never>;
export const noFacts = (): NoFacts => ({});
