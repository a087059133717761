// Operations on subscriptions: request, change, cancel, decide on one or many, undo. Each step is a compare-and-set,
// so only one of two concurrent steps succeeds.

import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { ApiRow, Decidable } from '#lib/catalogue/apis/definition.ts';
import { findApi } from '#lib/catalogue/apis/rows.ts';
import { findClient } from '#lib/catalogue/clients/rows.ts';
import { findPersonByEmail } from '#lib/catalogue/people/rows.ts';
import { english } from '#lib/language/message.ts';
import { sendHeldMails, tellApprovers, tellRequester } from '#lib/mail/request-mails.ts';
import { type Consequences, consequencesOf, countEnding, type Pair } from '#lib/management/consequences.ts';
import {
  dayRanges,
  flag,
  type ListInput,
  type Page,
  pageQuery,
  rangesOf,
  readPage,
  searchOf,
  searchQuery,
} from '#lib/management/lists.ts';
import {
  type Context,
  countEdit,
  editOwn,
  one,
  operation,
  page,
  wholeList,
} from '#lib/management/operations.ts';
import {
  type Actor,
  decidableBy,
  idOf,
  isDeciderOf,
  mayDo,
  nameOf,
  refuseSelf,
  requesterOf,
  requireAction,
  requireDecider,
  requireRecent,
  whoOf,
} from '#lib/management/policy.ts';
import { record } from '#lib/management/record.ts';
import {
  faultAt,
  faulty,
  Refused,
  refuseStale,
  stale,
  writtenText,
  wrongAt,
} from '#lib/management/refused.ts';
import type { ClientOrigin } from '#lib/registry/unregistered.ts';
import { type Db, inTransaction } from '#lib/store/prisma.ts';
import {
  apiScopesOf,
  DECISIONS,
  type Decision,
  decide,
  decidedOne,
  deviceFault,
  isAsApproved,
  isPowerful,
  machineFault,
  mayCancel,
  mayRequest,
  type Powers,
  powersOf,
  SUBSCRIPTION_STATES,
  type SubscriptionRow,
  type SubscriptionState,
  samePowers,
  sameSet,
  stateChange,
  stateWhenChanged,
  stateWhenRequested,
  stateWhenTrustEnds,
  subscriptionDetail,
  subscriptionRow,
  subscriptionState,
  TERM_NAMES,
  type TermsChange,
  termsNamed,
  trustFault,
} from './definition.ts';
import {
  findLastStep,
  findSubscription,
  isUsedSince,
  removeSubscription,
  SUBSCRIPTIONS,
  type SubscriptionStep,
  selectStepsOf,
  selectSubscriptionSteps,
  selectWaitingApis,
  setSubscriptionMessage,
  undoStep,
} from './rows.ts';
import {
  changedTerms,
  type Difference,
  differenceSince,
  refuseUnkeyed,
  takeStep,
  termsChange,
  termsOf,
} from './steps.ts';

const STATE = one('State', subscriptionState, (state: SubscriptionState) => ({ state }));

// Decisions on one or many subscriptions, and undo.

// A decision by an administrator or approver of the API, who cannot decide on their own clients or requests. If
// several users decide at the same time, the first decision succeeds and the others fail.

const PAST = {
  approve: 'approved',
  reject: 'rejected',
  suspend: 'suspended',
  resume: 'resumed',
  revoke: 'revoked',
} as const;

// shapes of requests and decisions

const PAIR = { clientId: z.string().max(300), api: z.string().max(100) };
const longMessage = z.string().max(5000).optional();
const scopeNames = z.array(z.string().max(2000)).max(500).optional();

const decision = z.strictObject({
  action: z.enum(DECISIONS),
  reason: longMessage,
  scopes: scopeNames.describe('for an approval: the maximum scopes, among the requested ones'),
  ...termsChange.shape,
});

/** `version`: a decision on another version is rejected. */
type Versioned = Pair & { version?: number | undefined };
type Deciding = Versioned & z.output<typeof decision>;

