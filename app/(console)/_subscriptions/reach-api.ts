import { type Actor, type CatalogueEntry, listCatalogue, Refused } from '#lib/management/index.ts';

/** The API's entry in the catalogue of this client's developer. */
export async function reachApi(
  actor: Actor,
  { clientId, apiId }: { clientId: string; apiId: string },
): Promise<CatalogueEntry> {
  const api = (await listCatalogue(actor, { clientId })).find(({ id }) => id === apiId);
  if (!api) throw new Refused('api.unknown', { api: apiId });
  return api;
}
