import type { Actor } from '#lib/management/core/policy.ts';
import { Refused } from '#lib/management/core/refused.ts';
import { type CatalogueEntry, listCatalogue } from '#lib/management/registry/apis.ts';

/** The API's entry in the catalogue of this client's developer. */
export async function reachApi(
  actor: Actor,
  { clientId, apiId }: { clientId: string; apiId: string },
): Promise<CatalogueEntry> {
  const api = (await listCatalogue(actor, { clientId })).find(({ id }) => id === apiId);
  if (!api) throw new Refused('api.unknown', { api: apiId });
  return api;
}
