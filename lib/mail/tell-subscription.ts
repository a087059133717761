// Sends the mails about subscriptions: to the deciders of a request, and to the requester after the decision. In the
// background, after the transaction.
import { afterCommit, type Db, database } from '#lib/store/database/prisma.ts';
import { queueRequestMails } from '#lib/store/log/request-mails.ts';
import { findPersonById } from '#lib/store/people/people.ts';
import { findSubscription } from '#lib/store/registry/subscriptions.ts';
import { decidersOf, readDeciders } from './deciders.ts';
import { sendRequestMailsSoon } from './request-mails.ts';
import { background, sendServiceMail } from './service-mail.ts';
import type { DecisionTold } from './subscription-mails.ts';

type Pair = { clientId: string; api: string };

/**
 * In the transaction of a new request: each decider is notified of it once, at once or with the next mail
 * (request-mails.ts).
 */
export async function tellApprovers(db: Db, { clientId, api }: Pair): Promise<void> {
  const row = await findSubscription(db, clientId, api);
  if (row?.state !== 'pending') return;
  const deciders = decidersOf(row, await readDeciders(db));
  await queueRequestMails(
    db,
    { clientId, api },
    deciders.map(({ id }) => id),
  );
  afterCommit(sendRequestMailsSoon);
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
