// A subscription's life, in one place: pending, approved, rejected, suspended, revoked (CONTEXT.md).
// Pure, and the same for console, command line, management API and configuration file: who may do what is policy.ts,
// how it is stored is store/subscriptions.ts.

import type { ClientKind } from '../clients/client.ts';
import type { ClientOrigin } from '../clients/unregistered.ts';
import { BUILT_IN_API } from './api.ts';

export const SUBSCRIPTION_STATES = ['pending', 'approved', 'rejected', 'suspended', 'revoked'] as const;
export type SubscriptionState = (typeof SUBSCRIPTION_STATES)[number];

/** The decisions on it. */
export const DECISIONS = ['approve', 'reject', 'suspend', 'resume', 'revoke'] as const;
export type Decision = (typeof DECISIONS)[number];

const TRANSITIONS: Record<Decision, Partial<Record<SubscriptionState, SubscriptionState>>> = {
  approve: { pending: 'approved', rejected: 'approved' },
  reject: { pending: 'rejected' },
  suspend: { approved: 'suspended' },
  resume: { suspended: 'approved' },
  revoke: { pending: 'revoked', approved: 'revoked', rejected: 'revoked', suspended: 'revoked' },
};

/** Where a decision leads from here, or null where it cannot be taken. */
export function decide(from: SubscriptionState, action: Decision): SubscriptionState | null {
  return TRANSITIONS[action][from] ?? null;
}

/** What a subscription may do beyond a plain one: all rules here hold for each of them. */
export const POWERS = ['trusted', 'machine', 'device'] as const;
export type Powers = Record<(typeof POWERS)[number], boolean>;

export const powersOf = ({ trusted, machine, device }: Powers): Powers => ({ trusted, machine, device });

export const isPowerful = (of: Powers): boolean => POWERS.some((power) => of[power]);

export const samePowers = (a: Powers, b: Powers): boolean => POWERS.every((power) => a[power] === b[power]);

/** Powerful subscriptions always wait for a decision, plain ones where the API says so. */
export function stateWhenRequested(asked: Powers & { requireApproval: boolean }): SubscriptionState {
  return isPowerful(asked) || asked.requireApproval ? 'pending' : 'approved';
}

/** The built-in API never trusts a client: its tokens rest on a consent given on the page. Null: nothing is wrong. */
export function trustFault(api: string, trusted: boolean): string | null {
  if (!trusted || api !== BUILT_IN_API) return null;
  return `the API ${BUILT_IN_API} is never trusted: its tokens rest on a person’s consent`;
}

/**
 * What a program may do with the built-in API is named, so that scopes of a later version are not among it. Null:
 * nothing is wrong.
 */
export function machineFault(api: string, machine: boolean, scopes: readonly string[]): string | null {
  if (!machine || api !== BUILT_IN_API || scopes.length > 0) return null;
  return `a machine of the API ${BUILT_IN_API} names the scopes that it needs, and not all of them`;
}

/**
 * The scopes of the API that a subscription names; none: it is for all of them. `offline_access`, which one with the
 * device grant may name, is a scope of no API.
 */
export const apiScopesOf = (scopes: readonly string[]): string[] =>
  scopes.filter((scope) => scope !== 'offline_access');

/** The scopes that a subscription reaches: those that it names, or all of the API's. */
export function reachOf<Scope extends { name: string }>(of: {
  scopes: readonly string[];
  apiScopes: readonly Scope[];
}): Scope[] {
  const named = apiScopesOf(of.scopes);
  return of.apiScopes.filter(({ name }) => named.length === 0 || named.includes(name));
}

/** No device acts for people who administer this service, and no document gets the grant. Null: nothing is wrong. */
export function deviceFault(api: string, device: boolean, origin: ClientOrigin): string | null {
  if (!device) return null;
  if (api === BUILT_IN_API) return `the API ${BUILT_IN_API} gives no tokens to devices`;
  return origin === 'document' ? 'a client that its document describes gets no device grant' : null;
}

/** May be asked for (again) from here: nothing yet, or after a no. A suspended one waits for its resumption. */
export function mayRequest(from: SubscriptionState | null): boolean {
  return from === null || from === 'rejected' || from === 'revoked';
}

/** May be given up by its own developer: what is not over yet. */
export function mayCancel(from: SubscriptionState): boolean {
  return from !== 'revoked';
}

/** The state after powers, scopes or the client's redirect addresses were changed: what was decided stays decided. */
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

/** Is the client no longer the one that trust was given to: other redirect addresses, or of another kind? */
export function endsTrust(before: TrustedClient, after: TrustedClient): boolean {
  return before.kind !== after.kind || !sameSet(before.redirectUris, after.redirectUris);
}

/** The state of a client's subscription after `endsTrust`: only what was powerful and approved waits again. */
export function stateWhenTrustEnds(from: SubscriptionState, of: Powers): SubscriptionState {
  return isPowerful(of) && from === 'approved' ? 'pending' : from;
}

export type Approvable = TrustedClient & Powers & { scopes: readonly string[] };

/** Is it still what was approved? A resumption brings back just that. */
export function isAsApproved(now: Approvable, approved: Approvable | null): boolean {
  if (!approved || !samePowers(now, approved) || !sameSet(now.scopes, approved.scopes)) return false;
  return !isPowerful(now) || !endsTrust(approved, now);
}

export function sameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.every((one) => b.includes(one)) && b.every((one) => a.includes(one));
}
