// An agent that somebody came with: a client that nobody registered asks for an API. Whoever signed in makes the request; a rule
// of the API approves it at once, or an approver decides as on any other. The row of the client, the subscription and their
// events are one transaction, so that there is all of it or nothing.

import { tellApprovers } from '#lib/mail/index.ts';
import { type AutoApproval, type SubscriptionRow, sameSet } from '#lib/registry/index.ts';
import {
  type AgentValues,
  countWaitingAgents,
  type Db,
  findAgentRequest,
  findClient,
  findPersonById,
  findSubscription,
  insertAgent,
  insertAgentRequest,
  inTransaction,
  lockName,
  ownConnection,
  type WaitingAgents,
} from '#lib/store/index.ts';
import { type Context, operation, type Person, Refused, record, requirePerson } from '../core/index.ts';
import { takeStep } from './subscription-steps.ts';

export type AgentAsked = {
  clientId: string;
  api: string;
  /** of the document, without a port; null: it has none */
  host: string | null;
  /** what the row is made of where there is none yet; null: it has to be there */
  document: { values: AgentValues; readAt: Date } | null;
  /** empty: all of the API's */
  scopes: string[];
  /** it asked for none of the API's: what waits already is enough for it */
  asksNone: boolean;
  /** the rule that lets it in; null: an approver decides */
  rule: AutoApproval | null;
  /** of the HTTP request: what the page shows */
  requestId: string;
};

export type AgentAnswer =
  /** `requestId`: what this person was shown first */
  | { kind: 'waits'; requestId: string }
  /** it is decided, or the client has changed: read the registry again */
  | { kind: 'decided' }
  /** too many wait: nothing was written */
  | { kind: 'full'; whose: Exclude<keyof WaitingAgents, 'rule'> };

/**
 * How many may wait at once. One person fills a small part of an API's, and so does one host: neither can hide what others
 * ask for. `rule`: so many new clients of its hosts a rule lets in at an API in a day; the next ones wait for an approver.
 */
const MOST: WaitingAgents = { person: 10, today: 30, host: 20, api: 200, rule: 100 };

export const askForAgent = operation(
  'askForAgent',
  async ({ actor }, input: AgentAsked): Promise<AgentAnswer> => {
    const me = requirePerson(actor);
    const { clientId, api } = input;
    const asks = { clientId, apiId: api, personId: me.id };
    const before = await findAgentRequest(ownConnection, asks);
    if (before && covers(before.scopes, input)) return { kind: 'waits', requestId: before.requestId };
    const answer = await inTransaction((db) => ask({ actor: me, db }, input)).catch(decidedMeanwhile);
    if (answer.kind === 'asked') tellApprovers(input);
    return answer.kind === 'asked' ? { kind: 'waits', requestId: answer.requestId } : answer;
  },
);

/** An approver was faster than this request. */
function decidedMeanwhile(error: unknown): AgentAnswer {
  if (error instanceof Refused && error.kind === 'stale') return { kind: 'decided' };
  throw error;
}

type Asked = AgentAnswer | { kind: 'asked'; requestId: string };

async function ask({ actor, db }: Context & { actor: Person }, asked: AgentAsked): Promise<Asked> {
  const { clientId, api, requestId } = asked;
  // one at a time, so that what is counted is what there is
  await lockName(db, 'agents');
  const row = await findSubscription(db, clientId, api);
  if (row && row.state !== 'pending') return { kind: 'decided' };
  const asks = { clientId, apiId: api, personId: actor.id };
  const { host } = asked;
  const counts = await countWaitingAgents(db, { ...asks, host, ruleHost: asked.rule?.host ?? null });
  const input = counts.rule < MOST.rule ? asked : { ...asked, rule: null };
  const full = fullOf(counts, row !== null, input);
  if (full !== null && row === null) return { kind: 'full', whose: full };
  const context = { actor: await named(db, actor), db };
  if (row) {
    await widen(context, row, input);
    const mine = await findAgentRequest(db, asks);
    // who has too many already sees this one, and is not counted
    if (mine === null && full === null) await insertAgentRequest(db, asks, requestId);
    return { kind: 'waits', requestId: mine?.requestId ?? requestId };
  }
  if (!(await findClient(db, clientId)) && !(await discover(context, input))) return { kind: 'decided' };
  return request(context, input);
}

type FullOf = Extract<AgentAnswer, { kind: 'full' }>['whose'];

/** Whose limit is reached; null: none. Clients that a rule lets in do not wait, so only the person's day counts. */
function fullOf(counts: WaitingAgents, isThere: boolean, { rule }: AgentAsked): FullOf | null {
  const asked: FullOf[] = isThere ? ['person'] : rule ? ['today'] : ['person', 'today', 'host', 'api'];
  return asked.find((whose) => counts[whose] >= MOST[whose]) ?? null;
}

async function discover({ actor, db }: Context, { document, clientId, host }: AgentAsked): Promise<boolean> {
  if (document === null || !(await insertAgent(db, document.values, document.readAt))) return false;
  const { name, redirectUris } = document.values;
  await record(actor, { event: 'client.discovered', clientId, details: { host, name, redirectUris } }, db);
  return true;
}

async function request({ actor, db }: Context & { actor: Person }, input: AgentAsked): Promise<Asked> {
  const { clientId, api, rule, requestId } = input;
  const none = { trusted: false, machine: false };
  const asked = { ...none, requestedBy: actor.id };
  if (rule === null) {
    const step = { ...asked, to: 'pending', scopes: input.scopes } as const;
    await takeStep({ actor, db }, input, null, step, 'subscription.requested');
  } else {
    const { scopes, max_days: maxDays } = rule;
    const step = { ...asked, to: 'approved', scopes, maxDays } as const;
    const why = `the rule for ${rule.host} lets it in`;
    await takeStep({ actor, db }, input, null, step, 'subscription.requested', why);
    const details = { rule: rule.host, scopes, maxDays };
    await record(actor, { event: 'agent.approved', clientId, apiId: api, details }, db);
  }
  await insertAgentRequest(db, { clientId, apiId: api, personId: actor.id }, requestId);
  return rule ? { kind: 'decided' } : { kind: 'asked', requestId };
}

type Wanted = Pick<AgentAsked, 'scopes' | 'asksNone'>;

/** Empty: all of them. */
const covers = (ceiling: string[], { scopes, asksNone }: Wanted) =>
  asksNone || ceiling.length === 0 || (scopes.length > 0 && scopes.every((scope) => ceiling.includes(scope)));

/** Whoever comes next may ask for more: the approver decides on all of it. */
async function widen(context: Context, row: SubscriptionRow, wanted: Wanted): Promise<void> {
  if (covers(row.scopes, wanted)) return;
  const { scopes } = wanted;
  const wider = scopes.length === 0 ? [] : [...new Set([...row.scopes, ...scopes])];
  if (sameSet(wider, row.scopes)) return;
  const { trusted, machine, reason } = row;
  const step = { to: 'pending', trusted, machine, reason, scopes: wider } as const;
  await takeStep(context, { clientId: row.clientId, api: row.api }, row, step, 'subscription.changed');
}

/** As histories name whoever takes a step. */
async function named(db: Db, actor: Person): Promise<Person> {
  const person = await findPersonById(db, actor.id);
  return { ...actor, email: person?.email ?? null, ...(person?.name && { name: person.name }) };
}
