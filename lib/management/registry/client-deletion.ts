// Deleting a client. Preview and deletion use the same functions, so the preview shows what will happen.
import { english } from '#lib/language/message.ts';
import { plainText } from '#lib/registry/fields/display-text.ts';
import { removeFromRegistry } from '#lib/store/endings/removal.ts';
import { selectSubscriptionsOf } from '#lib/store/registry/subscriptions.ts';
import { approvedPairs, type Consequences, consequencesOf, countEnding } from '../core/consequences.ts';
import { operation } from '../core/operation.ts';
import { mayDo } from '../core/policy.ts';
import { record } from '../core/record.ts';
import { refuseStale } from '../core/refused.ts';
import { releaseLogo } from './brand.ts';
import { reachClient } from './client-access.ts';

export const previewClientDeletion = operation(
  'previewClientDeletion',
  async (context, input: { clientId: string }): Promise<Consequences> => {
    const { clientId, managed } = await reachClient(context, input.clientId, 'see');
    const subscriptions = await selectSubscriptionsOf(context.db, { clientId });
    return {
      ...consequencesOf(managed),
      losesAccess: approvedPairs(subscriptions),
      ...(await countEnding(context.db, { clientId })),
    };
  },
);

/** Disabling ends the same tokens, and keeps the registration. */
export const previewClientDisabling = operation(
  'previewClientDisabling',
  async (context, input: { clientId: string }): Promise<Consequences> => {
    const { actor, db } = context;
    const { clientId } = await reachClient(context, input.clientId, 'see');
    return {
      ...consequencesOf(false, [
        [english('Only an administrator can enable it again.'), !mayDo(actor, 'clients.manage-all')],
      ]),
      losesAccess: approvedPairs(await selectSubscriptionsOf(db, { clientId })),
      ...(await countEnding(db, { clientId })),
    };
  },
);

/** Deletes its secrets, subscriptions, consents and tokens too. */
export const deleteClient = operation(
  'deleteClient',
  async (context, input: { clientId: string; version?: number | undefined }): Promise<void> => {
    const { actor, db } = context;
    const client = await reachClient(context, input.clientId, 'manage');
    const { clientId, name, version } = client;
    refuseStale(clientId, input.version, version);
    await removeFromRegistry(db, 'clients', clientId);
    await releaseLogo(db, client, null);
    await record(actor, { event: 'client.removed', clientId, details: { name: plainText(name) } }, db);
  },
);
