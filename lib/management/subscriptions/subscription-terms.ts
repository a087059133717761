// What an approval decides as well: the most scopes that the client may have, who may use it, and how long a consent
// lasts.
import { type Change, changeOf } from '#lib/registry/fields/definition.ts';
import { type RequiredClaim, requiredClaimFault } from '#lib/registry/fields/required-claim.ts';
import { requiredClaimFaultAt } from '#lib/registry/methods/claim-authority.ts';
import type { ApiRow } from '#lib/registry/objects/api.ts';
import { profileExcludes } from '#lib/registry/objects/api-tokens.ts';
import {
  type SubscriptionRow,
  type SubscriptionTerms,
  subscriptionTerms,
  TERM_NAMES,
  type TermsChange,
} from '#lib/registry/objects/subscription.ts';
import { apiScopesOf, type Decision, machineFault } from '#lib/registry/objects/subscription-states.ts';
import type { Db } from '#lib/store/database/prisma.ts';
import { findApi } from '#lib/store/registry/apis.ts';
import { selectClaimsAt, selectMethodsAt } from '#lib/store/registry/subscriptions.ts';
import { claimFaultAt } from '../core/claim-faults.ts';
import { faultAt } from '../core/refusals/codes.ts';
import { faulty, parseInput, Refused } from '../core/refused.ts';

/** Terms that are left out stay as they are. */
export type ApprovalTerms = Change<SubscriptionTerms> & {
  /**
   * the ceiling; left out: the requested scopes. Of those, but of an unregistered client of all of the API: its first
   * request names only the scopes of its first call.
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
  const asked = forAll ? [...all, ...row.scopes] : row.scopes;
  const other = scopes?.find((name) => !asked.includes(name));
  if (other !== undefined) throw faulty([faultAt('scopes', 'subscription.not_asked', { scope: other })]);
  if (scopes && apiScopesOf(scopes).length === 0 && all.length > 0)
    throw faulty([faultAt('scopes', 'subscription.no_scope')]);
  const ceiling = scopes === undefined ? row.scopes : [...new Set(scopes)];
  if (action === 'approve' || action === 'resume')
    refuseUnkeyed(await findApi(db, row.api), row.clientAuthMethod);
  const unbounded = action === 'approve' ? machineFault(row.api, row.machine, ceiling) : null;
  if (unbounded !== null) throw faulty([faultAt('scopes', 'subscription.machine', { why: unbounded })]);
  // those that were read, also where they are all: what the API gets later is not among them
  const kept = action === 'approve' && more.requiredClaim === undefined ? row.requiredClaim : null;
  if (kept !== null) await refuseWeakClaim(db, row.api, kept);
  return { scopes: ceiling, ...(await changedTerms(db, row, terms)) };
}

/** At an API that keeps to FAPI 2.0 a client without keys of its own would get nothing (docs/fapi.md). */
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

const change = changeOf(subscriptionTerms);

/** All terms after this change of them. */
export async function changedTerms(
  db: Db,
  row: SubscriptionRow,
  input: Change<SubscriptionTerms>,
): Promise<TermsChange> {
  const given = parseInput(change, input);
  const { requiredClaim: required } = given;
  const fault = required ? requiredClaimFault(required, await selectClaimsAt(db, row.api)) : null;
  if (fault !== null)
    throw faulty([faultAt('requiredClaim.name', 'subscription.wrong_claim', { why: fault })]);
  if (required) await refuseWeakClaim(db, row.api, required);
  return Object.fromEntries(
    TERM_NAMES.map((name) => [name, given[name] === undefined ? row[name] : given[name]]),
  );
}
