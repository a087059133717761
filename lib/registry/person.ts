// A person: a human with a record here.
import { z } from 'zod';
import { emailAddress, secretText } from './values.ts';

export const ROLES = ['administrator', 'approver', 'developer'] as const;
export type Role = (typeof ROLES)[number];

export const personName = z.string().trim().max(200, 'must not be longer than 200 characters');
const role = z.enum(ROLES, 'must be administrator, approver or developer');

export const person = z.strictObject({
  email: emailAddress,
  name: personName.default(''),
  roles: z.array(role).default([]),
  password: secretText.optional().describe('left out: a mail goes to them, with which they choose one'),
});
export type PersonInput = z.input<typeof person>;

export const personRow = z.strictObject({
  id: z.string(),
  email: z.string().nullable(),
  emailVerified: z.boolean(),
  name: z.string(),
  roles: z.array(role),
  disabled: z.boolean(),
  hasPassword: z.boolean(),
  managed: z.boolean(),
  createdAt: z.date(),
  version: z.int(),
});
export type PersonRow = z.output<typeof personRow>;