export const decideSubscription = operation(
  // requires a recent sign-in for decisions that grant access
  {
    name: 'decideSubscription',
    right: 'subscriptions.decide',
    fresh: 'sometimes',
    shape: decision,
    output: STATE,
  },
  async ({ actor }, input: Deciding): Promise<SubscriptionState> => {
    const { action } = input;
    if (!DECISIONS.includes(action))
      throw new Refused('subscription.decisions', { decisions: DECISIONS.join(', ') });
    if (letsIn(action)) requireRecent(actor);
    await countEdit(actor);
    return decideOne(actor, input);
  },
);

/**
 * Decision on several requests. `read`: the row at the start; if it has changed since, the decision is
 * rejected. `held`: collects the ids of mails that are sent after the last decision.
 */
type OfMany = { read: SubscriptionRow | null; held: string[] };

/** Does not call `requireRecent` and `countEdit`, because its callers do. */
async function decideOne(actor: Actor, input: Deciding, ofMany?: OfMany): Promise<SubscriptionState> {
  const { clientId, api, action } = input;
  const reason = writtenText('reason', input.reason);
  return inTransaction(async (db) => {
    const row = ofMany ? ofMany.read : await findSubscription(db, clientId, api);
    if (!row) throw new Refused('subscription.unknown', { client: clientId, api });
    requireDecider(actor, row);
    refuseSelf(actor, clientId);
    if (letsIn(action)) refuseOwn(actor, row, action);
    const { state } = row;
    const terms = await termsOf(db, row, input);
    const next = leadsTo(action, row, await selectSubscriptionSteps(db, clientId, api));
    // the version is checked before the state, so that the caller learns that another user has already decided
    refuseStale(`${clientId} → ${api}`, input.version, row.version);
    if (next === null) {
      throw new Refused('subscription.state', { client: clientId, api, state, wanted: PAST[action] });
    }
    const event = action === 'resume' && next === 'pending' ? 'returned_to_pending' : PAST[action];
    const decided = { ...terms, reason, decidedBy: idOf(actor), undoable: isUndoable(action) };
    const step = { to: next, ...powersOf(row), ...decided };
    await takeStep({ actor, db }, input, row, step, `subscription.${event}`, reason);
    if (next === 'approved' && row.clientOrigin !== null)
      await record(actor, { event: 'agent.approved', clientId, apiId: api, details: terms }, db);
    if (next === 'pending') await tellApprovers(db, input);
    else await tellRequester(db, input, { decision: PAST[action], reason }, ofMany?.held);
    return next;
  });
}

/**
 * Changes the permitted users of an approved subscription, and the lifetime of consents. The change can admit more
 * users.
 */
export const changeTerms = operation(
  {
    name: 'changeTerms',
    right: 'subscriptions.decide',
    fresh: 'always',
    runsOn: 'transaction',
    shape: termsChange,
    output: one('SubscriptionDetail', subscriptionDetail),
  },
  async ({ actor, db }, input: Versioned & z.output<typeof termsChange>): Promise<SubscriptionView> => {
    await countEdit(actor);
    const { clientId, api } = input;
    const row = await rowOf(db, input);
    requireDecider(actor, row);
    refuseSelf(actor, clientId);
    refuseOwn(actor, row, 'change');
    const { state: to, scopes, reason } = row;
    const terms = await changedTerms(
      db,
      row,
      Object.fromEntries(TERM_NAMES.map((name) => [name, input[name]])),
    );
    refuseStale(`${clientId} → ${api}`, input.version, row.version);
    if (!hasTerms(row))
      throw new Refused('subscription.terms_by_approval', { client: clientId, api, state: to });
    const step = { to, ...powersOf(row), scopes, reason, ...terms };
    await takeStep({ actor, db }, input, row, step, 'subscription.terms_changed');
    return viewOf(actor, db, await rowOf(db, input));
  },
);

/**
 * Returns the next state. If a subscription was changed while it was suspended, it resumes as pending, because nobody
 * approved the change.
 */
