// Why a claim of a sign-in method may not give access, in words (`claimFault` of lib/registry).
import {
  type ClaimFault,
  claimFault,
  type Fault,
  type GroupRule,
  type METHOD_KINDS,
  requiredClaimFaultAt,
} from '#lib/registry/index.ts';
import type { RequiredClaimAt } from '#lib/store/index.ts';
import { faultAt } from './refusals/index.ts';

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
