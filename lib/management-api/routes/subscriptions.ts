// /subscriptions, /inbox, /catalogue: asked for by developers, decided by approvers and administrators.
import { z } from 'zod';
import { listCatalogue } from '#lib/management/registry/apis.ts';
import { decideSubscriptions, MOST_AT_ONCE } from '#lib/management/subscriptions/decide-many.ts';
import { changeTerms, decideSubscription } from '#lib/management/subscriptions/decisions.ts';
import {
  pageInbox,
  pageSubscriptions,
  readSubscription,
} from '#lib/management/subscriptions/subscription-view.ts';
import {
  cancelSubscription,
  changeSubscription,
  previewSubscriptionChange,
  requestSubscription,
} from '#lib/management/subscriptions/subscriptions.ts';
import { undoDecision } from '#lib/management/subscriptions/undo-decision.ts';
import { changeOf } from '#lib/registry/fields/definition.ts';
import { subscriptionTerms } from '#lib/registry/objects/subscription.ts';
import { DECISIONS, SUBSCRIPTION_STATES } from '#lib/registry/objects/subscription-states.ts';
import { one, page, type Route, routesFor, wholeList } from '../route.ts';
import { days, flag, paged, search, words } from './inputs.ts';

const clientId = z.string().max(300);
const api = z.string().max(100);
const message = z.string().max(5000).optional();
const filter = z.strictObject({
  ...paged('subscriptions'),
  ...search,
  own: flag.optional(),
  clientId: clientId.optional(),
  api: api.optional(),
  state: z.enum(SUBSCRIPTION_STATES).optional(),
  trusted: flag.optional(),
  machine: flag.optional(),
  device: flag.optional(),
  ...days('requested', 'decided'),
});
const inbox = z.strictObject({
  ...paged('subscriptions', 'age'),
  ...search,
  api: api.optional(),
  trusted: flag.optional(),
  machine: flag.optional(),
  device: flag.optional(),
  unregistered: flag.optional().describe('of clients that no one registered here'),
});
const change = z.strictObject({
  trusted: z.boolean().optional(),
  machine: z.boolean().optional(),
  device: z.boolean().optional(),
  scopes: words.optional(),
});
const terms = changeOf(subscriptionTerms);
const decision = z.strictObject({
  action: z.enum(DECISIONS),
  reason: z.string().max(5000).optional(),
  scopes: words.optional().describe('of an approval: the ceiling, among those that were asked for'),
  ...terms.shape,
});

const decisions = z.strictObject({
  action: z.enum(['approve', 'reject']),
  reason: z.string().max(5000).optional(),
  requests: z
    .array(
      // only the names of the first level are renamed
      z.strictObject({
        client_id: clientId,
        api,
        version: z.int().optional().describe('of what was seen; another one is not decided on'),
        scopes: words.optional().describe('of an approval: the ceiling'),
      }),
    )
    .max(MOST_AT_ONCE),
});

const see = routesFor('subscriptions.see-all', 'subscriptions.see-own');
const ask = routesFor('subscriptions.request');
const decide = routesFor('subscriptions.decide');

export const subscriptionRoutes: Route[] = [
  routesFor('subscriptions.see-own')(
    'GET /catalogue',
    'The APIs that can be subscribed to, and what a client has of each',
    listCatalogue,
    {
      query: z.strictObject({ ...search, clientId: clientId.optional() }),
      answers: wholeList('CatalogueEntry'),
    },
  ),
  see('GET /subscriptions', 'Subscriptions: one’s own, or those one may decide on', pageSubscriptions, {
    query: filter,
    answers: page('Subscription'),
  }),
  ask(
    'POST /subscriptions',
    'Ask for a subscription',
    async (actor, { trusted = false, machine = false, device = false, scopes = [], ...asked }) => ({
      state: await requestSubscription(actor, { ...asked, trusted, machine, device, scopes }),
    }),
    {
      body: change.extend({ clientId, api, message }),
      answers: one('State'),
      creates: '/subscriptions/:client_id/:api',
    },
  ),
  see(
    'GET /subscriptions/:client_id/:api',
    'One subscription, with its history and what changed since its last approval',
    readSubscription,
    { answers: one('SubscriptionDetail') },
  ),
  ask(
    'PATCH /subscriptions/:client_id/:api',
    'Change scopes, trust, machine or device; what has one of the three waits for approval again',
    async (actor, asked) => {
      await changeSubscription(actor, asked);
      return readSubscription(actor, asked);
    },
    { body: change.extend({ message }), version: 'required', answers: one('SubscriptionDetail') },
  ),
  ask(
    'POST /subscriptions/:client_id/:api/preview',
    'The state that a change would lead to; nothing is saved',
    previewSubscriptionChange,
    { body: change, answers: one('StateChange') },
  ),
  ask('DELETE /subscriptions/:client_id/:api', 'Give a subscription up', cancelSubscription),
  decide(
    'POST /subscriptions/:client_id/:api/decision',
    'Approve, reject, suspend, resume or revoke; If-Match makes sure that it is what was seen',
    async (actor, asked) => ({ state: await decideSubscription(actor, asked) }),
    { body: decision, version: 'optional', answers: one('State') },
  ),
  decide(
    'DELETE /subscriptions/:client_id/:api/decision',
    'Take one’s own approval or rejection back: within ten seconds, and before it was used',
    async (actor, asked) => ({ state: await undoDecision(actor, asked) }),
    { version: 'optional', answers: one('State') },
  ),
  decide(
    'POST /inbox/decisions',
    'Approve or reject many; each is decided or not, and the answer says which and why',
    (actor, { requests, ...decided }) =>
      decideSubscriptions(actor, {
        ...decided,
        requests: requests.map(({ client_id, ...one }) => ({ ...one, clientId: client_id })),
      }),
    { body: decisions, answers: wholeList('DecidedOne') },
  ),
  decide(
    'PATCH /subscriptions/:client_id/:api/terms',
    'Who may use the client at the API, and how long what a person allows lasts, once it is approved',
    async (actor, asked) => {
      await changeTerms(actor, asked);
      return readSubscription(actor, asked);
    },
    { body: terms, version: 'required', answers: one('SubscriptionDetail') },
  ),
  decide('GET /inbox', 'What waits for this person’s decision, the oldest first', pageInbox, {
    query: inbox,
    answers: page('SubscriptionDetail'),
  }),
];