function leadsTo(
  action: Decision,
  row: SubscriptionRow,
  history: SubscriptionStep[],
): SubscriptionState | null {
  const next = decide(row.state, action);
  if (action !== 'resume' || next !== 'approved') return next;
  const approved = history.findLast((step) => step.to === 'approved' && step.undoneAt === null);
  const asApproved =
    approved !== undefined &&
    isAsApproved({ ...row, kind: row.clientKind }, { ...approved, kind: approved.clientKind });
  return asApproved ? 'approved' : 'pending';
}

type RequestedRow = Decidable & Pick<SubscriptionRow, 'state' | 'requestedBy' | 'ownerId'>;
type MayDecide = Record<Decision, boolean>;

/** True if this actor can change the terms now. Used by pages; the operation itself checks again. */
const mayChangeTerms = (actor: Actor, row: RequestedRow): boolean =>
  hasTerms(row) && isDeciderOf(actor, row) && actor.kind !== 'machine' && ownPart(actor, row) === null;

const hasTerms = ({ state }: Pick<RequestedRow, 'state'>) => state === 'approved' || state === 'suspended';

/** The decisions that this actor can make. Used by pages; the operation itself checks again. */
function mayDecide(actor: Actor, row: RequestedRow): MayDecide {
  const decider = isDeciderOf(actor, row);
  const barred = actor.kind === 'machine' || ownPart(actor, row) !== null;
  const may = (action: Decision) =>
    decider && decide(row.state, action) !== null && !(letsIn(action) && barred);
  return Object.fromEntries(DECISIONS.map((action) => [action, may(action)])) as MayDecide;
}

const isUndoable = (action: Decision) => action === 'approve' || action === 'reject';

const letsIn = (action: Decision) => action === 'approve' || action === 'resume';

/**
 * Rejects decisions on one's own request (four-eyes principle, case AD-03): the requesting user and the owner of the
 * client cannot approve, resume or change terms.
 */
function refuseOwn(actor: Actor, row: RequestedRow, action: Decision | 'change'): void {
  const part = ownPart(actor, row);
  if (part === null) return;
  throw new Refused('decider.own', { actor: nameOf(actor), part, action });
}

/** The part of the deciding user in the request. Null: none. */
function ownPart(actor: Actor, row: RequestedRow): 'requested' | 'owns' | null {
  const me = idOf(actor);
  if (me === null) return null;
  if (row.requestedBy === me) return 'requested';
  return row.ownerId === me ? 'owns' : null;
}

// Decision on several requests: each request has its own step, event and transaction, so a failure does not affect
// the others. Each request is read once, and a later change is reported. The result lists the outcome of each
// request. Ten decisions are counted as one edit (operations.ts).

/** Maximum number of requests that are decided at once. */
const MOST_AT_ONCE = 100;

const decisions = z.strictObject({
  action: z.enum(['approve', 'reject']),
  reason: longMessage,
  requests: z
    .array(
      // members are renamed only at the first level, so these have names in snake_case
      z.strictObject({
        client_id: PAIR.clientId,
        api: PAIR.api,
        version: z
          .int()
          .optional()
          .describe('the version that was displayed; a decision on another version is rejected'),
        scopes: scopeNames.describe('for an approval: the maximum scopes'),
      }),
    )
    .max(MOST_AT_ONCE),
});
type One = Versioned & { scopes?: string[] | undefined };
type Several = Omit<z.output<typeof decisions>, 'requests'> & { requests: readonly One[] };
/** `error`: the rejection; null: the decision was made. */
type DecidedOne = Omit<z.output<typeof decidedOne>, 'error'> & { error: Refused | null };
const decisionsMade = wholeList('DecidedOne', decidedOne, (decided: DecidedOne[]) =>
  decided.map(({ error, ...one }) => ({ ...one, error: error?.message ?? null })),
);

