// People who are on their way to an account: invited, or waiting for an approval.
import { z } from 'zod';

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
