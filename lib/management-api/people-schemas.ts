// What the management API answers about people who are made, invited or reset.
import { z } from 'zod';
import { wire } from '#lib/registry/fields/definition.ts';
import { invitationResult, invitationRow, waitingPersonRow } from '#lib/registry/objects/invitation.ts';

const text = z.string();
const time = z.iso.datetime();
const count = z.int();
/** of what each is told on the account page, and in docs/self-service.md */
const rows = z.array(z.record(z.string(), z.unknown()));

export const peopleSchemas: Record<string, z.ZodType> = {
  FactorReset: z.strictObject({
    passkeys: count,
    totp: z.boolean(),
    totp_count: count,
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
  Invitation: wire(invitationRow),
  WaitingPerson: wire(waitingPersonRow),
  InvitationResult: wire(invitationResult),
};
