// Decisions on subscriptions: one form per decision, one form for terms, decisions on several requests, and undo.

import { approvePerson, readWaitingPerson, rejectPerson } from '#lib/catalogue/people/invitations.ts';
import { DECISIONS, type Decision, reachOf } from '#lib/catalogue/subscriptions/definition.ts';
import {
  changeTerms,
  decideSubscription,
  decideSubscriptions,
  readSubscription,
  type SubscriptionView,
  undoDecisions,
} from '#lib/catalogue/subscriptions/operations.ts';
import { type EnglishSentence, english } from '#lib/language/message.ts';
import { inEnglish } from '#lib/language/words.ts';
import { enter } from '#lib/management/operations.ts';
import type { Actor } from '#lib/management/policy.ts';
import { faultAt, faulty, Refused } from '#lib/management/refused.ts';
import { type ConsoleForm, type Forms, type Outcome, path, redirectAfter } from '../_kit/console-form.ts';
import { whyOf } from '../_kit/in-words.ts';
import type { NoticeId, Problem } from '../_kit/notices.ts';
import type { Fields } from '../_kit/posted.ts';
import { CEILING_LABEL, powersInWords } from '../_kit/subscription-words.ts';
import { toSay } from '../_texts/to-say.ts';
import {
  type Choice,
  inboxAt,
  lastStep,
  nameOfRequest,
  placeIn,
  readSelected,
  requestPath,
  type Selected,
  selectedIn,
  selectedValue,
  waitingPath,
} from './inbox-place.ts';
import { TERMS_LABELS, termsIn } from './subscription-terms.tsx';

const placeOf = (fields: Fields) => placeIn((name) => fields.one(name));
const pageOfInbox = (fields: Fields) => inboxAt(placeOf(fields));
const choiceOf = (fields: Fields): Choice => (fields.one('action') === 'approve' ? 'approve' : 'reject');

const countOf = (count: number): EnglishSentence =>
  english('{count, plural, one {# request} other {# requests}}', { count });

/** The fields of the form that undoes decisions. */
const undoFields = (
  of: readonly Selected[],
  place: Record<string, string>,
): [name: string, value: string][] => [
  ...Object.entries(place).filter(([, value]) => value !== ''),
  ...of.map((subscription): [string, string] => ['item', selectedValue(subscription)]),
];

const notDecided = (problems: readonly Problem[]): Outcome => ({
  kind: 'refused',
  status: 409,
  told: english('No decision was made.'),
  problems,
});

async function decideMany(actor: Actor, fields: Fields): Promise<Outcome> {
  const [action, place] = [choiceOf(fields), placeOf(fields)];
  const selected = selectedIn(fields.list('item'));
  if (selected.length === 0)
    return { kind: 'refused', status: 422, told: english('Select at least one request.') };
  // the count that the user confirmed must equal the number of selected requests
  if (fields.one('confirmed') !== String(selected.length)) return { kind: 'confirm' };
  const reason = fields.text('reason');
  if (action === 'reject' && reason === undefined) throw faulty([faultAt('reason', 'wish.no_reason')]);
  const read = await readSelected(actor, action, selected);
  const problems = read.flatMap(({ name: of, why }): Problem[] => (why === null ? [] : [{ of, why }]));
  const ready = read.flatMap(({ view, why }) => (view && why === null ? [view] : []));
  if (ready.length === 0) return notDecided(problems);
  const requests = ready.map((view) => {
    const { clientId, api, version, clientOrigin } = view;
    // scopes that the form preselects for an unregistered client
    const ceiling = clientOrigin !== null && { scopes: reachOf(view).map(({ name }) => name) };
    return { clientId, api, version, ...(action === 'approve' && ceiling) };
  });
  const outcomes = await decideSubscriptions(actor, { action, reason, requests });
  const failed = new Map(
    outcomes.flatMap(({ clientId, api, error }) => (error === null ? [] : [[`${api} ${clientId}`, error]])),
  );
  const isDone = ({ api, clientId }: Selected) => !failed.has(`${api} ${clientId}`);
  const whyNotDone = ({ api, clientId }: Selected): Problem['why'] => {
    const refused = failed.get(`${api} ${clientId}`);
    return refused ? whyOf(refused) : english('it has changed since then');
  };
  const now = await readSelected(actor, action, ready);
  for (const request of now)
    if (!isDone(request)) problems.push({ of: request.name, why: request.why ?? whyNotDone(request) });
  const decided = now
    .filter(isDone)
    .map((request) => ({ ...request, version: request.view?.version ?? request.version }));
  if (decided.length === 0) return notDecided(problems);
  const notifiedCount = decided.filter(
    ({ view }) => view && (view.requestedBy ?? view.ownerId) !== null,
  ).length;
  const who = notifiedCount === decided.length ? '' : notifiedCount === 0 ? '-untold' : '-some';
  return redirectAfter(inboxAt(place), `many-${action}${who}`, countOf(decided.length), {
    problems,
    undo: undoFields(decided, { ...place, from: 'inbox' }),
  });
}

