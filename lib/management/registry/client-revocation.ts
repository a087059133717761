// Ends every token and consent of a client and leaves the client as it is: for one that may have lost its tokens, or
// for new consent. Blocking ends the same tokens and refuses new ones.
import { type ClientRevocation, countAllOfClient, endAllOfClient } from '#lib/store/endings/endings.ts';
import { operation } from '../core/operation.ts';
import { record } from '../core/record.ts';
import { reachClient } from './client-access.ts';

export const previewClientRevocation = operation(
  'previewClientRevocation',
  async (context, input: { clientId: string }): Promise<ClientRevocation> => {
    const { clientId } = await reachClient(context, input.clientId, 'see');
    return countAllOfClient(context.db, clientId);
  },
);

/** Answers what has ended. */
export const revokeClient = operation(
  'revokeClient',
  async (context, input: { clientId: string }): Promise<ClientRevocation> => {
    const { actor, db } = context;
    const { clientId } = await reachClient(context, input.clientId, 'manage');
    const ended = await endAllOfClient(db, clientId);
    await record(actor, { event: 'client.revoked', clientId, details: ended }, db);
    return ended;
  },
);
