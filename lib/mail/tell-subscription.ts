// Sends the mails about subscriptions: to the deciders of a request, and to the requester after the decision. In the
// background, after the transaction.
import { decidesFor, type SubscriptionRow } from '#lib/registry/index.ts';
import { database, findPersonById, findSubscription, selectReadersOf } from '#lib/store/index.ts';
import { background, type MailReader, sendServiceMail } from './service-mail.ts';
import type { DecisionTold } from './subscription-mails.ts';

type Pair = { clientId: string; api: string };

export function tellApprovers(pair: Pair): void {
  background(async () => {
    const row = await findSubscription(await database(), pair.clientId, pair.api);
    if (row?.state !== 'pending') return;
    for (const to of await decidersOf(row))
      sendServiceMail(to, 'subscription-asked', { ...row, by: row.requestedByEmail });
  });
}

export function tellRequester(
  pair: Pair,
  { decision, reason }: { decision: DecisionTold; reason: string | null },
): void {
  background(async () => {
    const row = await findSubscription(await database(), pair.clientId, pair.api);
    const personId = row?.requestedBy ?? row?.ownerId;
    const person = personId ? await findPersonById(await database(), personId) : null;
    if (!row || !person?.email || person.disabled) return;
    const facts = { ...row, reason, unregistered: row.clientOrigin !== null };
    sendServiceMail({ email: person.email, locale: person.locale }, `subscription-${decision}`, facts);
  });
}

/** The API's approvers, or every approver, or else administrators; never the requester or the owner of the client. */
async function decidersOf(row: SubscriptionRow): Promise<MailReader[]> {
  const [approvers, administrators] = await Promise.all([
    selectReadersOf(await database(), 'approver'),
    selectReadersOf(await database(), 'administrator'),
  ]);
  const others = (people: MailReader[]) =>
    people.filter(({ email }) => email !== row.requestedByEmail && email !== row.ownerEmail);
  const listed = administrators.filter(({ email }) => row.approvers.includes(email));
  const deciding = approvers.filter(({ email }) => decidesFor({ email, roles: ['approver'] }, row));
  // one person may be both
  const asked = others([...new Map([...deciding, ...listed].map((one) => [one.email, one])).values()]);
  return asked.length > 0 ? asked : others(administrators);
}