export const decideSubscriptions = operation(
  // requires a recent sign-in for decisions that grant access
  {
    name: 'decideSubscriptions',
    right: 'subscriptions.decide',
    fresh: 'sometimes',
    shape: decisions,
    output: decisionsMade,
  },
  async ({ actor, db }, { action, reason, requests }: Several): Promise<DecidedOne[]> => {
    if (action === 'approve') requireRecent(actor);
    const names = new Set(requests.map(({ clientId, api }) => `${api} ${clientId}`));
    if (requests.length === 0 || requests.length > MOST_AT_ONCE || names.size < requests.length)
      throw faulty([faultAt('requests', 'subscription.many', { most: MOST_AT_ONCE })]);
    const seen: [One, SubscriptionRow | null][] = [];
    for (const request of requests) {
      const row = await findSubscription(db, request.clientId, request.api);
      if (row) requireDecider(actor, row);
      seen.push([request, row]);
    }
    for (let at = 0; at < requests.length; at += 10) await countEdit(actor);
    const decided: DecidedOne[] = [];
    const held: string[] = [];
    try {
      for (const [{ clientId, api, version, scopes }, read] of seen) {
        try {
          const decision = { clientId, api, action, reason, version, scopes };
          const state = await decideOne(actor, decision, { read, held });
          decided.push({ clientId, api, state, error: null });
        } catch (error) {
          if (!(error instanceof Refused)) throw error;
          decided.push({ clientId, api, state: null, error });
        }
      }
    } finally {
      await sendHeldMails(held);
    }
    return decided;
  },
);

// The deciding user can undo an approval or rejection within ten seconds, if the client has not used the decision by
// then. A token request at the same moment can still succeed. Its tokens then have no approval and stay inactive
// until the next approval.

/** Time limit for undoing a decision, in seconds. */
export const UNDO_SECONDS = 10;

export const undoDecision = operation(
  // revokes access, or returns a request to pending
  { name: 'undoDecision', right: 'subscriptions.decide', output: STATE },
  // not counted as an edit, because the edit that is undone was counted
  ({ actor }, input: Versioned): Promise<SubscriptionState> => undoOne(actor, input),
);

/** Each undo has a separate transaction. Returns the error for each request; null: the decision was undone. */
export const undoDecisions = operation(
  { name: 'undoDecisions', right: 'subscriptions.decide' },
  async ({ actor }, { requests }: { requests: readonly Versioned[] }): Promise<(Refused | null)[]> => {
    if (requests.length > MOST_AT_ONCE)
      throw faulty([faultAt('requests', 'subscription.many', { most: MOST_AT_ONCE })]);
    const refused: (Refused | null)[] = [];
    const held: string[] = [];
    try {
      for (const request of requests) {
        try {
          await undoOne(actor, request, held);
          refused.push(null);
        } catch (error) {
          if (!(error instanceof Refused)) throw error;
          refused.push(error);
        }
      }
    } finally {
      await sendHeldMails(held);
    }
    return refused;
  },
);

function undoOne(actor: Actor, input: Versioned, held?: string[]): Promise<SubscriptionState> {
  const { clientId, api } = input;
  const pair = { client: clientId, api };
  return inTransaction(async (db) => {
    const row = await rowOf(db, input);
    requireDecider(actor, row);
    refuseSelf(actor, clientId);
    refuseStale(`${clientId} → ${api}`, input.version, row.version);
    const last = await findLastStep(db, input, UNDO_SECONDS);
    const me = whoOf(actor);
    const isMine = last?.actor === me.actor && last.actorId === me.actorId;
    if (!last?.undoable || !isMine || last.version !== row.version)
      throw new Refused('subscription.undo_other', pair);
    if (!last.inTime) throw new Refused('subscription.undo_late', { ...pair, limit: UNDO_SECONDS });
    if (!(await undoStep(db, input, last))) throw stale(`${clientId} → ${api}`);
    // read after the row was changed: this read sees earlier uses, and the changed row prevents later uses
    // without a lock
    if (row.state === 'approved' && (await isUsedSince(db, input, last.id)))
      throw new Refused('subscription.undo_used', pair);
    const after = await findSubscription(db, clientId, api);
    if (!after) throw stale(`${clientId} → ${api}`);
    const { state: to, scopes } = after;
    const details = { from: row.state, to, ...powersOf(after), scopes };
    await record(actor, { event: 'subscription.decision_undone', clientId, apiId: api, details }, db);
    await tellRequester(db, input, { decision: 'undone', reason: null }, held);
    return to;
  });
}

