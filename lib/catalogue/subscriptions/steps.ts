// Steps of subscriptions, and their terms.

import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { type ApiRow, profileExcludes } from '#lib/catalogue/apis/definition.ts';
import { findApi } from '#lib/catalogue/apis/rows.ts';
import { isSubjectForm } from '#lib/catalogue/clients/definition.ts';
import { requiredClaimFaultAt } from '#lib/catalogue/methods/questions.ts';
import { claimFaultAt, type Pair } from '#lib/management/consequences.ts';
import type { Context } from '#lib/management/operations.ts';
import { whoOf } from '#lib/management/policy.ts';
import { changesOf, record } from '#lib/management/record.ts';
import { faultAt, faulty, parseInput, Refused, stale, wrongAt } from '#lib/management/refused.ts';
import type { EventName } from '#lib/registry/audit-event.ts';
import { type RequiredClaim, requiredClaimFault } from '#lib/registry/claims.ts';
import { type Change, changeOf } from '#lib/registry/definition.ts';
import type { Db } from '#lib/store/prisma.ts';
import {
  apiScopesOf,
  type Decision,
  type difference,
  machineFault,
  type Powers,
  powersOf,
  type SubscriptionRow,
  type SubscriptionTerms,
  sameSet,
  subscriptionTerms,
  TERM_NAMES,
  type TermsChange,
  termsNamed,
} from './definition.ts';
import {
  type Step,
  type SubscriptionStep,
  selectClaimsAt,
  selectMethodsAt,
  stepSubscription,
} from './rows.ts';

// Performs a step of a subscription, stores it, and audits it with actor and reason.

type StepEvent = EventName & `subscription.${string}`;

/**
 * `before`: the row as it was read; null: the row is created. Throws Refused if the row has changed since. `why`: the
 * reason in the audit log.
 */
export async function takeStep(
  { actor, db }: Context,
  pair: Pair,
  before: SubscriptionRow | null,
  step: Pick<Step, 'to' | 'scopes'> & Powers & Partial<Step>,
  event: StepEvent,
  why: string | null = null,
): Promise<void> {
  const { clientId, api } = pair;
  if (step.machine && (step.to === 'pending' || step.to === 'approved')) refuseNameOfPerson(clientId);
  const taken = await stepSubscription(db, pair, before, { reason: null, ...whoOf(actor), ...step });
  if (!taken) throw stale(`${clientId} → ${api}`);
  const { to, scopes } = step;
  const facts = { from: before?.state ?? null, to, ...powersOf(step), scopes, ...termsTold(before, step) };
  const diff = before === null ? null : diffOf(before, step);
  // the user who approved the subscription has read these names
  const names = to === 'approved' &&
    before !== null &&
    typeof before.clientNames !== 'string' && { names: before.clientNames };
  const details = { ...facts, ...diff, ...names, ...(why !== null && { reason: why }) };
  await record(actor, { event, clientId, apiId: api, details }, db);
}

/** Returns the changed fields besides the state; null: the step changes only the state. */
function diffOf(before: SubscriptionRow, step: Pick<Step, 'scopes'> & Powers & TermsChange) {
  const scopes = sameSet(before.scopes, step.scopes) ? before.scopes : step.scopes;
  const diff = changesOf(before, { ...powersOf(step), scopes, ...Object.fromEntries(termsNamed(step)) });
  return diff.changed.length === 0 ? null : diff;
}

/** Returns the step's terms. A term that is unset both before and after the step is omitted. */
function termsTold(before: SubscriptionRow | null, step: TermsChange): TermsChange {
  return Object.fromEntries(
    termsNamed(step).filter(([name, now]) => (now ?? before?.[name] ?? null) !== null),
  );
}

/**
 * Rejects a client id in the form of a user's subject. Tokens of a machine have the client id as subject, which an API
 * could then mistake for a user (RFC 9700 §4.15.1).
 */
function refuseNameOfPerson(clientId: string): void {
  if (!isSubjectForm(clientId)) return;
  throw faulty([faultAt('machine', 'agent.name_of_person', { client: clientId })]);
}

// Terms of an approval: maximum scopes, permitted users, lifetime of consents.

/** Terms of an approval. A missing term keeps its value. */
export type ApprovalTerms = Change<SubscriptionTerms> & {
  /**
   * maximum scopes; missing: the requested scopes. The maximum is limited to the requested scopes, except for
   * unregistered clients, whose first request contains only the scopes of its first call.
   */
  scopes?: string[] | undefined;
};