async function undo(actor: Actor, fields: Fields): Promise<Outcome> {
  const place = placeOf(fields);
  const selected = selectedIn(fields.list('item'));
  const refused = await undoDecisions(actor, { requests: selected });
  const undone = selected.filter((_, at) => refused[at] === null);
  const problems = refused.flatMap((refusal): Problem[] =>
    refusal === null ? [] : [{ why: whyOf(refusal) }],
  );
  const [only] = selected;
  if (!only || undone.length === 0)
    return { kind: 'refused', status: 409, told: english('Nothing was undone.'), problems };
  const isOne = selected.length === 1;
  const [{ name = '' } = {}] = isOne ? await readSelected(actor, 'approve', [only]) : [];
  const requestPage =
    fields.one('from') === 'inbox'
      ? requestPath(only, place)
      : path('admin', 'subscriptions', only.clientId, only.api);
  const about = isOne ? name : countOf(undone.length);
  const notice = isOne ? 'decision-undone' : 'decisions-undone';
  return redirectAfter(isOne ? requestPage : inboxAt(place), notice, about, { problems });
}

const form = (run: (actor: Actor, fields: Fields) => Promise<Outcome>): ConsoleForm => ({
  page: pageOfInbox,
  labels: { reason: { label: toSay('Reason for rejection') } },
  run: async (actor, fields) => {
    // checks permissions first, so that users without permission see no faults of the form
    await enter(actor, { action: 'subscriptions.decide' });
    return run(actor, fields);
  },
});

export const manyForms: Forms = { 'decide-many': form(decideMany), undo: form(undo) };

// Decisions on subscriptions: one form per decision, and one form for the terms of approved subscriptions.

const pageOfDecision = (fields: Fields): string => {
  const [clientId, api] = [fields.one('clientId'), fields.one('api')];
  if (fields.one('from') === 'inbox') return requestPath({ clientId, api }, placeOf(fields));
  return path('admin', 'subscriptions', clientId, api);
};

