// Mails about subscriptions: to the deciders of a request, and to the requester after the decision. Sent in the background,
// after the transaction.
import type { SubscriptionRow } from '#lib/registry/index.ts';
import { settings } from '#lib/settings/index.ts';
import { findPersonById, findSubscription, ownConnection, selectEmailsOf } from '#lib/store/index.ts';
import { decidesFor } from './policy.ts';
import { background, sendServiceMail } from './service-mail.ts';
import type { Pair } from './subscription-steps.ts';

export function tellApprovers(pair: Pair): void {
  background(async () => {
    const row = await findSubscription(ownConnection, pair.clientId, pair.api);
    if (row?.state !== 'pending') return;
    const words = [row.trusted && 'a trusted', row.machine && 'a machine’s'].filter(Boolean);
    const asks = `${words.join(' and ') || 'a'} subscription`;
    const text = [
      `${row.requestedByEmail ?? 'Somebody'} asks for ${asks} of ${row.clientName} (${row.clientId}) to ${row.apiName}.`,
      ...(row.message ? ['', 'Their message:', row.message] : []),
      '',
      'See what is asked for, and decide:',
      `${settings().baseUrl}/admin?${new URLSearchParams({ client: row.clientId, api: row.api })}`,
    ].join('\n');
    const subject = `${row.clientName} asks for ${row.apiName}`;
    for (const to of await decidersOf(row)) sendServiceMail({ to, subject, text });
  });
}

export function tellRequester(pair: Pair, decided: { decision: string; reason: string | null }): void {
  background(async () => {
    const row = await findSubscription(ownConnection, pair.clientId, pair.api);
    const personId = row?.requestedBy ?? row?.ownerId;
    const person = personId ? await findPersonById(ownConnection, personId) : null;
    if (!row || !person?.email || person.disabled) return;
    const text = [
      `The subscription of ${row.clientName} (${row.clientId}) to ${row.apiName} was ${decided.decision}.`,
      ...(decided.reason ? ['', 'Why:', decided.reason] : []),
      '',
      row.clientOrigin === null
        ? `${settings().baseUrl}/developer/clients/${encodeURIComponent(row.clientId)}/apis/${row.api}`
        : 'Open the application again, or the page that waits: the same link goes on.',
    ].join('\n');
    sendServiceMail({ to: person.email, subject: `${row.apiName}: ${decided.decision}`, text });
  });
}

/** The API's approvers, or every approver, or else administrators; never the requester or the owner of the client. */
async function decidersOf(row: SubscriptionRow): Promise<string[]> {
  const [approvers, administrators] = await Promise.all([
    selectEmailsOf(ownConnection, 'approver'),
    selectEmailsOf(ownConnection, 'administrator'),
  ]);
  const others = (emails: string[]) =>
    emails.filter((email) => email !== row.requestedByEmail && email !== row.ownerEmail);
  const listed = administrators.filter((email) => row.approvers.includes(email));
  const deciding = approvers.filter((email) => decidesFor({ email, roles: ['approver'] }, row));
  const asked = others([...new Set([...deciding, ...listed])]);
  return asked.length > 0 ? asked : others(administrators);
}
