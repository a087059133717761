// What the management API answers about people who are made, invited or reset.
import { z } from 'zod';

const text = z.string();
const time = z.iso.datetime();
const count = z.int();
/** of what each is told on the account page, and in docs/self-service.md */
const rows = z.array(z.record(z.string(), z.unknown()));

export const peopleSchemas: Record<string, z.ZodType> = {
  FactorReset: z.strictObject({
    passkeys: count,
    totp: z.boolean(),
    recovery_codes: count,
    browsers: count,
    sessions: count,
  }),
  PersonData: z.strictObject({
    made_at: time,
    service: text,
    at_most: z
      .strictObject({ sessions: count, sign_ins: count, events: count })
      .describe('the newest so many of each are in the file'),
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
  }),
  CreatedPerson: z.strictObject({ id: text, email: text }),
  Invitation: z.strictObject({
    id: text,
    email: text,
    auth_method_id: text,
    name: text,
    invited_by_email: text.nullable(),
    created_at: time,
    expires_at: time,
  }),
  WaitingPerson: z.strictObject({
    id: text,
    email: text,
    name: text,
    auth_method_id: text,
    auth_method_name: text,
    api_id: text.nullable().describe('where they came from'),
    api_name: text.nullable(),
    client_id: text.nullable(),
    client_name: text.nullable(),
    created_at: time,
    expires_at: time.describe('a request that nobody has decided on goes then'),
  }),
  InvitationResult: z.strictObject({
    place: count.describe('which of the addresses it is, from 1'),
    email: text,
    outcome: z
      .enum(['invited', 'invited-again', 'has-account', 'invalid'])
      .describe('has-account: nothing is sent, and the method lets the account in from now on'),
    message: text.nullable().describe('what is wrong with an invalid one'),
  }),
};
