// A subscription: a client's right to ask for tokens of one API.
import { z } from 'zod';
import { brand } from '../brand/index.ts';
import { clientOrigin } from '../clients/index.ts';
import {
  atMost,
  clientId,
  displayTextRead,
  longText,
  registryId,
  scopeAcr,
  scopeName,
} from '../fields/index.ts';
import { SUBSCRIPTION_STATES } from './subscription-states.ts';

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

const scope = z.strictObject({ name: z.string(), description: displayTextRead, required_acr: scopeAcr });

export const subscriptionRow = z.strictObject({
  ...subscription.shape,
  clientId: z.string(),
  maxDays: z
    .int()
    .nullable()
    .describe('how long what a person allowed lasts; null: as long as for any client'),
  requiredClaim: z
    .strictObject({ name: z.string(), values: z.array(z.string()) })
    .nullable()
    .describe('people whose claim has one of these values may use it; null: everybody'),
  clientOrigin: clientOrigin.describe(
    'where the client came from that nobody registered; null: it was registered',
  ),
  clientAuthMethod: z.string().nullable(),
  clientJwksUri: z.string().nullable(),
  clientChangedAt: z.date().nullable().describe('when its document last said something else that counts'),
  firstRequestId: z.string().nullable(),
  askers: z.int().describe('people who came with it while it waited, up to 1000'),
  clientName: z.string(),
  clientNames: displayTextRead.describe('what people are shown: the name, or one for each language'),
  clientLogoUri: z.string().nullable(),
  clientTosUri: z.string().nullable(),
  clientPolicyUri: z.string().nullable(),
  clientKind: z.enum(['confidential', 'browser', 'native']),
  clientDisabled: z.boolean(),
  clientBrand: brand.nullable().describe('what people are shown once this is approved'),
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