const subscriptionChange = z.strictObject({
  trusted: z.boolean().optional(),
  machine: z.boolean().optional(),
  device: z.boolean().optional(),
  scopes: scopeNames,
});
type Change = Pair & z.output<typeof subscriptionChange>;
const messagedChange = subscriptionChange.extend({ message: longMessage });
const subscriptionRequest = subscriptionChange.extend({ ...PAIR, message: longMessage });

export const requestSubscription = operation(
  { name: 'requestSubscription', right: 'subscriptions.request', shape: subscriptionRequest, output: STATE },
  async ({ actor }, input: z.output<typeof subscriptionRequest>): Promise<SubscriptionState> => {
    const { clientId, api, trusted = false, machine = false, device = false } = input;
    const powers = { trusted, machine, device };
    const scopes = [...new Set(input.scopes)];
    const message = writtenText('message', input.message);
    return editOwn(actor, async (db) => {
      const { requireApproval } = await apiFor({ actor, db }, input, { ...powers, scopes });
      const row = await findSubscription(db, clientId, api);
      const from = row?.state ?? null;
      if (!mayRequest(from))
        throw new Refused('subscription.exists', { client: clientId, api, state: from ?? '' });
      const initialState = stateWhenRequested({ ...powers, requireApproval });
      // a new request for a rejected subscription always becomes pending, even if it asks for no extra permissions
      const to = row && initialState === 'approved' ? 'pending' : initialState;
      const step = { to, ...powers, scopes, requestedBy: requesterOf(actor), message };
      await takeStep({ actor, db }, input, row, step, 'subscription.requested');
      if (to === 'pending') await tellApprovers(db, input);
      return to;
    });
  },
);

/** Previews the state after a change. A subscription with extra permissions returns to pending. */
export const previewSubscriptionChange = operation(
  {
    name: 'previewSubscriptionChange',
    right: 'subscriptions.request',
    shape: subscriptionChange,
    output: one('StateChange', stateChange),
  },
  async (context, input: Change): Promise<{ from: SubscriptionState; to: SubscriptionState }> => {
    const { from, to } = await plannedChange(context, input);
    return { from, to };
  },
);

export const changeSubscription = operation(
  {
    name: 'changeSubscription',
    right: 'subscriptions.request',
    shape: messagedChange,
    output: one('SubscriptionDetail', subscriptionDetail),
  },
  ({ actor }, input: Versioned & z.output<typeof messagedChange>): Promise<SubscriptionView> =>
    editOwn(actor, async (db) => {
      const { row, differs, from, ...step } = await plannedChange({ actor, db }, input);
      refuseStale(`${input.clientId} → ${input.api}`, input.version, row.version);
      if (input.message !== undefined)
        await setSubscriptionMessage(db, input, writtenText('message', input.message));
      if (differs) {
        const back = from === 'approved' && step.to === 'pending';
        const event = back ? 'subscription.returned_to_pending' : 'subscription.changed';
        const requestedStep = { ...step, reason: row.reason, requestedBy: requesterOf(actor) };
        await takeStep({ actor, db }, input, row, requestedStep, event);
        if (step.to === 'pending' && from !== 'pending') await tellApprovers(db, input);
      }
      return viewOf(actor, db, await rowOf(db, input));
    }),
);

/** Previews cancellation of a subscription by its developer. A later request starts from the beginning. */
export const previewCancelling = operation(
  { name: 'previewCancelling', right: 'subscriptions.see-own' },
  async (context, input: Pair): Promise<Consequences> => {
    await apiFor(context, input);
    const row = await rowOf(context.db, input);
    const { clientId, api, state } = row;
    return {
      ...consequencesOf(false, [
        [
          english('To use this API again, the application needs a new approval.'),
          state === 'approved' && isPowerful(row),
        ],
      ]),
      losesAccess: state === 'approved' ? [{ clientId, api }] : [],
      ...(await countEnding(context.db, { clientId, api })),
    };
  },
);