export async function termsOf(
  db: Db,
  row: SubscriptionRow,
  { action, scopes, ...more }: ApprovalTerms & { action: Decision },
) {
  const terms = Object.fromEntries(TERM_NAMES.map((name) => [name, more[name]]));
  const set = [scopes, ...Object.values(terms)].some((term) => term !== undefined);
  if (action !== 'approve' && set) throw new Refused('subscription.no_terms');
  const all = row.apiScopes.map(({ name }) => name);
  const forAll = apiScopesOf(row.scopes).length === 0 || row.clientOrigin !== null;
  const scopeNames = forAll ? [...all, ...row.scopes] : row.scopes;
  const other = scopes?.find((name) => !scopeNames.includes(name));
  if (other !== undefined) throw faulty([faultAt('scopes', 'subscription.not_asked', { scope: other })]);
  if (scopes && apiScopesOf(scopes).length === 0 && all.length > 0)
    throw faulty([faultAt('scopes', 'subscription.no_scope')]);
  // lists all scopes by name, so that scopes which the API adds later are not approved
  const ceiling = scopes === undefined ? row.scopes : [...new Set(scopes)];
  if (action === 'approve' || action === 'resume')
    refuseUnkeyed(await findApi(db, row.api), row.clientAuthMethod);
  const unbounded = action === 'approve' ? machineFault(row.api, row.machine, ceiling) : null;
  if (unbounded !== null) throw faulty([wrongAt('scopes', 'subscription.machine', unbounded)]);
  const storedClaim = action === 'approve' && more.requiredClaim === undefined ? row.requiredClaim : null;
  if (storedClaim !== null) await refuseWeakClaim(db, row.api, storedClaim);
  return { scopes: ceiling, ...(await changedTerms(db, row, terms)) };
}

/** Rejects a client without keys for an API with the FAPI 2.0 profile (docs/how-to/fapi.md). */
export function refuseUnkeyed(
  api: Pick<ApiRow, 'id' | 'profile'> | null,
  clientAuthMethod: string | null,
): void {
  if (api && profileExcludes(api, clientAuthMethod))
    throw new Refused('subscription.profile', { api: api.id });
}

async function refuseWeakClaim(db: Db, api: string, required: RequiredClaim): Promise<void> {
  for (const method of await selectMethodsAt(db, api)) {
    const weak = requiredClaimFaultAt(method, required);
    const at = { claim: 'requiredClaim.name', values: 'requiredClaim.values' };
    if (weak !== null) throw faulty([claimFaultAt(method.id, weak, at)]);
  }
}

export const termsChange = changeOf(subscriptionTerms);

/** Returns all terms after the change. */
export async function changedTerms(
  db: Db,
  row: SubscriptionRow,
  input: Change<SubscriptionTerms>,
): Promise<TermsChange> {
  const terms = parseInput(termsChange, input);
  const { requiredClaim: required } = terms;
  const fault = required ? requiredClaimFault(required, await selectClaimsAt(db, row.api)) : null;
  if (fault !== null) throw faulty([wrongAt('requiredClaim.name', 'subscription.wrong_claim', fault)]);
  if (required) await refuseWeakClaim(db, row.api, required);
  return Object.fromEntries(
    TERM_NAMES.map((name) => [name, terms[name] === undefined ? row[name] : terms[name]]),
  );
}

export type Difference = z.output<typeof difference>;

export function differenceSince(history: SubscriptionStep[], row: SubscriptionRow): Difference | null {
  const approved = history.findLast(
    (step) => step.to === 'approved' && step.from !== 'approved' && step.undoneAt === null,
  );
  if (!approved) return null;
  const without = (a: string[], b: string[]) => a.filter((scope) => !b.includes(scope));
  const all = row.apiScopes.map((scope) => scope.name);
  const [before, now] = [approved.scopes, row.scopes].map((scopes) => (scopes.length > 0 ? scopes : all)) as [
    string[],
    string[],
  ];
  return {
    kind:
      approved.clientKind === row.clientKind ? null : { before: approved.clientKind, now: row.clientKind },
    brand: !isDeepStrictEqual(approved.clientBrand, row.clientBrand),
    trusted: approved.trusted === row.trusted ? null : { before: approved.trusted, now: row.trusted },
    machine: approved.machine === row.machine ? null : { before: approved.machine, now: row.machine },
    device: approved.device === row.device ? null : { before: approved.device, now: row.device },
    scopesAdded: without(now, before),
    scopesRemoved: without(before, now),
    redirectUrisAdded: without(row.redirectUris, approved.redirectUris),
    redirectUrisRemoved: without(approved.redirectUris, row.redirectUris),
  };
}
