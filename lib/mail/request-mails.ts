// Sends mails about subscriptions. Users who decide get a mail about the first request immediately. Further requests
// within ten minutes are in the next mail. Requesting users get one mail for all decisions that are due. Both queues
// are in the database, so that they survive a restart and two instances never send the same mail
// (lib/store/request-mails.ts).

import { decidesFor } from '#lib/catalogue/apis/definition.ts';
import { selectReadersOf } from '#lib/catalogue/people/rows.ts';
import type { SubscriptionRow } from '#lib/catalogue/subscriptions/definition.ts';
import { findSubscription } from '#lib/catalogue/subscriptions/rows.ts';
import { log } from '#lib/kit/log.ts';
import { deliverMail } from '#lib/kit/mail.ts';
import { inBackground } from '#lib/kit/process.ts';
import { afterCommit, type Db, database } from '#lib/store/prisma.ts';
import {
  addRequestMails,
  claimDecisionMails,
  claimRequestMails,
  type DecisionToMail,
  decisionsToMail,
  dropRequestMails,
  finishDecisionMails,
  finishRequestMail,
  postponeDecisionMails,
  postponeRequestMail,
  queueDecisionMail,
  queueRequestMails,
  type RequestMailTurn,
  type RequestToMail,
  releaseDecisionMails,
  releaseHeldMails,
  releaseRequestMail,
  requestsToMail,
} from '#lib/store/request-mails.ts';
import type { DecisionTold, MailedDecision, MailedRequest } from './messages.ts';
import { composeMail, type MailReader, mailTransport } from './send.ts';

// A user who can decide on a subscription request, and therefore receives mails about it.

type Decider = MailReader & { id: string };
type Deciders = { approvers: Decider[]; administrators: Decider[] };

/** Reads all users with a role that can decide. */
async function readDeciders(db: Db): Promise<Deciders> {
  const [approvers, administrators] = [
    await selectReadersOf(db, 'approver'),
    await selectReadersOf(db, 'administrator'),
  ];
  return { approvers, administrators };
}

/**
 * Returns the API’s approvers. If there are none, returns every approver, otherwise the administrators. The
 * requesting user and the owner of the client are excluded.
 */
function decidersOf(row: SubscriptionRow, { approvers, administrators }: Deciders): Decider[] {
  const others = (people: Decider[]) =>
    people.filter(({ email }) => email !== row.requestedByEmail && email !== row.ownerEmail);
  const listed = administrators.filter(({ email }) => row.approvers.includes(email));
  const deciding = approvers.filter(({ email }) => decidesFor({ email, roles: ['approver'] }, row));
  // a person can be an approver and an administrator
  const deciders = others([
    ...new Map([...deciding, ...listed].map((decider) => [decider.email, decider])).values(),
  ]);
  return deciders.length > 0 ? deciders : others(administrators);
}

const EVERY_MS = 10_000;
const TURN_MS = 10_000;
const AT_ONCE = 10;
/** Maximum number of requests in a mail. The inbox lists all requests. */
const MOST_LISTED = 20;

/** Sends all mails that are due. It ends when none is due, and starts no further mail after `budgetMs`. */
export async function sendRequestMails(budgetMs = TURN_MS): Promise<void> {
  const until = performance.now() + budgetMs;
  while (performance.now() < until) {
    const counts = await settleAll([sendTurns(), sendDecisions()]);
    if (counts.every((count) => count === 0)) return;
  }
}

/** The two kinds of mail are sent independently: if one kind fails, the other kind is still sent. */
async function sendTurns(): Promise<number> {
  const turns = await claimRequestMails(AT_ONCE);
  await settleAll(turns.map(takeTurn));
  return turns.length;
}

async function sendDecisions(): Promise<number> {
  const mailIds = await claimDecisionMails(AT_ONCE);
  await mailDecisions(mailIds);
  return mailIds.length;
}

