// Subscription: the right of a client to request tokens for one API.
import { z } from 'zod';
import { BUILT_IN_API } from '#lib/catalogue/apis/definition.ts';
import type { ClientKind } from '#lib/catalogue/clients/definition.ts';
import { type FaultText, fault } from '#lib/kit/fault.ts';
import { brand } from '#lib/registry/brand.ts';
import { requiredClaim, scopeAcr } from '#lib/registry/claims.ts';
import { field, plainName } from '#lib/registry/definition.ts';
import { displayTextRead } from '#lib/registry/display-text.ts';
import { type ClientOrigin, clientOrigin } from '#lib/registry/unregistered.ts';
import {
  atMost,
  clientId,
  longText,
  readable,
  registryId,
  scopeName,
  tooLong,
} from '#lib/registry/values.ts';

// The states of a subscription: pending, approved, rejected, suspended, revoked (GLOSSARY.md). The functions have no
// side effects; the console, the command line, the management API and the configuration file share them.
// lib/management/policy.ts defines permissions, and lib/catalogue/subscriptions/rows.ts stores subscriptions.

export const SUBSCRIPTION_STATES = ['pending', 'approved', 'rejected', 'suspended', 'revoked'] as const;
export type SubscriptionState = (typeof SUBSCRIPTION_STATES)[number];

/** Decisions about a subscription. */
export const DECISIONS = ['approve', 'reject', 'suspend', 'resume', 'revoke'] as const;
export type Decision = (typeof DECISIONS)[number];

const TRANSITIONS: Record<Decision, Partial<Record<SubscriptionState, SubscriptionState>>> = {
  approve: { pending: 'approved', rejected: 'approved' },
  reject: { pending: 'rejected' },
  suspend: { approved: 'suspended' },
  resume: { suspended: 'approved' },
  revoke: { pending: 'revoked', approved: 'revoked', rejected: 'revoked', suspended: 'revoked' },
};

/** The state after a decision. Null if the decision is not allowed in the present state. */
export function decide(from: SubscriptionState, action: Decision): SubscriptionState | null {
  return TRANSITIONS[action][from] ?? null;
}

/** Extra permissions of a subscription beyond sign-in of users. Every rule in this file applies to each of them. */
export const POWERS = ['trusted', 'machine', 'device'] as const;
export type Powers = Record<(typeof POWERS)[number], boolean>;

export const powersOf = ({ trusted, machine, device }: Powers): Powers => ({ trusted, machine, device });

export const isPowerful = (of: Powers): boolean => POWERS.some((power) => of[power]);

export const samePowers = (a: Powers, b: Powers): boolean => POWERS.every((power) => a[power] === b[power]);

/**
 * A subscription with extra permissions always requires a decision. Without them, the settings of the API determine
 * whether one is required.
 */
export function stateWhenRequested(powers: Powers & { requireApproval: boolean }): SubscriptionState {
  return isPowerful(powers) || powers.requireApproval ? 'pending' : 'approved';
}

/**
 * The built-in API never trusts a client, because its tokens are based on consent that the user gave on the page. A
 * client that a document describes is never trusted. Returns null if there is no fault.
 */
export function trustFault(api: string, trusted: boolean, origin: ClientOrigin): FaultText | null {
  if (!trusted) return null;
  if (origin === 'document') return fault('a client described by a document cannot be trusted', {});
  if (api !== BUILT_IN_API) return null;
  return fault('the API {api} cannot be trusted: its tokens require the consent of a person', { api });
}

/**
 * A machine subscription to the built-in API must list its scopes, so that scopes of later versions are not included.
 * Returns null if there is no fault.
 */
export function machineFault(api: string, machine: boolean, scopes: readonly string[]): FaultText | null {
  if (!machine || api !== BUILT_IN_API || scopes.length > 0) return null;
  return fault('a machine of the API {api} must list the scopes that it needs', { api });
}

/**
 * The API scopes that a subscription lists; empty: every scope of the API. A device subscription can also list
 * `offline_access`, which belongs to no API.
 */
export const apiScopesOf = (scopes: readonly string[]): string[] =>
  scopes.filter((scope) => scope !== 'offline_access');

