// Who may see or change which client. Somebody else's client is answered as not found, and noted (case AD-06).
import { BUILT_IN_API, type ClientRow, isPowerful } from '#lib/registry/index.ts';
import { findClient, selectSubscriptionsOf } from '#lib/store/index.ts';
import type { Context } from './operation.ts';
import { idOf, mayDo, refuseSelf, requireAction, requireRecent } from './policy.ts';
import { Refused } from './refused.ts';

export async function reachClient(
  { actor, db }: Context,
  clientId: string,
  to: 'see' | 'manage',
): Promise<ClientRow> {
  const all = mayDo(actor, `clients.${to}-all`);
  if (!all) requireAction(actor, `clients.${to}-own`);
  const client = await findClient(db, clientId, to === 'manage' ? 'lock' : 'look');
  const reached = client !== null && (all || (client.ownerId !== null && client.ownerId === idOf(actor)));
  if (reached && to === 'manage') refuseSelf(actor, clientId);
  if (reached) return client;
  throw new Refused(`there is no client ${clientId}${all ? '' : ' of yours'}`, 'not-found', {
    foreign: client !== null,
  });
}

/**
 * Clients that are trusted, act in their own name, are vouched for people to or may use the management API have power: changing
 * their credentials takes a fresh sign-in.
 */
export async function requireRecentForPower(
  { actor, db }: Context,
  { clientId, idJagAudiences }: Pick<ClientRow, 'clientId' | 'idJagAudiences'>,
): Promise<void> {
  if (idJagAudiences.length > 0) requireRecent(actor);
  const rows = await selectSubscriptionsOf(db, { clientId });
  const open = rows.filter(({ state }) => state !== 'rejected' && state !== 'revoked');
  if (open.some((row) => isPowerful(row) || row.api === BUILT_IN_API)) requireRecent(actor);
}
