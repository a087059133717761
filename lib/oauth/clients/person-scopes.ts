// Scopes that are for people of some groups only. Asks nothing where the API names no group.
import { asksGroups } from '#lib/registry/objects/api-groups.ts';
import type { SnapshotApi, SnapshotMethod } from '#lib/store/registry/snapshot-rows.ts';
import { findScopesOfGroups } from '#lib/store/sign-in/group-scopes.ts';

/** Those of the scopes that the person may have; null: the API, or all that was asked for, is for others. */
export async function scopesOfPerson(
  { api, method }: { api: SnapshotApi; method: SnapshotMethod },
  personId: string,
  scopes: string[],
): Promise<string[] | null> {
  if (!asksGroups(api)) return scopes;
  const asked = { personId, apiId: api.id, authMethodId: method.id, scopes };
  const allowed = await findScopesOfGroups(asked);
  return allowed === null || (scopes.length > 0 && allowed.length === 0) ? null : allowed;
}