/** The scopes that a subscription covers: the listed scopes, or every scope of the API. */
export function reachOf<Scope extends { name: string }>(of: {
  scopes: readonly string[];
  apiScopes: readonly Scope[];
}): Scope[] {
  const named = apiScopesOf(of.scopes);
  return of.apiScopes.filter(({ name }) => named.length === 0 || named.includes(name));
}

/**
 * A device cannot act for users who administer this service, and a client that a document describes cannot use the
 * device grant. Returns null if there is no fault.
 */
export function deviceFault(api: string, device: boolean, origin: ClientOrigin): FaultText | null {
  if (!device) return null;
  if (api === BUILT_IN_API) return fault('the API {api} issues no tokens to devices', { api });
  if (origin !== 'document') return null;
  return fault('a client described by a document cannot use the device grant', {});
}

/**
 * A developer can request a new subscription, and can request again after a rejection or revocation. A suspended
 * subscription must be resumed instead.
 */
export function mayRequest(from: SubscriptionState | null): boolean {
  return from === null || from === 'rejected' || from === 'revoked';
}

/** The developer of a client can cancel a subscription in any state except `revoked`, which is final. */
export function mayCancel(from: SubscriptionState): boolean {
  return from !== 'revoked';
}

/**
 * The state after a change of extra permissions, scopes or redirect addresses of the client. If approval is required,
 * an approved subscription returns to pending. Subscriptions in other decided states keep their state.
 */
export function stateWhenChanged(
  from: SubscriptionState,
  change: { before: Powers; after: Powers; requireApproval: boolean },
): SubscriptionState {
  if (from !== 'approved' && from !== 'pending') return from;
  const { before, after, requireApproval } = change;
  const waits = isPowerful(after) || requireApproval || (from === 'pending' && isPowerful(before));
  return waits ? 'pending' : from;
}

export type TrustedClient = {
  kind: ClientKind;
  redirectUris: readonly string[];
};

/** Returns true if redirect URIs or the kind of client changed, so that the earlier trust no longer applies. */
export function endsTrust(before: TrustedClient, after: TrustedClient): boolean {
  return before.kind !== after.kind || !sameSet(before.redirectUris, after.redirectUris);
}

/** State of a subscription after `endsTrust`: an approved subscription with extra permissions returns to pending. */
export function stateWhenTrustEnds(from: SubscriptionState, of: Powers): SubscriptionState {
  return isPowerful(of) && from === 'approved' ? 'pending' : from;
}

type Approvable = TrustedClient & Powers & { scopes: readonly string[] };

/** Compares the subscription with the version that was approved. Resuming restores exactly that version. */
export function isAsApproved(now: Approvable, approved: Approvable | null): boolean {
  if (!approved || !samePowers(now, approved) || !sameSet(now.scopes, approved.scopes)) return false;
  return !isPowerful(now) || !endsTrust(approved, now);
}

export function sameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.every((item) => b.includes(item)) && b.every((item) => a.includes(item));
}

export const subscription = z.strictObject({
  clientId: clientId.describe('The client'),
  api: registryId.describe(
    'The API that the client can request tokens for. Without a subscription, the client gets no tokens for the API',
  ),
  scopes: atMost(500, scopeName).default([]).describe('The maximum scopes. Default: all scopes of the API'),
  trusted: z
    .boolean()
    .default(false)
    .describe(
      'No consent is requested, and the password grant is allowed. Takes effect after approval. Not available for management',
    ),
  machine: z
    .boolean()
    .default(false)
    .describe(
      'The client gets tokens in its own name (client credentials). Only for confidential clients. Takes effect after approval',
    ),
  device: z
    .boolean()
    .default(false)
    .describe(
      'The client gets tokens for people who confirm a code in a browser (device grant), if the API allows it. Takes effect after approval',
    ),
  message: longText.nullable().default(null).describe('A message to the approver'),
});

const DAYS = 'must be a whole number from 1 to 3650';

/**
 * Terms that an approver sets with an approval and can change later. The columns, the management API, the
 * configuration file, the steps, the events and the form are derived from them. `null`: the term is not set.
 */
