// What the management API answers about people who are made, invited or reset.
import { z } from 'zod';

const text = z.string();
const time = z.iso.datetime();
const count = z.int();

export const peopleSchemas: Record<string, z.ZodType> = {
  FactorReset: z.strictObject({
    passkeys: count,
    totp: z.boolean(),
    recovery_codes: count,
    browsers: count,
    sessions: count,
  }),
  CreatedPerson: z.strictObject({ id: text, email: text }),
  Invitation: z.strictObject({
    id: text,
    email: text,
    auth_method_id: text,
    name: text,
    created_at: time,
    expires_at: time,
  }),
  InvitationResult: z.strictObject({
    place: count.describe('which of the addresses it is, from 1'),
    email: text,
    outcome: z.enum(['invited', 'invited-again', 'has-account', 'invalid']),
    message: text.nullable().describe('what is wrong with an invalid one'),
  }),
};
