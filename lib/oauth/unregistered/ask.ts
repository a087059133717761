// An unregistered client asks for an API in the name of the person who signed in. A rule of the API approves it at
// once, or an approver decides, as on any subscription. The client, the subscription and their events are written in
// one transaction.
import { recordEvent } from '#lib/audit/audit-log.ts';
import { tellApprovers } from '#lib/mail/tell-subscription.ts';
import { type AutoApproval, documentHost } from '#lib/registry/clients/unregistered.ts';
import { personLabel } from '#lib/registry/objects/person.ts';
import type { SubscriptionRow } from '#lib/registry/objects/subscription.ts';
import { powersOf, sameSet } from '#lib/registry/objects/subscription-states.ts';
import { type Db, database, inTransaction, lockName } from '#lib/store/database/prisma.ts';
import { findPersonById } from '#lib/store/people/people.ts';
import { findClient } from '#lib/store/registry/clients.ts';
import { RegistryChanged } from '#lib/store/registry/snapshot.ts';
import type { SnapshotApi, SnapshotClient } from '#lib/store/registry/snapshot-rows.ts';
import { findSubscription, stepSubscription } from '#lib/store/registry/subscriptions.ts';
import {
  countUnregisteredWaiting,
  findApprovalRequest,
  insertApprovalRequest,
  insertDocumentClient,
  type UnregisteredWaiting,
} from '#lib/store/registry/unregistered.ts';
import { UnregisteredClientRefused } from './client-refused.ts';
import { valuesOf } from './document-client.ts';
import { isListed, ruleFor } from './resolve-client.ts';

/** The person who signed in, and their HTTP request, whose id the page shows. */
type Asker = { personId: string; requestId: string; ip: string | null };
type ApprovalRequest = {
  api: SnapshotApi;
  client: SnapshotClient;
  scopes: readonly string[];
  /** did the client name its scopes, or leave them to the server? */
  scopeNamed: boolean;
};

type Asked = Asker & {
  clientId: string;
  api: string;
  client: SnapshotClient;
  /** of the API's; empty: it asked for none of them */
  wanted: string[];
  /** what the subscription is limited to; empty: all of the API's */
  ceiling: string[];
  /** the rule that lets it in; null: an approver decides */
  rule: AutoApproval | null;
};

/**
 * How many may wait at once. One person fills a small part of an API's, and so does one host: neither can hide what
 * others ask for. `rule`: so many new clients of its hosts a rule lets in at an API in a day; the next ones wait for an
 * approver.
 */
const MOST: UnregisteredWaiting = { person: 10, today: 30, host: 20, api: 200, rule: 100 };

/**
 * The id of the request with which this person asked for it first. Null: it is decided on, so the registry is read
 * again. UnregisteredClientRefused: it is not listed, or too many wait.
 */
export async function requestApproval(request: ApprovalRequest, asker: Asker): Promise<string | null> {
  const { api, client, scopeNamed } = request;
  const { clientId } = client;
  const wanted = api.scopes.map(({ name }) => name).filter((name) => request.scopes.includes(name));
  const rule = ruleFor(api, client, { scopes: wanted, scopeNamed });
  const isThere = client.subscriptions.some((one) => one.apiId === api.id);
  if (!isThere && rule === null && !isListed(api, client)) throw new UnregisteredClientRefused('not-listed');
  const ceiling = wanted.length === api.scopes.length ? [] : wanted;
  const asked = { ...asker, clientId, api: api.id, client, wanted, ceiling, rule };
  const before = await findApprovalRequest(await database(), keyOf(asked));
  if (before && covers(before.scopes, asked)) return before.requestId;
  return inTransaction((db) => ask(db, asked));
}

const keyOf = ({ clientId, api, personId }: Asked) => ({ clientId, apiId: api, personId });
const by = ({ personId, requestId, ip, clientId }: Asked) => ({
  ...{ actor: personId, requestId, ip: ip ?? undefined, clientId },
});

