// A group of users with a name. It determines access to APIs and the content of tokens. Members are added manually, or
// by rules about the data of a sign-in method.
import { z } from 'zod';
import { ROLES } from '#lib/catalogue/people/definition.ts';
import { fault } from '#lib/kit/fault.ts';
import { claimName } from '#lib/registry/claims.ts';
import { field } from '#lib/registry/definition.ts';
import { type DisplayText, displayText } from '#lib/registry/display-text.ts';
import {
  atMost,
  authMethodId,
  groupIdText,
  label,
  MOST_COUNTED,
  readable,
  tooLong,
} from '#lib/registry/values.ts';

export const MOST_GROUPS = 1_000;
export const MOST_GROUPS_OF_PERSON = 200;

const NOT_A_ROLE = fault('must not be {value}: these are console roles, and groups cannot grant them', {
  value: ROLES,
});

export const groupId = groupIdText.refine((id) => !ROLES.some((role) => role === id), NOT_A_ROLE);

const value = readable(z.string().trim().min(1, 'must not be empty').max(1_000, tooLong(1_000)), 'line');

const rule = z.strictObject({
  auth_method: authMethodId.describe('The sign-in method that provides the claim'),
  claim: claimName.describe(
    'The claim, by its name in the claim map of the method, or at the provider. Administrators of the provider must control it',
  ),
  values: atMost(200, value)
    .min(1, 'must contain at least one entry')
    .describe(
      'Values, of which one must match completely, including case. Names of a directory (DNs) match in any spelling. With several tenants of Microsoft: TENANT_ID/VALUE',
    ),
});
export type GroupRule = z.output<typeof rule>;

export const group = z.strictObject({
  id: field(groupId.describe('Id of the group in the file, the API and tokens. It never changes'), 'Id', {
    hint: 'The group’s id in tokens and other settings. It cannot be changed: visible characters, without spaces, commas and *.',
    as: 'code',
    only: 'new',
  }),
  name: field(displayText(label), 'Name', {
    hint: 'Shown to administrators.',
    others: 'In other languages',
  }),
  from: atMost(50, rule)
    .default([])
    .describe(
      'A list of {auth_method, claim, values}: at each sign-in with the method, people who have one of the values are added, and members who have none of the values are removed, unless they were added in another way',
    ),
});
export type GroupInput = z.input<typeof group>;
export type GroupValues = z.output<typeof group>;

export const groupRow = z.strictObject({
  ...group.shape,
  members: z.int().describe(`number of members; ${MOST_COUNTED + 1}: more than ${MOST_COUNTED}`),
  apis: z.array(z.string()).describe('the APIs that use it'),
  managed: z.boolean(),
  createdAt: z.date(),
  updatedAt: z.date(),
  version: z.int(),
});
export type GroupRow = z.output<typeof groupRow>;

/** A place where an API refers to a group. */
export type GroupUse = {
  api: string;
  apiName: DisplayText;
  /** true: access to the API requires membership in these groups */
  whole: boolean;
  scopes: string[];
  roles: string[];
};

const origins = z.array(z.string()).describe('the methods that added them; an empty string: added manually');

/** A group in which a person is a member. */
export const personGroupRow = z.strictObject({ group: z.string(), name: z.string(), origins });
export type PersonGroupRow = z.output<typeof personGroupRow>;

export const groupMemberRow = z.strictObject({
  personId: z.string(),
  email: z.string().nullable(),
  username: z.string().nullable(),
  name: z.string(),
  origins,
});
export type GroupMemberRow = z.output<typeof groupMemberRow>;
