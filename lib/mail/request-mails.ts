// Sends the mails to deciders about requests: the first one at once, and what comes within ten minutes after a mail
// together when these are over. The queue is in the database, so that it outlives a process, and of several instances
// one sends each mail (lib/store/request-mails.ts).

import { log } from '#lib/kit/log.ts';
import { deliverMail } from '#lib/kit/mail.ts';
import { inBackground } from '#lib/kit/process.ts';
import { findPersonById } from '#lib/store/people.ts';
import { afterCommit, type Db, database } from '#lib/store/prisma.ts';
import {
  addRequestMails,
  claimRequestMails,
  dropRequestMails,
  finishRequestMail,
  postponeRequestMail,
  queueRequestMails,
  type RequestMailTurn,
  type RequestToMail,
  releaseRequestMail,
  requestsToMail,
} from '#lib/store/request-mails.ts';
import { findSubscription } from '#lib/store/subscriptions.ts';
import { type Decider, decidersOf, readDeciders } from './deciders.ts';
import type { DecisionTold, MailedRequest } from './messages.ts';
import { background, composeMail, mailTransport, sendServiceMail } from './send.ts';

const EVERY_MS = 10_000;
const TURN_MS = 10_000;
const AT_ONCE = 10;
/** Requests that a mail describes; the inbox lists all. */
const MOST_LISTED = 20;

/** Sends what is due. Ends when nothing is due any more, or begins no further mail after `budgetMs`. */
export async function sendRequestMails(budgetMs = TURN_MS): Promise<void> {
  const until = performance.now() + budgetMs;
  while (performance.now() < until) {
    const turns = await claimRequestMails(AT_ONCE);
    if (turns.length === 0) return;
    await Promise.all(turns.map(takeTurn));
  }
}

/** In the background. */
function sendRequestMailsSoon(): void {
  const waits = (error: Error) => log().warn({ reason: error.message }, 'mails about requests wait');
  inBackground(sendRequestMails().catch(waits));
}

/** Starts the timer of a lasting process; returns a function that stops it. */
export function startRequestMails(): () => void {
  const timer = setInterval(sendRequestMailsSoon, EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

async function takeTurn(turn: RequestMailTurn): Promise<void> {
  const { to, requests } = await readTurn(turn);
  if (!to || requests.length === 0) return releaseRequestMail(turn);
  const mailIds = requests.map(({ mailId }) => mailId);
  try {
    await deliverMail(mailAbout(to, requests), mailTransport());
  } catch (error) {
    log().error({ err: error, requests: requests.length }, 'a mail about requests could not be sent');
    return postponeRequestMail(turn, mailIds);
  }
  return finishRequestMail(turn, mailIds);
}

/** The pending requests that this person decides on now; the other deciders are asked in their place otherwise. */
async function readTurn({ personId }: RequestMailTurn) {
  const db = await database();
  const [requests, deciders] = [await requestsToMail(personId), await readDeciders(db)];
  let to: Decider | undefined;
  const lost: RequestToMail[] = [];
  const kept = requests.filter((request) => {
    const decider = decidersOf(request, deciders).find(({ id }) => id === personId);
    to ??= decider;
    if (!decider) lost.push(request);
    return decider !== undefined;
  });
  for (const request of lost)
    await addRequestMails(
      db,
      request,
      decidersOf(request, deciders).map(({ id }) => id),
    );
  if (lost.length > 0) await dropRequestMails(lost.map(({ mailId }) => mailId));
  return { to, requests: kept };
}

function mailAbout(to: Decider, requests: readonly RequestToMail[]) {
  const facts = requests.map(factsOf);
  const [first] = facts;
  if (first && facts.length === 1) return composeMail(to, 'subscription-asked', first);
  const listed = selectListed(facts);
  const unlisted = facts.length - listed.length;
  return composeMail(to, 'subscriptions-asked', { requests: listed, unlisted });
}

type Listed = MailedRequest & { requestedBy: string | null };

const factsOf = (row: RequestToMail): Listed => ({ ...row, by: row.requestedByEmail ?? row.requesterName });

/** Oldest first. A requester with many requests does not push out those of others. */
function selectListed(requests: readonly Listed[]): Listed[] {
  if (requests.length <= MOST_LISTED) return [...requests];
  const places = new Map<string | null, number>();
  const placed = requests.map((request) => {
    const place = places.get(request.requestedBy) ?? 0;
    places.set(request.requestedBy, place + 1);
    return { request, place };
  });
  const listed = new Set(
    placed
      .toSorted((one, other) => one.place - other.place)
      .slice(0, MOST_LISTED)
      .map(({ request }) => request),
  );
  return requests.filter((request) => listed.has(request));
}

// Sends the mails about subscriptions: to the deciders of a request, and to the requester after the decision. In the
// background, after the transaction.

type Pair = { clientId: string; api: string };

/** In the transaction of a new request: each decider is notified of it once, at once or with the next mail. */
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
