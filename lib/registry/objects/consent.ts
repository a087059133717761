// What a person lets applications do: a consent, or a delegation to a client that acts in their name.
import { z } from 'zod';
import { clientOrigin } from '../clients/unregistered.ts';
import { displayTextRead } from '../fields/display-text.ts';

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