async function ask(db: Db, asked: Asked): Promise<string | null> {
  const { clientId, api, client, requestId, ceiling } = asked;
  // under a lock, so that two at once do not pass a limit together
  await lockName(db, 'agents');
  const row = await findSubscription(db, clientId, api);
  if (row && row.state !== 'pending') return null;
  const [host, ruleHost] = [documentHost(client), asked.rule?.host ?? null];
  const counts = await countUnregisteredWaiting(db, { ...keyOf(asked), host, ruleHost });
  const rule = counts.rule < MOST.rule ? asked.rule : null;
  const full = fullOf(counts, row !== null, rule);
  if (full !== null && row === null) throw new UnregisteredClientRefused(`full-${full}`);
  if (row) {
    await widen(db, row, asked);
    const mine = await findApprovalRequest(db, keyOf(asked));
    // a person at their limit is shown the page, but is not recorded as a requester
    if (mine === null && full === null) await insertApprovalRequest(db, keyOf(asked), requestId);
    return mine?.requestId ?? requestId;
  }
  if (!(await findClient(db, clientId)) && !(await discover(db, asked))) return null;
  if (rule) await letIn(db, asked, rule);
  else await takeStep(db, asked, null, { event: 'subscription.requested', to: 'pending', scopes: ceiling });
  await insertApprovalRequest(db, keyOf(asked), requestId);
  if (rule) return null;
  await tellApprovers(db, asked);
  return requestId;
}

type Full = Exclude<keyof UnregisteredWaiting, 'rule'>;

/** Whose limit is reached; null: none. Clients that a rule lets in do not wait, so only the person's day counts. */
function fullOf(counts: UnregisteredWaiting, isThere: boolean, rule: AutoApproval | null): Full | null {
  const asked: Full[] = isThere ? ['person'] : rule ? ['today'] : ['person', 'today', 'host', 'api'];
  return asked.find((whose) => counts[whose] >= MOST[whose]) ?? null;
}

/** Makes the client's row of its document. False: there is none, or the row was made meanwhile. */
async function discover(db: Db, asked: Asked): Promise<boolean> {
  const { client } = asked;
  if (client.origin !== 'document' || client.documentReadAt === null) return false;
  const values = valuesOf(client);
  if (!(await insertDocumentClient(db, values, new Date(client.documentReadAt)))) return false;
  const { name, redirectUris } = values;
  const details = { host: documentHost(client), name, redirectUris };
  await recordEvent({ ...by(asked), event: 'client.discovered', details }, db);
  return true;
}

async function letIn(db: Db, asked: Asked, rule: AutoApproval): Promise<void> {
  const { host, scopes, max_days: maxDays } = rule;
  await takeStep(db, asked, null, {
    event: 'subscription.requested',
    to: 'approved',
    scopes,
    maxDays,
    why: `the rule for ${host} lets it in`,
  });
  const details = { rule: host, scopes, maxDays };
  await recordEvent({ ...by(asked), event: 'agent.approved', apiId: asked.api, details }, db);
}

/** Empty: all of them. */
const covers = (has: string[], { wanted, ceiling }: Asked) =>
  wanted.length === 0 ||
  has.length === 0 ||
  (ceiling.length > 0 && ceiling.every((scope) => has.includes(scope)));

/** The next person may ask for more: the approver decides on all of it. */
async function widen(db: Db, row: SubscriptionRow, asked: Asked): Promise<void> {
  if (covers(row.scopes, asked)) return;
  const { ceiling } = asked;
  const scopes = ceiling.length === 0 ? [] : [...new Set([...row.scopes, ...ceiling])];
  if (!sameSet(scopes, row.scopes))
    await takeStep(db, asked, row, { event: 'subscription.changed', to: 'pending', scopes });
}

type Step = {
  event: 'subscription.requested' | 'subscription.changed';
  to: 'pending' | 'approved';
  scopes: string[];
  maxDays?: number | null;
  why?: string;
};

async function takeStep(db: Db, asked: Asked, before: SubscriptionRow | null, step: Step): Promise<void> {
  const { personId, clientId, api } = asked;
  const { reason, ...had } = before ?? { trusted: false, machine: false, device: false, reason: null };
  const powers = powersOf(had);
  const { event, why, ...taken } = step;
  const person = await findPersonById(db, personId);
  // as histories name who takes a step
  const actor = person ? personLabel({ ...person, id: personId }) : personId;
  const who = { actor, actorId: personId, ...(before === null && { requestedBy: personId }) };
  const isTaken = await stepSubscription(db, { clientId, api }, before, {
    ...taken,
    ...powers,
    reason,
    ...who,
  });
  if (!isTaken) throw new RegistryChanged('an approver was faster');
  const { to, scopes, maxDays = null } = taken;
  const details = {
    ...{ from: before?.state ?? null, to, ...powers, scopes },
    ...(maxDays !== null && { maxDays }),
    ...(why && { reason: why }),
  };
  await recordEvent({ ...by(asked), event, apiId: api, details }, db);
}
