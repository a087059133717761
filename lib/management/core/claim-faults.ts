// Why a claim of a sign-in method may not give access, in words (`claimFault` of lib/registry).
import type { Fault } from '#lib/registry/fields/definition.ts';
import { type ClaimFault, claimFault, requiredClaimFaultAt } from '#lib/registry/methods/claim-authority.ts';
import type { METHOD_KINDS } from '#lib/registry/methods/kinds.ts';
import type { GroupRule } from '#lib/registry/objects/group.ts';
import type { RequiredClaimAt } from '#lib/store/registry/subscriptions.ts';
import { faultAt } from './refusals/codes.ts';

type Method = { id: string; type: (typeof METHOD_KINDS)[number]['type']; config: Record<string, unknown> };

/** `path`: of the rule; the fault is at its claim or value. */
export function claimFaultAt(
  method: string,
  fault: ClaimFault,
  path: { claim: string; values: string },
): Fault {
  return fault.kind === 'personal'
    ? faultAt(path.claim, 'claim.personal', { claim: fault.claim, member: fault.member, method })
    : faultAt(`${path.values}.${fault.at}`, 'claim.tenant', { value: fault.value, method });
}

/** Of a group rule. */
export function ruleFaults(method: Method, rule: GroupRule, path: string): Fault[] {
  const fault = claimFault(method, rule);
  const at = { claim: `${path}.claim`, values: `${path}.values` };
  return fault === null ? [] : [claimFaultAt(method.id, fault, at)];
}

/** Subscriptions whose `required_claim` would prove nothing with this method. `before`: faults that it had are no news. */
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
