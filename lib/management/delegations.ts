// Delegations: each has a confidential client, an API, scopes and an end date. Each token exchange requires a valid
// delegation (lib/oauth/exchange/exchange.ts). Ending a delegation revokes its tokens.
import { z } from 'zod';
import { type DelegationRow, delegationRow } from '#lib/catalogue/people/definition.ts';
import { lockOwner } from '#lib/catalogue/people/rows.ts';
import { now } from '#lib/kit/clock.ts';
import { sendServiceMail } from '#lib/mail/send.ts';
import type { DisplayText } from '#lib/registry/display-text.ts';
import {
  type AgentRow,
  countDelegations,
  deleteDelegation,
  saveDelegation,
  selectAgents,
  selectDelegations,
} from '#lib/store/consents.ts';
import { isUuid } from '#lib/store/list.ts';
import { operation, wholeList } from './operations.ts';
import { type Person, readerOf, requirePerson } from './policy.ts';
import { record } from './record.ts';
import { faultAt, faulty, Refused, stale } from './refused.ts';

// Mail about a delegation. The user gets a notice, as for a passkey, because a delegation outlives the sign-in.

/** Runs in the background. Users without an address get no mail. */
export function tellOfDelegation(
  { email, ...person }: Person,
  delegationWords: { agent: DisplayText; api: DisplayText; until: Date },
): void {
  if (email !== null) sendServiceMail(readerOf({ ...person, email }), 'delegation-given', delegationWords);
}

export type Agent = AgentRow;

const MAX_DELEGATIONS = 100;
const MAX_DAYS = 366;
const DAY_MS = 86_400_000;

const delegation = z.strictObject({
  clientId: z.string(),
  api: z.string(),
  scopes: z.array(z.string()).min(1, 'must not be empty: choose what the agent may do'),
  until: z.date('must be a date'),
  /** when the identity of the client last changed, as the page showed it; missing: the present identity */
  identityChangedAt: z.date().nullish(),
});

export const listMyDelegations = operation(
  { name: 'listMyDelegations', right: 'account.read', output: wholeList('Delegation', delegationRow) },
  ({ actor, db }): Promise<DelegationRow[]> => selectDelegations(db, requirePerson(actor).id),
);

/** Lists agents and APIs for a delegation: clients that already have access, or a client given by its id. */
export const listMyAgents = operation(
  { name: 'listMyAgents', right: 'account.read' },
  ({ actor, db }, input: { clientId?: string; api?: string } = {}): Promise<Agent[]> =>
    selectAgents(db, requirePerson(actor).id, { clientId: input.clientId || null, api: input.api || null }),
);

/** Replaces an existing delegation for the same agent and API, and revokes its tokens. */
export const giveDelegation = operation(
  // a delegation outlives the sign-in
  {
    name: 'giveDelegation',
    right: 'account.change',
    fresh: 'always',
    runsOn: 'transaction',
    input: delegation,
  },
  async ({ actor, db }, input): Promise<{ id: string }> => {
    const me = requirePerson(actor);
    const { id: personId } = me;
    const { clientId, api, scopes: asked, until: last, identityChangedAt: seen } = input;
    const daysAhead = (last.getTime() - now().getTime()) / DAY_MS;
    if (daysAhead <= 0) throw faulty([faultAt('until', 'delegation.until_past')]);
    refuseBeyond(MAX_DAYS, daysAhead);
    // because of the lock, each of several concurrent delegations is included in the count of the next one
    const person = await lockOwner(db, personId);
    if (!person || person.disabled) throw new Refused('own_account.gone');
    const [agent] = await selectAgents(db, personId, { clientId, api });
    if (!agent) throw new Refused('delegation.no_agent');
    if (seen !== undefined && seen?.getTime() !== agent.identityChangedAt?.getTime()) throw stale(clientId);
    const until = withinTerm(last, agent.maxDays, daysAhead);
    const possible = agent.scopes.map(({ name }) => name);
    const unknown = asked.find((name) => !possible.includes(name));
    if (unknown !== undefined) {
      throw faulty([faultAt('scopes', 'delegation.scopes')]);
    }
    if ((await countDelegations(db, personId, { clientId, api })) >= MAX_DELEGATIONS) {
      throw new Refused('delegation.too_many', { most: MAX_DELEGATIONS });
    }
    const scopes = possible.filter((name) => asked.includes(name));
    const id = await saveDelegation(db, personId, { clientId, api }, { scopes, until });
    const details = { scopes, until: until.toISOString() };
    await record(actor, { event: 'delegation.given', personId, clientId, apiId: api, details }, db);
    tellOfDelegation(me, { agent: agent.clientName, api: agent.apiName, until });
    return { id };
  },
);

function refuseBeyond(days: number, daysAhead: number): void {
  if (daysAhead <= days) return;
  throw faulty([faultAt('until', 'delegation.until_far', { days })]);
}

/**
 * Limits the end date to the subscription’s `max_days`. Forms send the end of a day, so a part of a day beyond the
 * limit is cut off and not rejected.
 */
function withinTerm(last: Date, maxDays: number | null, daysAhead: number): Date {
  if (maxDays === null) return last;
  refuseBeyond(maxDays, daysAhead - 1);
  return new Date(Math.min(last.getTime(), now().getTime() + maxDays * DAY_MS));
}

/** Ends a delegation, and revokes its tokens immediately. */
export const endMyDelegation = operation(
  { name: 'endMyDelegation', right: 'account.change', runsOn: 'transaction' },
  async ({ actor, db }, input: { id: string }): Promise<void> => {
    const { id: personId } = requirePerson(actor);
    const gone = isUuid(input.id) && (await deleteDelegation(db, personId, input.id));
    if (!gone) throw new Refused('delegation.gone');
    await record(actor, { event: 'delegation.ended', personId, ...gone }, db);
  },
);
