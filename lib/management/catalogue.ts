// The APIs that an application may subscribe to, as its developer sees them.
import { type CatalogueRow, ownConnection, selectCatalogue } from '#lib/store/index.ts';
import { reachClient } from './client-access.ts';
import { operation } from './operation.ts';
import { searchOf } from './page.ts';
import { type Actor, requireAction } from './policy.ts';

export type CatalogueEntry = CatalogueRow;

export const listCatalogue = operation(
  'listCatalogue',
  async (
    actor: Actor,
    input: { clientId?: string | undefined; search?: string | undefined } = {},
  ): Promise<CatalogueEntry[]> => {
    requireAction(actor, 'subscriptions.see-own');
    const { clientId } = input;
    if (clientId !== undefined) await reachClient(ownConnection, actor, clientId, 'see');
    return selectCatalogue({ clientId: clientId ?? null, search: searchOf(input) });
  },
);
