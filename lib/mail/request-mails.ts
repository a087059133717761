// Sends the mails to deciders about requests: the first one at once, and what comes within ten minutes after a mail
// together when these are over. The queue is in the database, so that it outlives a process, and of several instances
// one sends each mail (lib/store/log/request-mails.ts).
import { inBackground } from '#lib/kit/background.ts';
import { log } from '#lib/kit/log.ts';
import { deliverMail } from '#lib/kit/mail.ts';
import { database } from '#lib/store/database/prisma.ts';
import {
  addRequestMails,
  claimRequestMails,
  dropRequestMails,
  finishRequestMail,
  postponeRequestMail,
  type RequestMailTurn,
  type RequestToMail,
  releaseRequestMail,
  requestsToMail,
} from '#lib/store/log/request-mails.ts';
import { type Decider, decidersOf, readDeciders } from './deciders.ts';
import { composeMail, mailTransport } from './service-mail.ts';
import type { MailedRequest } from './subscription-mails.ts';

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
export function sendRequestMailsSoon(): void {
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