export const subscriptionTerms = z.strictObject({
  requiredClaim: requiredClaim
    .nullable()
    .describe(
      '{name, values}: only people whose claim has one of the values can use the client at this API; null: everyone. Default: no change',
    ),
  maxDays: field(
    z
      .int(DAYS)
      .min(1, DAYS)
      .max(3650, DAYS)
      .nullable()
      .describe(
        'Days after which a person’s consent and its refresh tokens expire, from 1 to 3650; null: as for any client. Default: no change',
      ),
    'Days until people are asked again',
    {
      hint: 'After this time, a person’s consent and its refresh tokens expire. If empty, the same duration as for any client applies.',
    },
  ),
  note: field(
    readable(z.string().trim().min(1, 'must not be empty').max(500, tooLong(500)), 'lines')
      .nullable()
      .describe(
        'A note of at most 500 characters for approvers and administrators; null: none. Default: no change',
      ),
    'Note',
    { hint: 'Shown only to approvers and administrators.', as: 'lines' },
  ),
});
export type SubscriptionTerms = z.output<typeof subscriptionTerms>;

/** Terms that change. A missing member keeps its value. */
export type TermsChange = { [Name in keyof SubscriptionTerms]?: SubscriptionTerms[Name] | undefined };
export const TERM_NAMES = Object.keys(subscriptionTerms.shape) as (keyof SubscriptionTerms)[];

/** Names and values of the terms that change. */
export const termsNamed = (of: TermsChange): [name: keyof SubscriptionTerms, value: unknown][] =>
  TERM_NAMES.flatMap((name) => (of[name] === undefined ? [] : [[name, of[name]]]));

/** Returns the terms under their names in columns and in the file. Undefined terms stay unchanged. */
export const termsByColumn = (of: TermsChange): Record<string, unknown> =>
  Object.fromEntries(TERM_NAMES.map((name) => [plainName(name), of[name]]));

/** The reverse of `termsByColumn`. */
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
    .describe('people whose claim has one of these values can use it; null: everyone'),
  clientOrigin: clientOrigin.describe('origin of a client that no one registered; null: it was registered'),
  clientAuthMethod: z.string().nullable(),
  clientJwksUri: z.string().nullable(),
  clientChangedAt: z.date().nullable().describe('time of the last relevant change of its document'),
  firstRequestId: z.string().nullable(),
  askers: z.int().describe('number of people who used it while it was pending, up to 1000'),
  clientName: z.string(),
  clientNames: displayTextRead.describe('the name shown to people, or one for each language'),
  clientLogoUri: z.string().nullable(),
  clientTosUri: z.string().nullable(),
  clientPolicyUri: z.string().nullable(),
  clientKind: z.enum(['confidential', 'browser', 'native']),
  clientDisabled: z.boolean(),
  clientBrand: brand.nullable().describe('the name shown to people after this is approved'),
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

// Responses about a subscription.

const change = <Value extends z.ZodType>(value: Value) =>
  z.strictObject({ before: value, now: value }).nullable();
export const difference = z.strictObject({
  trusted: change(z.boolean()),
  machine: change(z.boolean()),
  device: change(z.boolean()),
  kind: change(z.string()),
  brand: z.boolean().describe('its logo or its colours'),
  scopesAdded: z.array(z.string()),
  scopesRemoved: z.array(z.string()),
  redirectUrisAdded: z.array(z.string()),
  redirectUrisRemoved: z.array(z.string()),
});

const nullable = z.string().nullable();
const texts = z.array(z.string());

/** A subscription with its history, the changes since its last approval, and what the caller may do with it. */
export const subscriptionDetail = subscriptionRow.extend({
  history: z.array(
    z.strictObject({
      at: z.date(),
      from: nullable,
      to: z.string(),
      trusted: z.boolean(),
      machine: z.boolean(),
      device: z.boolean(),
      scopes: texts,
      redirectUris: texts,
      clientKind: nullable,
      actor: z.string(),
      reason: nullable,
      undoneAt: z.date().nullable(),
    }),
  ),
  sinceApproval: difference.nullable(),
  may: z.strictObject(
    Object.fromEntries(
      [...DECISIONS, 'terms', 'request', 'change', 'cancel'].map((name) => [name, z.boolean()]),
    ),
  ),
});

const state = z.enum(SUBSCRIPTION_STATES);
export const subscriptionState = z.strictObject({ state });
export const stateChange = z.strictObject({ from: state, to: state });

/** Result of one of several decisions. */
export const decidedOne = z.strictObject({
  clientId: z.string(),
  api: z.string(),
  state: z.enum(SUBSCRIPTION_STATES).nullable().describe('null: no decision was made'),
  error: z.string().nullable().describe('why not'),
});