export const cancelSubscription = operation(
  { name: 'cancelSubscription', right: 'subscriptions.request', runsOn: 'edit' },
  async (context, input: Pair): Promise<SubscriptionState> => {
    await apiFor(context, input);
    const row = await rowOf(context.db, input);
    const { clientId, api, state, scopes } = row;
    if (!mayCancel(state)) throw new Refused('subscription.exists', { client: clientId, api, state });
    await takeStep(
      context,
      input,
      row,
      { to: 'revoked', ...powersOf(row), scopes },
      'subscription.cancelled',
    );
    return 'revoked';
  },
);

async function plannedChange(context: Context, input: Change) {
  const { requireApproval } = await apiFor(context, input);
  const row = await rowOf(context.db, input);
  const after = {
    trusted: input.trusted ?? row.trusted,
    machine: input.machine ?? row.machine,
    device: input.device ?? row.device,
  };
  // only a device subscription can list offline_access
  const currentScopes = after.device ? row.scopes : apiScopesOf(row.scopes);
  const scopes = input.scopes ? [...new Set(input.scopes)] : currentScopes;
  refuseWish(input.api, row.apiScopes, { ...after, scopes }, row.clientOrigin);
  const from = row.state;
  const differs = !samePowers(after, row) || !sameSet(scopes, row.scopes);
  const to = differs ? stateWhenChanged(from, { before: row, after, requireApproval }) : from;
  return { row, ...after, scopes, from, to, differs };
}

async function rowOf(db: Db, { clientId, api }: Pair): Promise<SubscriptionRow> {
  const row = await findSubscription(db, clientId, api);
  if (!row) throw new Refused('subscription.unknown', { client: clientId, api });
  return row;
}

type Wish = Powers & { scopes: string[] };

/**
 * Returns the API if the actor can request a subscription for this client. `wish`: the requested permissions and
 * scopes; throws Refused if the API forbids them.
 */
async function apiFor({ actor, db }: Context, { clientId, api: id }: Pair, wish?: Wish): Promise<ApiRow> {
  const [client, api] = [await findClient(db, clientId), await findApi(db, id)];
  if (!client || !api) throw new Refused('subscription.pair_unknown', { client: clientId, api: id });
  const owns = client.ownerId !== null && client.ownerId === idOf(actor);
  if (!owns && !mayDo(actor, 'clients.manage-all')) {
    throw new Refused('client.foreign', { client: clientId }, { foreign: true });
  }
  refuseSelf(actor, clientId);
  if (wish) {
    refuseUnkeyed(api, client.tokenEndpointAuthMethod);
    refuseWish(id, api.scopes, wish, client.origin);
  }
  return api;
}

function refuseWish(
  api: string,
  apiScopes: ApiRow['scopes'],
  { trusted, machine, device, scopes }: Wish,
  origin: ClientOrigin,
): void {
  const untrusted = trustFault(api, trusted, origin);
  if (untrusted !== null) throw faulty([wrongAt('trusted', 'subscription.trust', untrusted)]);
  const noDevice = deviceFault(api, device, origin);
  if (noDevice !== null) throw faulty([wrongAt('device', 'subscription.device', noDevice)]);
  const unbounded = machineFault(api, machine, scopes);
  if (unbounded !== null) throw faulty([wrongAt('scopes', 'subscription.machine', unbounded)]);
  const unknown = scopes.find(
    (scope) => !apiScopes.some(({ name }) => name === scope) && !(device && scope === 'offline_access'),
  );
  if (unknown === undefined) return;
  throw faulty([faultAt('scopes', 'api.scope_unknown', { api, scope: unknown })]);
}

// Creates, changes or removes a subscription of the configuration file, as planned. The plan follows the same rules
// about states as a request of a person (lib/catalogue/subscriptions/definition.ts).

/** A subscription of the configuration file. A missing term keeps its value. */
type SettledSubscription = Powers &
  TermsChange & {
    state: SubscriptionState;
    scopes: string[];
    /** address of the approver, from the file */
    approvedBy: string | null;
  };

/**
 * `settledSubscription`: null removes the subscription. `planned`: the state when the change was planned; `null`: the
 * subscription did not exist.
 */
