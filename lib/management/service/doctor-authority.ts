// Stored group rules and required claims that the service would refuse today: from before an upgrade, or from before a
// change of their method.
import { claimFault, requiredClaimFaultAt } from '#lib/registry/methods/claim-authority.ts';
import { database } from '#lib/store/database/prisma.ts';
import type { Snapshot } from '#lib/store/registry/snapshot-rows.ts';
import { selectRequiredClaims } from '#lib/store/registry/subscriptions.ts';
import { claimFaultAt } from '../core/claim-faults.ts';
import { type Finding, finding, guideAt } from './doctor-finding.ts';

const warning = finding('warning');
const broken = finding('broken');
const guide = () => guideAt('groups#who-is-in-a-group');
const NOWHERE = { claim: '', values: '' };

/** One finding for each rule without authority over its claim; nothing where all have it. */
export async function examineAuthority(snapshot: Snapshot): Promise<Finding[]> {
  return [...weakRules(snapshot), ...(await weakRequiredClaims(snapshot))];
}

function weakRules({ methods }: Snapshot): Finding[] {
  return [...methods.values()].flatMap((method) =>
    (method.groupRules ?? []).flatMap((rule) => {
      const fault = claimFault(method, rule);
      if (fault === null) return [];
      const { message } = claimFaultAt(method.id, fault, NOWHERE);
      return warning(
        'group rules',
        `the rule of ${rule.group} on ${rule.claim} by ${method.id} brings nobody in: ${message}; see ${guide()}`,
      );
    }),
  );
}

async function weakRequiredClaims({ apis, methods }: Snapshot): Promise<Finding[]> {
  const required = await selectRequiredClaims(await database());
  return required.flatMap(({ clientId, apiId, requiredClaim }) =>
    (apis.get(apiId)?.authMethods ?? []).flatMap((id) => {
      const method = methods.get(id);
      const fault = method ? requiredClaimFaultAt(method, requiredClaim) : null;
      if (fault === null) return [];
      const { message } = claimFaultAt(id, fault, NOWHERE);
      // the stored term stays in force: refusing it would sign out the users of an application at an upgrade
      const [state, effect] =
        fault.kind === 'tenant' ? [warning, 'lets nobody in'] : [broken, 'lets anyone in who arranges it'];
      return state(
        'required_claim',
        `${requiredClaim.name} of ${clientId} at ${apiId} by ${id} ${effect}: ${message}; see ${guide()}`,
      );
    }),
  );
}
