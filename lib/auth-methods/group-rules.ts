// Groups that people come into, and leave, by what a method says of them. What it does not say decides nothing: a
// broker that leaves a long list of groups out (Entra: `_claim_names`, `hasgroups`) takes no one out of a group.

import { z } from 'zod';
import { recordEvent } from '#lib/audit/audit-log.ts';
import { ownValue } from '#lib/kit/own-value.ts';
import { tidOf } from '#lib/registry/methods/broker/tenants.ts';
import { claimFault, hasTenants } from '#lib/registry/methods/claim-authority.ts';
import { comparedName } from '#lib/registry/methods/ldap/distinguished-name.ts';
import type { SnapshotMethod } from '#lib/store/registry/snapshot-rows.ts';
import { applyRuledGroups, type RuledGroups } from '#lib/store/sign-in/group-rules.ts';
import { findOrCreateIdentity, type Identity } from '#lib/store/tokens/identities.ts';
import { type Members, valueAt } from './members.ts';

/**
 * `untold`: claims of rules that the method left out, or said in a form that is no list of texts. `silent`: groups of
 * rules on a claim that is not there at all.
 */
export type SaidGroups = RuledGroups & { untold: string[]; silent: string[] };

const isPlain = (one: unknown): one is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof one);

/** The texts that a claim has; null: it has another form. */
function textsOf(said: unknown): string[] | null {
  if (isPlain(said)) return [String(said)];
  if (!Array.isArray(said)) return null;
  const plain = said.filter(isPlain);
  return plain.length === 0 && said.length > 0 ? null : plain.map(String);
}

/** Says the method that it knows the claim, and does not tell it here (OpenID Connect Core §5.6.2)? */
function isElsewhere(source: Members, member: string): boolean {
  const named = source['_claim_names'];
  if (typeof named === 'object' && named !== null && Object.hasOwn(named, member)) return true;
  return member === 'groups' && (source['hasgroups'] === true || source['hasgroups'] === 'true');
}

/** `TENANT/` where users of several tenants sign in, by the claims that name the tenant; otherwise empty. */
function tenantPrefix(row: SnapshotMethod, sources: readonly Members[]): string {
  if (!hasTenants(row)) return '';
  const tenants = sources.flatMap((one) => tidOf(row.config, one) ?? []);
  return `${tenants[0] ?? ''}/`;
}

/** The name of a directory in one spelling, after its tenant. */
function comparedValue(prefix: string, value: string): string {
  if (prefix === '') return comparedName(value);
  const at = value.indexOf('/') + 1;
  return value.slice(0, at).toLowerCase() + comparedName(value.slice(at));
}

/** Undefined: no group has a rule on this method. A rule on a claim that proves nothing brings nobody in. `named`: its own name for a claim. */
export function groupsSaid(
  row: SnapshotMethod,
  named: (claim: string) => string,
  sources: readonly Members[],
): SaidGroups | undefined {
  const { groupRules = [] } = row;
  if (groupRules.length === 0) return undefined;
  const proved = groupRules.filter((rule) => claimFault(row, rule) === null);
  const ofTenant = tenantPrefix(row, sources);
  const told = new Map<string, Set<string> | 'nothing' | 'untold'>();
  const toldOf = (claim: string) => {
    const member = named(claim);
    const value = sources.map((one) => valueAt(one, member)).find((one) => one != null);
    if (value === undefined) return sources.some((one) => isElsewhere(one, member)) ? 'untold' : 'nothing';
    const texts = textsOf(value);
    return texts === null ? 'untold' : new Set(texts.map((one) => ofTenant + comparedName(one)));
  };
  const said: SaidGroups = { in: [], unknown: [], untold: [], silent: [] };
  for (const { group, claim, values } of proved) {
    const has = told.get(claim) ?? toldOf(claim);
    told.set(claim, has);
    if (has === 'untold') said.unknown.push(group);
    else if (has === 'nothing') said.silent.push(group);
    else if (values.some((value) => has.has(comparedValue(ofTenant, value)))) said.in.push(group);
  }
  said.untold = [...told].filter(([, has]) => has === 'untold').map(([claim]) => claim);
  return said;
}

/**
 * The person of the identity, as `findOrCreateIdentity` gives them, in the groups that the rules say. `saidAt` of an ID
 * token that is presented here: what is not in it may be in the next one, so it takes no one out.
 */
export async function knowIdentity(row: SnapshotMethod, told: Told): ReturnType<typeof findOrCreateIdentity> {
  const { groups, leftOut, ...identity } = told;
  const { id: authMethodId, epoch: methodEpoch } = row;
  const person = await findOrCreateIdentity({ ...identity, authMethodId, methodEpoch });
  if (person === null) return person;
  const whose = { personId: person.personId, authMethodId };
  if (groups !== undefined) {
    const isWhole = told.saidAt === null;
    await keepGroups(whose, groups, { saidAt: told.saidAt, isWhole });
  }
  if (leftOut !== undefined && told.saidAt === null)
    await recordEvent({ event: 'claims.left_out', ...whose, details: { claims: leftOut } });
  return person;
}
type Told = Omit<Identity, 'authMethodId' | 'methodEpoch'> & {
  groups?: SaidGroups | undefined;
  /** claims that did not fit beside the others */
  leftOut?: string[] | undefined;
};

const mapOf = z.object({ claims: z.record(z.string(), z.string()).default({}) });

/** The method's own name for a claim: by its map, or the claim's. */
export function namedBy(row: SnapshotMethod): (claim: string) => string {
  const { claims } = mapOf.parse(row.config);
  return (claim) => ownValue(claims, claim) ?? claim;
}

/**
 * What the method says of a person beside a sign-in, all of it. `saidAt`: before it was asked; a sign-in since then
 * knows better.
 */
export async function applyGroupRules(
  row: SnapshotMethod,
  personId: string,
  members: Members,
  saidAt: Date,
): Promise<void> {
  const groups = groupsSaid(row, namedBy(row), [members]);
  const whose = { personId, authMethodId: row.id };
  if (groups !== undefined) await keepGroups(whose, groups, { saidAt, isWhole: true });
}

/** `isWhole`: a claim that is not there has no values; otherwise it may be told later. */
async function keepGroups(
  whose: { personId: string; authMethodId: string },
  { in: inGroups, unknown, untold, silent }: SaidGroups,
  { saidAt, isWhole }: { saidAt: Date | null; isWhole: boolean },
): Promise<void> {
  const stays = isWhole ? unknown : [...unknown, ...silent];
  await applyRuledGroups({ ...whose, groups: { in: inGroups, unknown: stays }, saidAt });
  if (untold.length > 0 && isWhole)
    await recordEvent({ event: 'groups.overage', ...whose, details: { claims: untold } });
}
