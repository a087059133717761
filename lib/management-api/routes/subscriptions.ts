// /subscriptions, /inbox, /catalogue: asked for by developers, decided by approvers and administrators.
import { z } from 'zod';
import {
  cancelSubscription,
  changeSubscription,
  decideSubscription,
  listCatalogue,
  pageInbox,
  pageSubscriptions,
  previewSubscriptionChange,
  readSubscription,
  requestSubscription,
} from '#lib/management/index.ts';
import { DECISIONS, SUBSCRIPTION_STATES } from '#lib/registry/index.ts';
import { type Call, type Route, route } from '../route.ts';
import { flag, paging, search, words } from './inputs.ts';

const message = z.string().max(5000).optional();
const change = { trusted: z.boolean().optional(), scopes: words.optional() };
const SEE = { actions: ['subscriptions.see-all', 'subscriptions.see-own'], status: 200 } as const;
const ASK = { actions: ['subscriptions.request'] } as const;
const pairOf = ({ params }: Pick<Call, 'params'>) => ({
  clientId: params['client_id'] ?? '',
  api: params['api'] ?? '',
});
const read = async (call: Pick<Call, 'actor' | 'params'>) => {
  const body = await readSubscription(call.actor, pairOf(call));
  return { body, version: body.version };
};

export const subscriptionRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/catalogue',
    actions: ['subscriptions.see-own'],
    status: 200,
    summary: 'The APIs that can be subscribed to, and what a client has of each',
    query: z.strictObject({ ...search, clientId: z.string().max(300).optional() }),
    answers: { schema: 'CatalogueEntry', as: 'list' },
    run: async ({ actor, query }) => ({ body: { rows: await listCatalogue(actor, query) } }),
  }),
  route({
    ...SEE,
    method: 'GET',
    path: '/subscriptions',
    summary: 'Subscriptions: one’s own, or those one may decide on',
    query: z.strictObject({
      ...paging,
      ...search,
      own: flag.optional(),
      clientId: z.string().max(300).optional(),
      api: z.string().max(100).optional(),
      state: z.enum(SUBSCRIPTION_STATES).optional(),
      trusted: flag.optional(),
    }),
    answers: { schema: 'Subscription', as: 'page' },
    run: async ({ actor, query }) => ({ body: await pageSubscriptions(actor, query) }),
  }),
  route({
    ...ASK,
    method: 'POST',
    path: '/subscriptions',
    status: 201,
    summary: 'Ask for a subscription',
    body: z.strictObject({ clientId: z.string().max(300), api: z.string().max(100), ...change, message }),
    answers: { schema: 'State' },
    run: async ({ actor, body: { trusted = false, scopes = [], ...asked } }) => {
      const state = await requestSubscription(actor, { ...asked, trusted, scopes });
      const place = `${encodeURIComponent(asked.clientId)}/${encodeURIComponent(asked.api)}`;
      return { body: { state }, location: `/api/v1/subscriptions/${place}` };
    },
  }),
  route({
    ...SEE,
    method: 'GET',
    path: '/subscriptions/:client_id/:api',
    summary: 'One subscription, with its history and what changed since its last approval',
    answers: { schema: 'SubscriptionDetail' },
    run: read,
  }),
  route({
    ...ASK,
    method: 'PATCH',
    path: '/subscriptions/:client_id/:api',
    status: 200,
    versioned: true,
    summary: 'Change scopes or trust; what was trusted waits for approval again',
    body: z.strictObject({ ...change, message }),
    answers: { schema: 'SubscriptionDetail' },
    run: async (call) => {
      await changeSubscription(call.actor, { ...call.body, ...pairOf(call), version: call.version });
      return read(call);
    },
  }),
  route({
    ...ASK,
    method: 'POST',
    path: '/subscriptions/:client_id/:api/preview',
    status: 200,
    summary: 'The state that a change would lead to; nothing is saved',
    body: z.strictObject(change),
    answers: { schema: 'StateChange' },
    run: async (call) => ({
      body: await previewSubscriptionChange(call.actor, { ...call.body, ...pairOf(call) }),
    }),
  }),
  route({
    ...ASK,
    method: 'DELETE',
    path: '/subscriptions/:client_id/:api',
    status: 204,
    summary: 'Give a subscription up',
    run: async (call) => ({ body: await cancelSubscription(call.actor, pairOf(call)) }),
  }),
  route({
    method: 'POST',
    path: '/subscriptions/:client_id/:api/decision',
    actions: ['subscriptions.decide'],
    status: 200,
    summary: 'Approve, reject, suspend, resume or revoke; If-Match makes sure that it is what was seen',
    body: z.strictObject({ action: z.enum(DECISIONS), reason: z.string().max(5000).optional() }),
    answers: { schema: 'State' },
    run: async (call) => {
      const state = await decideSubscription(call.actor, {
        ...call.body,
        ...pairOf(call),
        version: call.version,
      });
      return { body: { state } };
    },
  }),
  route({
    method: 'GET',
    path: '/inbox',
    actions: ['subscriptions.decide'],
    status: 200,
    summary: 'What waits for this person’s decision, the oldest first',
    query: z.strictObject(paging),
    answers: { schema: 'SubscriptionDetail', as: 'page' },
    run: async ({ actor, query }) => ({ body: await pageInbox(actor, query) }),
  }),
];
