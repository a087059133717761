// A person with an account at Gatehouse, and sessions, consents and invitations as rows of lists.
import { z } from 'zod';
import { canonicalEmail } from '#lib/kit/text.ts';
import { type ChoiceWords, field } from '#lib/registry/definition.ts';
import { displayTextRead } from '#lib/registry/display-text.ts';
import { clientOrigin } from '#lib/registry/unregistered.ts';
import { choiceOf, emailAddress, passwordText, personName } from '#lib/registry/values.ts';
import { byProfileName, PROFILE } from './profile.ts';

export const ROLES = ['administrator', 'approver', 'developer'] as const;
export type Role = (typeof ROLES)[number];

/** Roles that affect all users, so CONSOLE_SECOND_FACTOR applies to users who have them. */
export const SECOND_FACTOR_ROLES = ['administrator', 'approver'] as const satisfies readonly Role[];
export const isHeldToSecondFactor = (roles: readonly Role[]): boolean =>
  SECOND_FACTOR_ROLES.some((role) => roles.includes(role));

/** Label of each role, for administrators who grant it. */
export const ROLE_WORDS: Record<Role, ChoiceWords> = {
  administrator: {
    label: 'Administrator',
    note: 'Can do everything in the console, and decides on requests for every API.',
  },
  approver: { label: 'Approver', note: 'Decides which applications can use an API.' },
  developer: { label: 'Developer', note: 'Registers applications and subscribes them to APIs.' },
};

const role = choiceOf(ROLES);

const chosenPassword = passwordText
  .optional()
  .describe('Default: the person gets a mail with a link to choose one');

