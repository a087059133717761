// Many requests of the inbox at once, and decisions that are taken back.
import { type EnglishSentence, english } from '#lib/language/message.ts';
import { enter } from '#lib/management/core/operation.ts';
import type { Actor } from '#lib/management/core/policy.ts';
import { faultAt, textOfRefusal } from '#lib/management/core/refusals/codes.ts';
import { faulty, Refused } from '#lib/management/core/refused.ts';
import { decideSubscriptions } from '#lib/management/subscriptions/decide-many.ts';
import { undoDecision } from '#lib/management/subscriptions/undo-decision.ts';
import { reachOf } from '#lib/registry/objects/subscription-states.ts';
import type { Fields } from '../_forms/fields.ts';
import { type ConsoleForm, done, type Forms, type Outcome, path } from '../_forms/form.ts';
import type { Problem } from '../_forms/told-once.ts';
import { toSay } from '../_texts/to-say.ts';
import { inboxAt, placeIn, requestPath } from './place.ts';
import { type Choice, readSelected, type Selected, selectedIn, selectedValue } from './selected.ts';

const placeOf = (fields: Fields) => placeIn((name) => fields.one(name));
const page = (fields: Fields) => inboxAt(placeOf(fields));
const choiceOf = (fields: Fields): Choice => (fields.one('action') === 'approve' ? 'approve' : 'reject');

const countOf = (count: number): EnglishSentence =>
  english('{count, plural, one {# request} other {# requests}}', { count });

/** The form's fields that take these decisions back. */
export const undoFields = (
  of: readonly Selected[],
  place: Record<string, string>,
): [name: string, value: string][] => [
  ...Object.entries(place).filter(([, value]) => value !== ''),
  ...of.map((one): [string, string] => ['item', selectedValue(one)]),
];

const notDecided = (problems: readonly Problem[]): Outcome => ({
  kind: 'refused',
  status: 409,
  told: english('Nothing was decided.'),
  problems,
});

async function decideMany(actor: Actor, fields: Fields): Promise<Outcome> {
  const [action, place] = [choiceOf(fields), placeOf(fields)];
  const selected = selectedIn(fields.list('item'));
  if (selected.length === 0)
    return { kind: 'refused', status: 422, told: english('Select at least one request.') };
  // as many as the page has shown are decided, and these
  if (fields.one('confirmed') !== String(selected.length)) return { kind: 'confirm' };
  const reason = fields.given('reason');
  if (action === 'reject' && reason === undefined) throw faulty([faultAt('reason', 'wish.no_reason')]);
  const read = await readSelected(actor, action, selected);
  const problems = read.flatMap(({ name: of, why }) => (why === null ? [] : [{ of, why }]));
  const ready = read.flatMap(({ view, why }) => (view && why === null ? [view] : []));
  if (ready.length === 0) return notDecided(problems);
  const requests = ready.map((view) => {
    const { clientId, api, version, clientOrigin } = view;
    // of a client that no one registered: what its own page has checked at first
    const ceiling = clientOrigin !== null && { scopes: reachOf(view).map(({ name }) => name) };
    return { clientId, api, version, ...(action === 'approve' && ceiling) };
  });
  const outcomes = await decideSubscriptions(actor, { action, reason, requests });
  const failed = new Map(
    outcomes.flatMap(({ clientId, api, error }) => (error === null ? [] : [[`${api} ${clientId}`, error]])),
  );
  const isDone = ({ api, clientId }: Selected) => !failed.has(`${api} ${clientId}`);
  const now = await readSelected(actor, action, ready);
  for (const one of now)
    if (!isDone(one))
      problems.push({
        of: one.name,
        why: one.why ?? { text: failed.get(`${one.api} ${one.clientId}`) ?? '' },
      });
  const decided = now.filter(isDone).map((one) => ({ ...one, version: one.view?.version ?? one.version }));
  if (decided.length === 0) return notDecided(problems);
  const told = decided.filter(({ view }) => view && (view.requestedBy ?? view.ownerId) !== null).length;
  const who = told === decided.length ? '' : told === 0 ? '-untold' : '-some';
  return done(inboxAt(place), `many-${action}${who}`, countOf(decided.length), {
    problems,
    undo: undoFields(decided, { ...place, from: 'inbox' }),
  });
}

async function undo(actor: Actor, fields: Fields): Promise<Outcome> {
  const place = placeOf(fields);
  const selected = selectedIn(fields.list('item'));
  const problems: Problem[] = [];
  const undone: Selected[] = [];
  for (const one of selected) {
    try {
      await undoDecision(actor, one);
      undone.push(one);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      problems.push({ why: { text: textOfRefusal(error.code), values: error.values } });
    }
  }
  const [only] = selected;
  if (!only || undone.length === 0)
    return { kind: 'refused', status: 409, told: english('Nothing was undone.'), problems };
  const isOne = selected.length === 1;
  const [{ name = '' } = {}] = isOne ? await readSelected(actor, 'approve', [only]) : [];
  const one =
    fields.one('from') === 'inbox'
      ? requestPath(only, place)
      : path('admin', 'subscriptions', only.clientId, only.api);
  const about = isOne ? name : countOf(undone.length);
  const notice = isOne ? 'decision-undone' : 'decisions-undone';
  return done(isOne ? one : inboxAt(place), notice, about, { problems });
}

const form = (run: (actor: Actor, fields: Fields) => Promise<Outcome>): ConsoleForm => ({
  page,
  labels: { reason: { label: toSay('Why not?') } },
  run: async (actor, fields) => {
    // before it says what is wrong with the form
    await enter(actor, { action: 'subscriptions.decide' });
    return run(actor, fields);
  },
});

export const manyForms: Forms = { 'decide-many': form(decideMany), undo: form(undo) };
