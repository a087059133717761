// Consequences of a change, shown before saving.
import { z } from 'zod';
import type { GroupRule } from '#lib/catalogue/groups/definition.ts';
import type { METHOD_KINDS } from '#lib/catalogue/methods/kinds.ts';
import { type ClaimFault, claimFault, requiredClaimFaultAt } from '#lib/catalogue/methods/questions.ts';
import type { SubscriptionRow } from '#lib/catalogue/subscriptions/definition.ts';
import type { RequiredClaimAt } from '#lib/catalogue/subscriptions/rows.ts';
import { type EnglishSentence, english } from '#lib/language/message.ts';
import { inEnglish } from '#lib/language/words.ts';
import type { Fault } from '#lib/registry/definition.ts';
import { countTokens } from '#lib/store/endings.ts';
import type { Db } from '#lib/store/prisma.ts';
import { one } from './operations.ts';
import { faultAt } from './refused.ts';

/** A client and an API. */
export type Pair = { clientId: string; api: string };

const pair = { clientId: z.string(), api: z.string() };
const consequences = z.strictObject({
  /** faults that prevent saving */
  faults: z.array(
    z.strictObject({
      field: z.string(),
      code: z.string(),
      message: z.string(),
      values: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
    }),
  ),
  warnings: z.array(z.string()),
  /** approved subscriptions with extra permissions that would return to pending */
  returnsToPending: z.array(z.strictObject({ ...pair, apiName: z.string(), trusted: z.boolean() })),
  /** subscriptions that would no longer get tokens */
  losesAccess: z.array(z.strictObject(pair)),
  /** number of valid token families that would end, and number of their users */
  endsTokens: z.int(),
  people: z.int(),
});
/** For pages, which translate faults and warnings. */
export type Consequences = Omit<z.output<typeof consequences>, 'faults' | 'warnings'> & {
  faults: Fault[];
  warnings: EnglishSentence[];
};

/** Preview response for programs: warnings are English text. */
export const consequencesOutput = one(
  'Consequences',
  consequences,
  ({ warnings, faults, ...more }: Consequences) => ({
    ...more,
    // the schema omits values that are lists
    faults: faults as z.output<typeof consequences>['faults'],
    warnings: warnings.map(inEnglish),
  }),
);

/** `counted`: numbers that change with every sign-in. Pages show them, but the confirmation does not cover them. */
export type Foreseen = Consequences & { counted: EnglishSentence[] };

const MANAGED = english(
  'This is managed by the configuration file: the next apply resets it to the file’s value.',
);

/** A consequence as a sentence, and whether it applies. */
export type Holding = readonly [EnglishSentence, holds: boolean];

/** Returns consequences with the warnings that apply. `managed`: the configuration file manages the edited object. */
export function consequencesOf(managed: boolean, warnings: readonly Holding[] = []): Consequences {
  const all: readonly Holding[] = [[MANAGED, managed], ...warnings];
  return {
    faults: [],
    warnings: all.flatMap(([warning, holds]) => (holds ? [warning] : [])),
    returnsToPending: [],
    losesAccess: [],
    endsTokens: 0,
    people: 0,
  };
}

/** Counts the tokens that would end. */
export async function countEnding(
  db: Db,
  of: Parameters<typeof countTokens>[1],
): Promise<Pick<Consequences, 'endsTokens' | 'people'>> {
  const { tokens, people } = await countTokens(db, of);
  return { endsTokens: tokens, people };
}

export const approvedPairs = (rows: SubscriptionRow[]): Pair[] =>
  rows.filter((row) => row.state === 'approved').map(({ clientId, api }) => ({ clientId, api }));

// Explains why a claim of a sign-in method cannot grant access (`claimFault` of lib/registry).

type Method = { id: string; type: (typeof METHOD_KINDS)[number]['type']; config: Record<string, unknown> };

/**
 * Returns the fault at its place in the rule. `path`: location of the rule. The fault refers to the claim or
 * the values of the rule.
 */
export function claimFaultAt(
  method: string,
  fault: ClaimFault,
  path: { claim: string; values: string },
): Fault {
  return fault.kind === 'personal'
    ? faultAt(path.claim, 'claim.personal', { claim: fault.claim, member: fault.member, method })
    : faultAt(`${path.values}.${fault.at}`, 'claim.tenant', { value: fault.value, method });
}

/** Faults of a group rule. */
export function ruleFaults(method: Method, rule: GroupRule, path: string): Fault[] {
  const fault = claimFault(method, rule);
  const at = { claim: `${path}.claim`, values: `${path}.values` };
  return fault === null ? [] : [claimFaultAt(method.id, fault, at)];
}

/**
 * Returns faults for subscriptions whose `required_claim` this method cannot prove. Faults that already existed
 * in `before` are not repeated.
 */
export function weakenedFaults(
  method: Method,
  required: readonly RequiredClaimAt[],
  { field, before }: { field: string; before?: Method },
): Fault[] {
  return required.flatMap(({ clientId: client, apiId: api, requiredClaim }) => {
    const isNew = !before || requiredClaimFaultAt(before, requiredClaim) === null;
    if (!isNew || requiredClaimFaultAt(method, requiredClaim) === null) return [];
    const claim = requiredClaim.name;
    return [faultAt(field, 'claim.weakened', { client, api, claim, method: method.id })];
  });
}