export const person = z.strictObject({
  email: field(emailAddress.describe('The email address for sign-in'), 'Email', {
    hint: 'Used to sign in.',
    as: 'email',
  }),
  name: field(personName.default(''), 'Name'),
  roles: field(
    z.array(role).default([]).describe('administrator, approver, developer. Default: none, an end user'),
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

/** A name for signing in, in addition to an email address or instead of one. */
export const usernameText = personName
  .refine((name) => name !== '', 'must not be empty')
  .refine((name) => !name.includes('@'), 'must not contain @')
  // the canonical form, by which a sign-in finds the user
  .transform(canonicalEmail);

/** Fields of a person that administrators can change. Roles have separate operations. */
export const editablePerson = person.pick({ name: true, email: true }).extend({
  username: field(
    usernameText.nullable().describe('A second name for sign-in, without @; null: none'),
    'Username',
    {
      hint: 'A second name to sign in with, without @. If empty, there is none.',
    },
  ),
});

/** True if the person can sign in with a password at Gatehouse. Otherwise the person signs in with other methods. */
export const hasSignInName = (person: { email: string | null; username: string | null }): boolean =>
  person.email !== null || person.username !== null;

/** The name of a person on pages. */
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
  username: z.string().nullable().describe('the second name for sign-in, in lower case'),
  subject: z.string().nullable().describe('`sub` in tokens, if it is not the id'),
  name: z.string(),
  ...byProfileName((name) => PROFILE[name].row),
  roles: z.array(role),
  disabled: z.boolean(),
  hasPassword: z.boolean(),
  groups: z.array(z.string()).describe('the ids of the person’s groups'),
  factors: z.array(z.enum(['passkey', 'totp'])).describe('the kinds of the person’s factors'),
  managed: z.boolean(),
  createdAt: z.date(),
  lastSignInAt: z.date().nullable().describe('time of the last sign-in on a page; null: never'),
  version: z.int(),
});
export type PersonRow = z.output<typeof personRow>;

const identity = z.strictObject({
  authMethodId: z.string(),
  email: z.string().nullable(),
  lastSeenAt: z.string().describe('ISO 8601'),
});

/** A person, for administrators. */
export const personView = personRow.extend({
  identities: z.array(identity.extend({ subject: z.string() })),
  sessions: z.int(),
  consents: z.int(),
  clients: z.int(),
  passkeys: z.int(),
  totpCount: z.int(),
  oldPasskeys: z.int().describe('those of them that belong to another host'),
  recoveryCodes: z.int(),
  trustedBrowsers: z.int(),
});

/** A person who was created or accepted. */
export const createdPerson = z.strictObject({ id: z.string(), email: z.string() });

/** A person’s own account. */
export const accountRow = personRow.omit({ disabled: true, factors: true, managed: true }).extend({
  passwordChangedAt: z.date().nullable(),
  identities: z.array(identity.extend({ methodName: z.string() })),
});

// Access that a person granted to an application: a consent, or a delegation to a client that acts for the person.

const allowed = z.strictObject({
  id: z.string(),
  clientId: z.string(),
  clientName: displayTextRead,
  clientOrigin: clientOrigin.describe('null: it is registered in Gatehouse'),
  logoUri: z.string().nullable(),
  api: z.string(),
  apiName: displayTextRead,
  scopes: z.array(z.strictObject({ name: z.string(), description: displayTextRead })),
});

export const consentRow = allowed.extend({
  grantedAt: z.date(),
  devices: z
    .array(z.string())
    .describe('addresses or address blocks of the devices that use it; an empty string: not known'),
  lastUsedAt: z.date().nullable().describe('time when a token based on it was last issued or refreshed'),
});
export type ConsentRow = z.output<typeof consentRow>;

export const delegationRow = allowed.extend({ until: z.date(), givenAt: z.date() });
export type DelegationRow = z.output<typeof delegationRow>;

// Active sessions of a person, and earlier sign-ins.

export const sessionRow = z.strictObject({
  id: z
    .string()
    .describe('SHA-256 of the session id, hexadecimal: it identifies the session and grants no access'),
  kind: z.enum(['sign-in', 'console']),
  personId: z.string(),
  personLabel: z.string(),
  authMethodId: z.string(),
  methodName: z.string(),
  authTime: z.date(),
  lastSeenAt: z.date(),
  ip: z.string().nullable(),
  userAgent: z.string().nullable(),
  name: z.string().nullable().describe('the name that the person gave the device'),
  current: z.boolean().optional().describe('in a person’s own list: the session of this request'),
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

// Accounts that do not exist yet: invited, or waiting for approval.

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

/** The result of an invitation to one address. */
export const invitationResult = z.strictObject({
  place: z.int().describe('position in the list of addresses, from 1'),
  email: z.string(),
  outcome: z
    .enum(['invited', 'invited-again', 'has-account', 'invalid'])
    .describe('has-account: no mail is sent, and the account can use the method from now on'),
  message: z.string().nullable().describe('the reason, if it is invalid'),
});
export type InvitationResult = z.output<typeof invitationResult>;

export const waitingPersonRow = z.strictObject({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  authMethodId: z.string(),
  authMethodName: z.string(),
  apiId: z.string().nullable().describe('where they came from; a name is null if it no longer exists'),
  apiName: z.string().nullable(),
  clientId: z.string().nullable(),
  clientName: z.string().nullable(),
  createdAt: z.date(),
  /** time when a request without a decision is deleted */
  expiresAt: z.date(),
});
export type WaitingPersonRow = z.output<typeof waitingPersonRow>;

/** the account page and docs/how-to/accounts.md describe these rows */
const rows = z.array(z.record(z.string(), z.unknown()));

/** The file with all data of a person, with the names of the file. */
export const personData = z.strictObject({
  made_at: z.iso.datetime(),
  service: z.string(),
  at_most: z
    .strictObject({ sessions: z.int(), sign_ins: z.int(), events: z.int() })
    .describe('the number of newest rows of each kind in the file'),
  profile: z.record(z.string(), z.unknown()).nullable(),
  identities: rows,
  consents: rows,
  delegations: rows,
  factors: z.record(z.string(), z.unknown()),
  clients: rows,
  requests: rows,
  sessions: rows,
  sign_ins: rows,
  events: rows,
});
