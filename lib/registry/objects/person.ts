// A person: a human with a record here.
import { z } from 'zod';
import { canonicalEmail } from '#lib/kit/text/email-address.ts';
import { type ChoiceWords, field } from '../fields/form-fields.ts';
import { emailAddress, passwordText, personName } from '../fields/values.ts';

export const ROLES = ['administrator', 'approver', 'developer'] as const;
export type Role = (typeof ROLES)[number];

/** Who holds everybody's trust: CONSOLE_SECOND_FACTOR is about these. */
export const SECOND_FACTOR_ROLES = ['administrator', 'approver'] as const satisfies readonly Role[];
export const isHeldToSecondFactor = (roles: readonly Role[]): boolean =>
  SECOND_FACTOR_ROLES.some((role) => roles.includes(role));

/** Each role, for the administrator who grants it. */
export const ROLE_WORDS: Record<Role, ChoiceWords> = {
  administrator: { label: 'Administrator', note: 'Does everything here, and decides for every API.' },
  approver: { label: 'Approver', note: 'Decides which applications may use an API.' },
  developer: { label: 'Developer', note: 'Registers applications and subscribes them to APIs.' },
};

const role = z.enum(ROLES, 'must be administrator, approver or developer');

const chosenPassword = passwordText
  .optional()
  .describe('left out: a mail goes to them, with which they choose one');

export const person = z.strictObject({
  email: field(emailAddress.describe('The address that they sign in with'), 'E-mail', {
    hint: 'They sign in with it.',
    as: 'email',
  }),
  name: field(personName.default(''), 'Name'),
  roles: field(
    z.array(role).default([]).describe('administrator, approver, developer; none: an end user'),
    'Roles',
    {
      hint: 'Without one they are an end user: they sign in to applications and see their own account.',
      choices: ROLE_WORDS,
      only: 'new',
    },
  ),
  password: field(chosenPassword, 'Password', {
    hint: 'Left empty, a mail goes to them with a link to choose one. That is better.',
    as: 'password',
    only: 'new',
  }),
});
export type PersonInput = z.input<typeof person>;

/** A name to sign in by, beside an address or in place of one. */
export const usernameText = personName
  .refine((name) => name !== '', 'must not be empty')
  .refine((name) => !name.includes('@'), 'must not hold @')
  // as a sign-in looks for it
  .transform(canonicalEmail);

/** What an administrator may change of a person; roles have operations of their own. */
export const editablePerson = person.pick({ name: true, email: true }).extend({
  username: field(
    usernameText.nullable().describe('A name to sign in by, without @; null: none'),
    'User name',
    {
      hint: 'A second name to sign in by, without @. Left empty: none.',
    },
  ),
});

/** A password of our own signs them in; others sign in with other methods. */
export const hasSignInName = (person: { email: string | null; username: string | null }): boolean =>
  person.email !== null || person.username !== null;

/** How pages name a person. */
export const personLabel = (person: {
  email: string | null;
  username?: string | null;
  name?: string;
  id: string;
}): string => person.email ?? (person.name || person.username || person.id);

export const personRow = z.strictObject({
  id: z.string(),
  email: z.string().nullable(),
  emailVerified: z.boolean(),
  username: z.string().nullable().describe('the name that they may sign in by, in lower case'),
  subject: z.string().nullable().describe('`sub` in tokens, where it is not the id'),
  name: z.string(),
  picture: z.string().nullable(),
  locale: z.string().nullable().describe('the language that they chose (BCP 47)'),
  zoneinfo: z.string().nullable().describe('their time zone'),
  roles: z.array(role),
  disabled: z.boolean(),
  hasPassword: z.boolean(),
  groups: z.array(z.string()).describe('the ids of the groups that they are in'),
  factors: z.array(z.enum(['passkey', 'totp'])).describe('the kinds of factors that they have'),
  managed: z.boolean(),
  createdAt: z.date(),
  lastSignInAt: z.date().nullable().describe('when they last signed in on a page; null: never'),
  version: z.int(),
});
export type PersonRow = z.output<typeof personRow>;
