// A subscription: a client's right to ask for tokens of one API.
import { z } from 'zod';
import { brand } from '../brand/brand.ts';
import { clientOrigin } from '../clients/unregistered.ts';
import { scopeAcr } from '../fields/acr.ts';
import { plainName } from '../fields/definition.ts';
import { displayTextRead } from '../fields/display-text.ts';
import { field } from '../fields/form-fields.ts';
import { requiredClaim } from '../fields/required-claim.ts';
import { atMost, clientId, longText, readable, registryId, scopeName } from '../fields/values.ts';
import { SUBSCRIPTION_STATES } from './subscription-states.ts';

export const subscription = z.strictObject({
  clientId: clientId.describe('The client'),
  api: registryId.describe('The API that it may ask for tokens of. Without a subscription it cannot'),
  scopes: atMost(500, scopeName).default([]).describe('A ceiling; none: all of the API’s scopes'),
  trusted: z
    .boolean()
    .default(false)
    .describe(
      'No consent is asked, and the password grant is allowed. Takes effect once approved; never for management',
    ),
  machine: z
    .boolean()
    .default(false)
    .describe(
      'The client gets tokens in its own name (client credentials). Only for confidential clients. Takes effect once approved',
    ),
  device: z
    .boolean()
    .default(false)
    .describe(
      'The client gets tokens for people who confirm a code in a browser (device grant), where the API allows it. Takes effect once approved',
    ),
  message: longText.nullable().default(null).describe('For the approver'),
});

const DAYS = 'must be a whole number from 1 to 3650';

/**
 * What an approver says with an approval, and may change later. The columns, the management API, the configuration
 * file, the steps, the events and the form follow; `null`: none.
 */
export const subscriptionTerms = z.strictObject({
  requiredClaim: requiredClaim
    .nullable()
    .describe(
      '{name, values}: only people whose claim has one of the values may use the client here; null: everybody. Left out: what it is',
    ),
  maxDays: field(
    z
      .int(DAYS)
      .min(1, DAYS)
      .max(3650, DAYS)
      .nullable()
      .describe(
        'Days after which a person’s consent ends with its refresh tokens, from 1 to 3650; null: as for any client. Left out: what it is',
      ),
    'Days until people are asked again',
    {
      hint: 'A person’s consent ends then, with its refresh tokens. Empty: as long as for any client.',
    },
  ),
  note: field(
    readable(
      z.string().trim().min(1, 'must not be empty').max(500, 'must not be longer than 500 characters'),
      'lines',
    )
      .nullable()
      .describe(
        'A text of at most 500 characters that only approvers and administrators see; null: none. Left out: what it is',
      ),
    'Note',
    { hint: 'Only approvers and administrators see it.', as: 'lines' },
  ),
});
export type SubscriptionTerms = z.output<typeof subscriptionTerms>;

/** Some of the terms; what is left out stays as it is. */
export type TermsChange = { [Name in keyof SubscriptionTerms]?: SubscriptionTerms[Name] | undefined };
export const TERM_NAMES = Object.keys(subscriptionTerms.shape) as (keyof SubscriptionTerms)[];

/** Those of the terms that are named. */
export const termsNamed = (of: TermsChange): [name: keyof SubscriptionTerms, value: unknown][] =>
  TERM_NAMES.flatMap((name) => (of[name] === undefined ? [] : [[name, of[name]]]));

/** The terms by the names of the file and of the columns; undefined: not named. */
export const termsByColumn = (of: TermsChange): Record<string, unknown> =>
  Object.fromEntries(TERM_NAMES.map((name) => [plainName(name), of[name]]));

/** The same, read back. */
export const termsOfColumns = (columns: Readonly<Record<string, unknown>>): TermsChange =>
  Object.fromEntries(TERM_NAMES.map((name) => [name, columns[plainName(name)]]));

const scope = z.strictObject({ name: z.string(), description: displayTextRead, required_acr: scopeAcr });

export const subscriptionRow = z.strictObject({
  ...subscription.shape,
  clientId: z.string(),
  ...subscriptionTerms.shape,
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
