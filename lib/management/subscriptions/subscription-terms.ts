// What an approval decides as well: the most scopes that the client may have, who may use it, and how long a consent
// lasts.
import { z } from 'zod';
import {
  type Decision,
  machineFault,
  type RequiredClaim,
  requiredClaim,
  requiredClaimFault,
  type SubscriptionRow,
} from '#lib/registry/index.ts';
import { type Db, selectClaimsAt } from '#lib/store/index.ts';
import { faultAt, faulty, parseInput, Refused } from '../core/index.ts';

export type ApprovalTerms = {
  /**
   * the ceiling; left out: the requested scopes. Of those, but of an unregistered client of all of the API: its first request
   * names only the scopes of its first call.
   */
  scopes?: string[] | undefined;
  /** how long a consent lasts, in days; null: as for any client; left out: unchanged */
  maxDays?: number | null | undefined;
  /** who may use it; null: everybody; left out: what it is */
  requiredClaim?: RequiredClaim | null | undefined;
};

export async function termsOf(
  db: Db,
  row: SubscriptionRow,
  { action, scopes, ...more }: ApprovalTerms & { action: Decision },
) {
  const set = [scopes, more.maxDays, more.requiredClaim].some((term) => term !== undefined);
  if (action !== 'approve' && set) throw new Refused('subscription.no_terms');
  const all = row.apiScopes.map(({ name }) => name);
  const asked = row.scopes.length === 0 || row.clientOrigin !== null ? all : row.scopes;
  const other = scopes?.find((name) => !asked.includes(name));
  if (other !== undefined) throw faulty([faultAt('scopes', 'subscription.not_asked', { scope: other })]);
  if (scopes?.length === 0 && all.length > 0) throw faulty([faultAt('scopes', 'subscription.no_scope')]);
  const ceiling = scopes === undefined ? row.scopes : [...new Set(scopes)];
  const unbounded = action === 'approve' ? machineFault(row.api, row.machine, ceiling) : null;
  if (unbounded !== null) throw faulty([faultAt('scopes', 'subscription.machine', { why: unbounded })]);
  // those that were read, also where they are all: what the API gets later is not among them
  return { scopes: ceiling, ...(await whoAndHowLong(db, row, more)) };
}

const asked = z.object({
  maxDays: z
    .int('must be a whole number from 1 to 3650')
    .min(1, 'must be a whole number from 1 to 3650')
    .max(3650, 'must be a whole number from 1 to 3650')
    .nullish(),
  requiredClaim: requiredClaim.nullish(),
});

export async function whoAndHowLong(db: Db, row: SubscriptionRow, input: Omit<ApprovalTerms, 'scopes'>) {
  const { maxDays, requiredClaim: required } = parseInput(asked, input);
  const fault = required ? requiredClaimFault(required, await selectClaimsAt(db, row.api)) : null;
  if (fault !== null)
    throw faulty([faultAt('requiredClaim.name', 'subscription.wrong_claim', { why: fault })]);
  return {
    maxDays: maxDays === undefined ? row.maxDays : maxDays,
    requiredClaim: required === undefined ? row.requiredClaim : required,
  };
}