export const settleSubscription = operation(
  // for the configuration file, which contains the approver
  { name: 'settleSubscription', right: null, runsOn: 'transaction' },
  async (
    context,
    pair: Pair,
    settledSubscription: SettledSubscription | null,
    planned: SubscriptionState | null,
  ): Promise<void> => {
    const { actor, db } = context;
    const { clientId, api } = pair;
    if (actor.kind !== 'configuration') throw new Refused('subscription.configuration');
    if (settledSubscription === null) {
      await removeSubscription(db, pair);
      return record(actor, { event: 'subscription.removed', clientId, apiId: api }, db);
    }
    const { state: to, scopes, approvedBy } = settledSubscription;
    const powers = powersOf(settledSubscription);
    const row = await findSubscription(db, clientId, api);
    const from = row?.state ?? null;
    // a concurrent change of the client may have returned the subscription to pending
    const expected = planned && row ? [planned, stateWhenTrustEnds(planned, row)] : [planned];
    if (!expected.includes(from)) throw stale(`${clientId} → ${api}`);
    const terms = termsNamed(settledSubscription).filter(
      ([name, value]) => !isDeepStrictEqual(value, row?.[name] ?? null),
    );
    const same = row !== null && samePowers(row, powers) && sameSet(row.scopes, scopes) && terms.length === 0;
    if (same && from === to) return;
    const approver =
      approvedBy !== null && to === 'approved' ? await findPersonByEmail(db, approvedBy) : null;
    const reason = row && from === to ? row.reason : null;
    const decider = { actorId: approver?.id ?? null, decidedBy: approver?.id };
    const step = { to, ...powers, scopes, reason, ...decider, ...Object.fromEntries(terms) };
    await takeStep(context, pair, row, step, eventOf(from, to), approvedBy && `approved_by ${approvedBy}`);
  },
);

function eventOf(from: SubscriptionState | null, to: SubscriptionState) {
  if (from === to) return 'subscription.changed';
  if (to === 'approved') return 'subscription.approved';
  return from === null ? 'subscription.requested' : 'subscription.returned_to_pending';
}

// Subscriptions in lists, in the inbox, and on their pages.

export type SubscriptionView = SubscriptionRow & {
  history: Omit<SubscriptionStep, 'clientBrand'>[];
  /** null: the subscription was never approved, or the difference is not known */
  sinceApproval: Difference | null;
  may: MayDecide & { terms: boolean; request: boolean; change: boolean; cancel: boolean };
};

/** Date of the first request, and date of the last decision. */
const SUBSCRIPTION_DAYS = ['requested', 'decided'] as const;

const powerFlags = { trusted: flag.optional(), machine: flag.optional(), device: flag.optional() };
const subscriptionFilter = z.strictObject({
  ...pageQuery('subscriptions'),
  ...searchQuery,
  own: flag.optional(),
  clientId: PAIR.clientId.optional(),
  api: PAIR.api.optional(),
  state: z.enum(SUBSCRIPTION_STATES).optional(),
  ...powerFlags,
  ...dayRanges(...SUBSCRIPTION_DAYS),
});

export const pageSubscriptions = operation(
  {
    name: 'pageSubscriptions',
    right: ['subscriptions.see-all', 'subscriptions.see-own'],
    shape: subscriptionFilter,
    output: page('Subscription', subscriptionRow),
  },
  async ({ actor }, input: ListInput<typeof subscriptionFilter> = {}): Promise<Page<SubscriptionRow>> => {
    const all = mayDo(actor, 'subscriptions.see-all') && input.own !== true;
    if (!all) requireAction(actor, 'subscriptions.see-own');
    const whose = all ? { decidable: decidableBy(actor) } : { ownerId: idOf(actor), decidable: null };
    const ranges = await rangesOf(actor, SUBSCRIPTION_DAYS, input);
    const filter = { ...input, ...ranges, search: searchOf(input), ...whose };
    const page = await readPage(SUBSCRIPTIONS, input, filter);
    return { ...page, rows: page.rows.map((row) => shownTo(actor, row)) };
  },
);