export const decideForms: Forms = {
  terms: {
    page: pageOfDecision,
    labels: TERMS_LABELS,
    run: async (actor, fields) => {
      const [clientId, api] = [fields.one('clientId'), fields.one('api')];
      await changeTerms(actor, { clientId, api, ...termsIn(fields), version: fields.number('version') });
      return redirectAfter(pageOfDecision(fields), 'terms-changed');
    },
  },
  'person-decide': {
    page: (fields) => waitingPath(fields.one('id'), placeOf(fields)),
    run: async (actor, fields) => {
      const id = fields.one('id');
      const isApproved = fields.one('action') === 'approve';
      try {
        const { email } = await readWaitingPerson(actor, { id });
        if (isApproved) await approvePerson(actor, { id });
        else await rejectPerson(actor, { id, reason: fields.text('reason') });
        return redirectAfter(
          inboxAt(placeOf(fields)),
          isApproved ? 'person-approved' : 'person-rejected',
          email,
        );
      } catch (error) {
        if (!(error instanceof Refused && error.kind === 'not-found')) throw error;
        return { kind: 'refused', status: 409, told: notTaken(error) };
      }
    },
  },
  decide: {
    page: pageOfDecision,
    labels: { ...TERMS_LABELS, scopes: { label: CEILING_LABEL } },
    run: async (actor, fields) => {
      const action = DECISIONS.find((name) => name === fields.one('action')) as Decision;
      const reason = fields.text('reason');
      if (action === 'reject' && reason === undefined && fields.one('silent') !== 'yes') {
        throw faulty([faultAt('reason', 'wish.no_reason')]);
      }
      const pair = { clientId: fields.one('clientId'), api: fields.one('api') };
      const decision = {
        ...pair,
        action,
        reason,
        ...(action === 'approve' && termsIn(fields)),
        ...(action === 'approve' && fields.has('ceiling') && { scopes: fields.list('scopes') }),
        version: fields.number('version'),
      };
      if (action === 'approve' || action === 'resume') {
        const powers = inEnglish(powersInWords(await readSubscription(actor, pair)));
        if (fields.one('confirmed') !== powers) return { kind: 'confirm' };
      }
      try {
        const state = await decideSubscription(actor, decision);
        const view = await readSubscription(actor, pair);
        const { requestedBy, ownerId } = view;
        const undoable = action === 'approve' || action === 'reject';
        const undoOption = undoable && {
          undo: undoFields([view], { ...placeOf(fields), from: fields.one('from') }),
        };
        const to = fields.one('from') === 'inbox' ? inboxAt(placeOf(fields)) : pageOfDecision(fields);
        return redirectAfter(
          to,
          noticeFor(state === 'pending' ? state : action, requestedBy ?? ownerId),
          nameOfRequest(view),
          undoOption || {},
        );
      } catch (error) {
        const message = hasChanged(error)
          ? decidedMeanwhile(action, await readSubscription(actor, pair))
          : null;
        if (message !== null) return { kind: 'refused', status: 409, told: message };
        throw error;
      }
    },
  },
};

/**
 * Name of the notice after the decision. `recipient`: user who receives the mail; null: no user requested the
 * subscription, and the client has no owner.
 */
function noticeFor(what: Decision | 'pending', recipient: string | null): NoticeId {
  const isTold = recipient !== null || (what !== 'approve' && what !== 'reject');
  return isTold ? `decided-${what}` : `decided-${what}-untold`;
}

const hasChanged = (error: unknown) =>
  error instanceof Refused && (error.kind === 'stale' || error.kind === 'conflict');

/**
 * Message that names the earlier decision and the user who made it; null: this decision is still possible, so the
 * form shows the changes.
 */
export function decidedMeanwhile(
  action: Decision,
  { may, history }: Pick<SubscriptionView, 'may' | 'history'>,
): EnglishSentence | null {
  const last = lastStep({ history });
  if (may[action] || last === null) return null;
  return english(
    'Your decision was not saved: {who} decided first ({step, select, approved {approved} rejected {rejected} suspended {suspended} revoked {revoked} pending {requested} back {returned for approval} resumed {resumed} changed {changed} subscribed {subscribed} other {changed}}, {time}). Your text is kept below.',
    last,
  );
}

/** Message for a decision on a user who no longer waits for an account. */
const notTaken = ({ code, values }: Refused): EnglishSentence =>
  code === 'person.decided'
    ? english(
        'Your decision was not saved: {actor} has already decided ({decision, select, approved {approved} other {rejected}}, {at}). Your text is kept below.',
        values,
      )
    : english(
        'Your decision was not saved: {id} is not pending. The request expired or was never pending. Your text is kept below.',
        { id: '', ...values },
      );
