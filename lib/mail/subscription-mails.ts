// Mails about subscriptions: to the deciders of a request, and to the requester after the decision. Sent in the
// background, after the transaction.
import { readableLine } from '#lib/kit/index.ts';
import type { Words } from '#lib/language/index.ts';
import { type DisplayText, decidesFor, type SubscriptionRow, textsByLanguage } from '#lib/registry/index.ts';
import { settings } from '#lib/settings/index.ts';
import { database, findPersonById, findSubscription, selectReadersOf } from '#lib/store/index.ts';
import { namedIn } from './mail.ts';
import { background, type MailReader, sendServiceMail } from './service-mail.ts';

type Pair = { clientId: string; api: string };

export function tellApprovers(pair: Pair): void {
  background(async () => {
    const row = await findSubscription(await database(), pair.clientId, pair.api);
    if (row?.state !== 'pending') return;
    const href = `${settings().baseUrl}/admin?${new URLSearchParams({ client: row.clientId, api: row.api })}`;
    for (const to of await decidersOf(row))
      sendServiceMail(to, (words) => {
        const { t } = words;
        const names = namesIn(words, row);
        return {
          subject: t('mail.asks_subject', { client: names.client, api: names.api }),
          parts: [
            asked(words, row, { who: row.requestedByEmail ?? t('mail.somebody'), ...names }),
            ...(typeof row.clientNames === 'string'
              ? []
              : [{ text: t('mail.asks_names'), quote: namesByLanguage(row.clientNames) }]),
            ...(row.message ? [{ text: t('mail.asks_message'), quote: row.message }] : []),
            { text: t('mail.asks_decide'), href, button: t('mail.button_look') },
          ],
        };
      });
  });
}

/** A line for each. */
const namesByLanguage = (names: DisplayText) =>
  textsByLanguage(names)
    .map(({ tag, text }) => `${tag ?? '*'}: ${readableLine(text) ?? ''}`)
    .join('\n');

const namesIn = (words: Words, { clientName, clientId: id, apiName }: SubscriptionRow) => ({
  client: namedIn(words, clientName),
  id,
  api: namedIn(words, apiName),
});

function asked(
  { t }: Words,
  { trusted, machine }: SubscriptionRow,
  names: { who: string; client: string; id: string; api: string },
): string {
  if (trusted && machine) return t('mail.asks_both', names);
  if (trusted) return t('mail.asks_trusted', names);
  return machine ? t('mail.asks_machine', names) : t('mail.asks', names);
}

const DECIDED = {
  approved: ['mail.decided_approved', 'mail.decided_approved_subject'],
  rejected: ['mail.decided_rejected', 'mail.decided_rejected_subject'],
  suspended: ['mail.decided_suspended', 'mail.decided_suspended_subject'],
  resumed: ['mail.decided_resumed', 'mail.decided_resumed_subject'],
  revoked: ['mail.decided_revoked', 'mail.decided_revoked_subject'],
  undone: ['mail.decided_undone', 'mail.decided_undone_subject'],
} as const;

export function tellRequester(
  pair: Pair,
  { decision, reason }: { decision: keyof typeof DECIDED; reason: string | null },
): void {
  background(async () => {
    const row = await findSubscription(await database(), pair.clientId, pair.api);
    const personId = row?.requestedBy ?? row?.ownerId;
    const person = personId ? await findPersonById(await database(), personId) : null;
    if (!row || !person?.email || person.disabled) return;
    const [what, subject] = DECIDED[decision];
    const page = `${settings().baseUrl}/developer/clients/${encodeURIComponent(row.clientId)}/apis/${row.api}`;
    sendServiceMail({ email: person.email, locale: person.locale }, (words) => {
      const { t } = words;
      const names = namesIn(words, row);
      return {
        subject: t(subject, { api: names.api }),
        parts: [
          t(what, names),
          ...(reason ? [{ text: t('mail.decided_why'), quote: reason }] : []),
          row.clientOrigin === null
            ? { href: page, button: t('mail.button_look') }
            : t('mail.decided_goes_on'),
        ],
      };
    });
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
