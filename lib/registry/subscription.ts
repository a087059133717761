// A subscription: a client's right to ask for tokens of one API.
import { z } from 'zod';
import { SUBSCRIPTION_STATES } from './subscription-states.ts';
import { atMost, clientId, longText, registryId, scopeName } from './values.ts';

export const subscription = z.strictObject({
  clientId,
  api: registryId,
  scopes: atMost(500, scopeName).default([]).describe('a ceiling; none: all of the API’s scopes'),
  trusted: z.boolean().default(false),
  machine: z
    .boolean()
    .default(false)
    .describe(
      'the client gets tokens in its own name (client credentials); waits for approval as trusted does',
    ),
  message: longText.nullable().default(null).describe('to whoever decides'),
});

const scope = z.strictObject({ name: z.string(), description: z.string() });

export const subscriptionRow = z.strictObject({
  ...subscription.shape,
  clientName: z.string(),
  clientKind: z.enum(['confidential', 'browser', 'native']),
  clientDisabled: z.boolean(),
  redirectUris: z.array(z.string()),
  ownerId: z.string().nullable(),
  ownerEmail: z.string().nullable(),
  apiName: z.string(),
  apiScopes: z.array(scope),
  approvers: z.array(z.string()),
  requireApproval: z.boolean(),
  state: z.enum(SUBSCRIPTION_STATES),
  reason: z.string().nullable(),
  requestedBy: z.string().nullable(),
  requestedByEmail: z.string().nullable(),
  decidedByEmail: z.string().nullable(),
  decidedAt: z.date().nullable(),
  createdAt: z.date(),
  updatedAt: z.date(),
  version: z.int(),
  managed: z.boolean(),
});
export type SubscriptionRow = z.output<typeof subscriptionRow>;