/** Waits for every promise, then throws the first rejection. */
async function settleAll<T>(work: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

/** Sends due mails in the background. */
function sendRequestMailsSoon(): void {
  const waits = (error: Error) => log().warn({ reason: error.message }, 'mails about requests wait');
  inBackground(sendRequestMails().catch(waits));
}

/** Starts the timer of a long-running process. Returns a function that stops it. */
export function startRequestMails(): () => void {
  const timer = setInterval(sendRequestMailsSoon, EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

async function takeTurn(turn: RequestMailTurn): Promise<void> {
  const { to, requests } = await readTurn(turn).catch(async (error: unknown) => {
    // without this release, the mail would be delayed by five minutes, until the lease expires
    await releaseRequestMail(turn);
    throw error;
  });
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

/**
 * Reads the pending requests that this user can decide now. If the user can no longer decide on a request, it is sent
 * to the users who can.
 */
async function readTurn({ personId }: RequestMailTurn) {
  const db = database();
  const [requests, deciders] = [await requestsToMail(personId), await readDeciders(db)];
  let to: Decider | undefined;
  const lost: RequestToMail[] = [];
  const dueRequests = requests.filter((request) => {
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
  return { to, requests: dueRequests };
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

/**
 * Selects the requests that the mail lists: the oldest request of each requesting user, then each user's second
 * request, and so on. A user with many requests therefore cannot displace other users.
 */
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
      .toSorted((request, other) => request.place - other.place)
      .slice(0, MOST_LISTED)
      .map(({ request }) => request),
  );
  return requests.filter((request) => listed.has(request));
}

// Sends mails about subscriptions: about requests, to the users who decide, and about decisions, to the users who
// requested. Runs in the background after the commit.

type Pair = { clientId: string; api: string };

/**
 * Must be called in the transaction of a new request. Each user who can decide is notified once: immediately, or with
 * the next mail.
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

type Told = { decision: DecisionTold; reason: string | null };

/**
 * Must be called in the transaction of a decision. `held`: ids of mails that a decision on several requests holds
 * back until it calls `sendHeldMails`.
 */
export async function tellRequester(db: Db, pair: Pair, decision: Told, held?: string[]): Promise<void> {
  const mailId = await queueDecisionMail(db, pair, { ...decision, heldSeconds: held ? MANY_SECONDS : 0 });
  if (mailId === null) return;
  if (held) held.push(mailId);
  else afterCommit(sendRequestMailsSoon);
}

/** Seconds for which a mail is held back: longer than a decision on several requests can take. */
const MANY_SECONDS = 60;

/** Releases the held mails and sends them, one to each requesting user. */
export async function sendHeldMails(held: readonly string[]): Promise<void> {
  if (held.length === 0) return;
  // the decisions are already stored; if this release fails, their mails are sent after `MANY_SECONDS`
  await releaseHeldMails(held, MANY_SECONDS).catch((error: unknown) =>
    log().warn({ err: error }, 'mails about decisions wait'),
  );
  sendRequestMailsSoon();
}

async function mailDecisions(mailIds: readonly string[]): Promise<void> {
  if (mailIds.length === 0) return;
  const rows = await decisionsToMail(mailIds).catch(async (error: unknown) => {
    await releaseDecisionMails(mailIds);
    throw error;
  });
  await Promise.all([...Map.groupBy(rows, ({ personId }) => personId).values()].map(mailRequester));
}

async function mailRequester(rows: readonly DecisionToMail[]): Promise<void> {
  const mailIds = rows.map(({ mailId }) => mailId);
  const { email = null, locale = null } = rows[0] ?? {};
  if (email === null) return finishDecisionMails(mailIds);
  try {
    await deliverMail(mailOfDecisions({ email, locale }, rows.map(decisionOf)), mailTransport());
  } catch (error) {
    log().error({ err: error, decisions: rows.length }, 'a mail about decisions could not be sent');
    return postponeDecisionMails(mailIds);
  }
  return finishDecisionMails(mailIds);
}

function mailOfDecisions(to: MailReader, decisions: readonly MailedDecision[]) {
  const [first] = decisions;
  if (first && decisions.length === 1) return composeMail(to, `subscription-${first.decision}`, first);
  const listed = decisions.slice(0, MOST_LISTED);
  return composeMail(to, 'subscriptions-decided', {
    decisions: listed,
    unlisted: decisions.length - listed.length,
  });
}

const decisionOf = (row: DecisionToMail): MailedDecision => ({
  ...row,
  decision: row.decision as DecisionTold,
  reason: row.decisionReason,
  unregistered: row.clientOrigin !== null,
});
