// Who may see or change which client. Another person's client is answered as not found, and noted (case AD-06).

import { BUILT_IN_API } from '#lib/registry/api.ts';
import type { ClientRow } from '#lib/registry/client.ts';
import { isPowerful } from '#lib/registry/subscription.ts';
import { findClient } from '#lib/store/clients.ts';
import { isRelied } from '#lib/store/consents.ts';
import { selectSubscriptionsOf } from '#lib/store/subscriptions.ts';
import type { Context } from './operations.ts';
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
  const code = all ? 'client.unknown' : 'client.not_yours';
  throw new Refused(code, { client: clientId }, { foreign: client !== null });
}

/**
 * Changing what a client is known by (name, redirect addresses, keys, secrets) takes a fresh sign-in where consents or
 * approvals rest on it: it is trusted, acts in its own name, is vouched for people to, may use the management API, has
 * a person's consent or delegation, or was let in where that takes an approval.
 */
export async function requireRecentWhereRelied(
  { actor, db }: Context,
  { clientId, idJagAudiences }: Pick<ClientRow, 'clientId' | 'idJagAudiences'>,
): Promise<void> {
  if (idJagAudiences.length > 0) requireRecent(actor);
  const rows = await selectSubscriptionsOf(db, { clientId });
  const open = rows.filter(({ state }) => state !== 'rejected' && state !== 'revoked');
  if (open.some((row) => isPowerful(row) || row.api === BUILT_IN_API)) requireRecent(actor);
  if (await isRelied(db, clientId)) requireRecent(actor);
}
