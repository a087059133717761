// Deciding on subscriptions: one form for every decision, and one for the terms of what is approved.
import { type EnglishSentence, english } from '#lib/language/message.ts';
import { inEnglish } from '#lib/language/words.ts';
import { faultAt } from '#lib/management/core/refusals/codes.ts';
import { faulty, Refused } from '#lib/management/core/refused.ts';
import { approvePerson, readWaitingPerson, rejectPerson } from '#lib/management/people/waiting-people.ts';
import { changeTerms, decideSubscription } from '#lib/management/subscriptions/decisions.ts';
import { readSubscription, type SubscriptionView } from '#lib/management/subscriptions/subscription-view.ts';
import { DECISIONS, type Decision } from '#lib/registry/objects/subscription-states.ts';
import type { Fields } from '../_forms/fields.ts';
import { done, type Forms, path } from '../_forms/form.ts';
import type { NoticeId } from '../_forms/notices.ts';
import { CEILING_LABEL, powersInWords } from '../_ui/subscription-words.ts';
import { undoFields } from './many-forms.ts';
import { inboxAt, placeIn, requestPath, waitingPath } from './place.ts';
import { lastStep, nameOfRequest } from './selected.ts';
import { TERMS_LABELS, termsIn } from './terms-fields.tsx';

const placeOf = (fields: Fields) => placeIn((name) => fields.one(name));

const page = (fields: Fields): string => {
  const [clientId, api] = [fields.one('clientId'), fields.one('api')];
  if (fields.one('from') === 'inbox') return requestPath({ clientId, api }, placeOf(fields));
  return path('admin', 'subscriptions', clientId, api);
};

export const decideForms: Forms = {
  terms: {
    page,
    labels: TERMS_LABELS,
    run: async (actor, fields) => {
      const [clientId, api] = [fields.one('clientId'), fields.one('api')];
      await changeTerms(actor, { clientId, api, ...termsIn(fields), version: fields.number('version') });
      return done(page(fields), 'terms-changed');
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
        else await rejectPerson(actor, { id, reason: fields.given('reason') });
        return done(inboxAt(placeOf(fields)), isApproved ? 'person-approved' : 'person-rejected', email);
      } catch (error) {
        if (!(error instanceof Refused && error.kind === 'not-found')) throw error;
        return { kind: 'refused', status: 409, told: notTaken(error) };
      }
    },
  },
  decide: {
    page,
    labels: { ...TERMS_LABELS, scopes: { label: CEILING_LABEL } },
    run: async (actor, fields) => {
      const action = DECISIONS.find((one) => one === fields.one('action')) as Decision;
      const reason = fields.given('reason');
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
        const said = undoable && {
          undo: undoFields([view], { ...placeOf(fields), from: fields.one('from') }),
        };
        const to = fields.one('from') === 'inbox' ? inboxAt(placeOf(fields)) : page(fields);
        return done(
          to,
          noticeFor(state === 'pending' ? state : action, requestedBy ?? ownerId),
          nameOfRequest(view),
          said || {},
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

/** `told`: who gets a mail of it; null: it has no requester, and the client no owner. */
function noticeFor(what: Decision | 'pending', told: string | null): NoticeId {
  const isTold = told !== null || (what !== 'approve' && what !== 'reject');
  return isTold ? `decided-${what}` : `decided-${what}-untold`;
}

const hasChanged = (error: unknown) =>
  error instanceof Refused && (error.kind === 'stale' || error.kind === 'conflict');

/** Who was faster, and with what; null: this decision is still possible, so its form says what changed. */
export function decidedMeanwhile(
  action: Decision,
  { may, history }: Pick<SubscriptionView, 'may' | 'history'>,
): EnglishSentence | null {
  const last = lastStep({ history });
  if (may[action] || last === null) return null;
  return english(
    'Your decision was not taken: {who} was faster ({step, select, approved {approved} rejected {rejected} suspended {suspended} revoked {revoked} pending {asked} back {sent back to wait for approval} resumed {resumed} changed {changed} subscribed {subscribed} other {changed}}, {time}). What you wrote is kept below.',
    last,
  );
}

/** A person waits no more. */
const notTaken = ({ code, values }: Refused): EnglishSentence =>
  code === 'person.decided'
    ? english(
        'Your decision was not taken: {actor} has decided already ({decision, select, approved {approved} other {rejected}}, {at}). What you wrote is kept below.',
        values,
      )
    : english(
        'Your decision was not taken: {id} does not wait: it took too long, or never did. What you wrote is kept below.',
        { id: '', ...values },
      );
