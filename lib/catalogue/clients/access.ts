// Rules about who can see and change a client. Access to a client of another person returns "not found", and is
// audited (case AD-06).

import { BUILT_IN_API } from '#lib/catalogue/apis/definition.ts';
import { isPowerful } from '#lib/catalogue/subscriptions/definition.ts';
import { selectSubscriptionsOf } from '#lib/catalogue/subscriptions/rows.ts';
import type { Context } from '#lib/management/operations.ts';
import { idOf, mayDo, refuseSelf, requireAction, requireRecent } from '#lib/management/policy.ts';
import { Refused } from '#lib/management/refused.ts';
import { isRelied } from '#lib/store/consents.ts';
import type { ClientRow } from './definition.ts';
import { findClient } from './rows.ts';

export const SEE_CLIENT = ['clients.see-all', 'clients.see-own'] as const;
export const MANAGE_CLIENT = ['clients.manage-all', 'clients.manage-own'] as const;

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
 * A change of the client's identity (name, redirect URIs, keys, secrets) requires a recent sign-in if consents or
 * approvals depend on the client. This is the case if the client is trusted, is a machine or can use the management
 * API. It is also the case if the client has audiences for identity assertions, a consent, a delegation, or a
 * required approval.
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
