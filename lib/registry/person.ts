// A person: a human with a Gatehouse account. Also sessions, consents and invitations as list rows.
import { z } from 'zod';
import { canonicalEmail } from '#lib/kit/text.ts';
import { type ChoiceWords, field } from './definition.ts';
import { displayTextRead } from './display-text.ts';
import { clientOrigin } from './unregistered.ts';
import { emailAddress, passwordText, personName } from './values.ts';

export const ROLES = ['administrator', 'approver', 'developer'] as const;
export type Role = (typeof ROLES)[number];

/** Who holds everybody's trust: CONSOLE_SECOND_FACTOR is about these. */
export const SECOND_FACTOR_ROLES = ['administrator', 'approver'] as const satisfies readonly Role[];
export const isHeldToSecondFactor = (roles: readonly Role[]): boolean =>
  SECOND_FACTOR_ROLES.some((role) => roles.includes(role));

/** Label of each role, for granting administrators. */
export const ROLE_WORDS: Record<Role, ChoiceWords> = {
  administrator: { label: 'Administrator', note: 'Can do everything here, and decides for every API.' },
  approver: { label: 'Approver', note: 'Decides which applications can use an API.' },
  developer: { label: 'Developer', note: 'Registers applications and subscribes them to APIs.' },
};

const role = z.enum(ROLES, 'must be administrator, approver or developer');

const chosenPassword = passwordText
  .optional()
  .describe('left out: a mail goes to them, with which they choose one');

export const person = z.strictObject({
  email: field(emailAddress.describe('The address that they sign in with'), 'E-mail', {
    hint: 'Used to sign in.',
    as: 'email',
  }),
  name: field(personName.default(''), 'Name'),
  roles: field(
    z.array(role).default([]).describe('administrator, approver, developer; none: an end user'),
    'Roles',
    {
      hint: 'People without a role are end users: they sign in to applications and see their own account.',
      choices: ROLE_WORDS,
      only: 'new',
    },
  ),
  password: field(chosenPassword, 'Password', {
    hint: 'If empty, the person receives a mail with a link to choose a password. This is recommended.',
    as: 'password',
    only: 'new',
  }),
});
export type PersonInput = z.input<typeof person>;

/** A sign-in name besides, or instead of, an e-mail address. */
export const usernameText = personName
  .refine((name) => name !== '', 'must not be empty')
  .refine((name) => !name.includes('@'), 'must not hold @')
  // canonical form used by sign-in lookup
  .transform(canonicalEmail);

/** Person fields that administrators can change; roles have separate operations. */
export const editablePerson = person.pick({ name: true, email: true }).extend({
  username: field(
    usernameText.nullable().describe('A name to sign in by, without @; null: none'),
    'User name',
    {
      hint: 'A second name for signing in, without @. If empty: none.',
    },
  ),
});

/** True if the person can sign in by Gatehouse password; otherwise other methods apply. */
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

// Access granted to applications: consent, or delegation to a client acting for the person.

const allowed = z.strictObject({
  id: z.string(),
  clientId: z.string(),
  clientName: displayTextRead,
  clientOrigin: clientOrigin.describe('null: it is registered here'),
  logoUri: z.string().nullable(),
  api: z.string(),
  apiName: displayTextRead,
  scopes: z.array(z.strictObject({ name: z.string(), description: displayTextRead })),
});

export const consentRow = allowed.extend({
  grantedAt: z.date(),
  devices: z
    .array(z.string())
    .describe(
      'addresses, or blocks of them, from which devices asked that rest on it; empty text: not known',
    ),
  lastUsedAt: z.date().nullable().describe('when a token that rests on it was last given or renewed'),
});
export type ConsentRow = z.output<typeof consentRow>;

export const delegationRow = allowed.extend({ until: z.date(), givenAt: z.date() });
export type DelegationRow = z.output<typeof delegationRow>;

// A person's active sessions, and earlier sign-ins.

export const sessionRow = z.strictObject({
  id: z.string().describe('SHA-256 of the session’s id, hexadecimal: it names the session and opens nothing'),
  kind: z.enum(['sign-in', 'console']),
  personId: z.string(),
  personLabel: z.string(),
  authMethodId: z.string(),
  methodName: z.string(),
  authTime: z.date(),
  lastSeenAt: z.date(),
  ip: z.string().nullable(),
  userAgent: z.string().nullable(),
  name: z.string().nullable().describe('the person’s own name for the device'),
  current: z.boolean().optional().describe('in a list of one’s own: the session of this request'),
});
export type SessionRow = z.output<typeof sessionRow>;

export const signInRow = z.strictObject({
  id: z.string(),
  at: z.date(),
  kind: z.enum(['sign-in', 'console', 'password-grant']),
  authMethodId: z.string().nullable(),
  methodName: z.string().nullable(),
  clientId: z.string().nullable(),
  ip: z.string().nullable(),
});
export type SignInRow = z.output<typeof signInRow>;

// Pending accounts: invited, or waiting for approval.

export const invitationRow = z.strictObject({
  id: z.string(),
  email: z.string(),
  authMethodId: z.string(),
  name: z.string(),
  invitedByEmail: z.string().nullable(),
  createdAt: z.date(),
  expiresAt: z.date(),
});
export type InvitationRow = z.output<typeof invitationRow>;

/** What became of an address. */
export const invitationResult = z.strictObject({
  place: z.int().describe('which of the addresses it is, from 1'),
  email: z.string(),
  outcome: z
    .enum(['invited', 'invited-again', 'has-account', 'invalid'])
    .describe('has-account: nothing is sent, and the method lets the account in from now on'),
  message: z.string().nullable().describe('what is wrong with an invalid one'),
});
export type InvitationResult = z.output<typeof invitationResult>;

export const waitingPersonRow = z.strictObject({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  authMethodId: z.string(),
  authMethodName: z.string(),
  apiId: z.string().nullable().describe('where they came from; a name is null where that is gone'),
  apiName: z.string().nullable(),
  clientId: z.string().nullable(),
  clientName: z.string().nullable(),
  createdAt: z.date(),
  expiresAt: z.date().describe('a request that nobody has decided on goes then'),
});
export type WaitingPersonRow = z.output<typeof waitingPersonRow>;