const inboxFilter = z.strictObject({
  ...pageQuery('subscriptions', 'age'),
  ...searchQuery,
  api: PAIR.api.optional(),
  ...powerFlags,
  unregistered: flag.optional().describe('for clients that no one registered'),
});

/** Requests that wait for this actor's decision, the oldest first, with all data that the decision needs. */
export const pageInbox = operation(
  {
    name: 'pageInbox',
    right: 'subscriptions.decide',
    shape: inboxFilter,
    output: page('SubscriptionDetail', subscriptionDetail),
  },
  async ({ actor, db }, input: ListInput<typeof inboxFilter> = {}): Promise<Page<SubscriptionView>> => {
    const { api, trusted, machine, device, unregistered } = input;
    const filter = { api, trusted, machine, device, unregistered, search: searchOf(input) };
    const waiting = { ...filter, state: 'pending', decidable: decidableBy(actor) } as const;
    const page = await readPage(SUBSCRIPTIONS, { limit: 20, ...input, order: input.order ?? 'age' }, waiting);
    return { ...page, rows: await views(actor, db, page.rows) };
  },
);

/** APIs with requests that wait for this actor's decision, by name. */
export const listWaitingApis = operation(
  { name: 'listWaitingApis', right: 'subscriptions.decide' },
  async ({ actor, db }): Promise<{ id: string; name: string }[]> =>
    (await selectWaitingApis(db, decidableBy(actor))).map(({ id, name }) => ({ id, name })),
);

export const readSubscription = operation(
  {
    name: 'readSubscription',
    right: ['subscriptions.see-all', 'subscriptions.see-own'],
    output: one('SubscriptionDetail', subscriptionDetail),
  },
  async ({ actor, db }, { clientId, api }: Pair): Promise<SubscriptionView> => {
    const all = mayDo(actor, 'subscriptions.see-all');
    const row = await findSubscription(db, clientId, api);
    const isOwner = row !== null && row.ownerId !== null && row.ownerId === idOf(actor);
    if (row && (isOwner || (all && isDeciderOf(actor, row)))) return viewOf(actor, db, row);
    throw new Refused('subscription.unknown', { client: clientId, api }, { foreign: row !== null });
  },
);

/** Removes the member `note` for actors who cannot decide on the subscription. */
const shownTo = (actor: Actor, row: SubscriptionRow): SubscriptionRow =>
  mayDo(actor, 'subscriptions.see-all') && isDeciderOf(actor, row) ? row : { ...row, note: null };

async function views(actor: Actor, db: Db, rows: SubscriptionRow[]): Promise<SubscriptionView[]> {
  const lives = await selectStepsOf(db, rows);
  return rows.map((row, at) => view(actor, row, lives[at] ?? []));
}

const viewOf = async (actor: Actor, db: Db, row: SubscriptionRow): Promise<SubscriptionView> =>
  view(actor, row, await selectSubscriptionSteps(db, row.clientId, row.api));

function view(actor: Actor, row: SubscriptionRow, history: SubscriptionStep[]): SubscriptionView {
  const isManager =
    mayDo(actor, 'clients.manage-all') || (row.ownerId !== null && row.ownerId === idOf(actor));
  const asks = isManager && mayDo(actor, 'subscriptions.request');
  const may = {
    ...mayDecide(actor, row),
    terms: mayChangeTerms(actor, row),
    request: asks && mayRequest(row.state),
    change: asks && row.state !== 'revoked',
    cancel: asks && mayCancel(row.state),
  };
  return {
    ...shownTo(actor, row),
    history: history.map(({ clientBrand: _, ...step }) => step),
    sinceApproval: differenceSince(history, row),
    may,
  };
}

// The effects of a suspension or revocation. Pages show them next to the field for the required reason.

/** Counts the valid sign-ins and tokens of this client at this API, and their users. */
export const previewDecision = operation(
  { name: 'previewDecision', right: 'subscriptions.decide' },
  async ({ actor, db }, input: Pair): Promise<Pick<Consequences, 'endsTokens' | 'people'>> => {
    const { clientId, api } = await readSubscription(actor, input);
    return countEnding(db, { clientId, api });
  },
);
