// Routes of clients and subscriptions. /clients: administrators see all clients, and developers see their own.
import { z } from 'zod';
import { listCatalogue } from '#lib/management/apis.ts';
import {
  addSecret,
  changeClient,
  createClient,
  deleteClient,
  disableClient,
  dropSecret,
  enableClient,
  pageClients,
  previewClientChange,
  previewClientDeletion,
  previewClientRevocation,
  readClient,
  revokeClient,
  rotateClientSecret,
} from '#lib/management/clients.ts';
import { explainAccess, explanationInput, stepInEnglish } from '#lib/management/explanation.ts';
import { pageClientRequests, requestInEnglish } from '#lib/management/inspector.ts';
import {
  cancelSubscription,
  changeSubscription,
  changeTerms,
  decideSubscription,
  decideSubscriptions,
  MOST_AT_ONCE,
  pageInbox,
  pageSubscriptions,
  previewSubscriptionChange,
  readSubscription,
  requestSubscription,
  undoDecision,
} from '#lib/management/subscriptions.ts';
import { CLIENT_KINDS, checkedNewClient, newClient } from '#lib/registry/client.ts';
import { changeOf } from '#lib/registry/definition.ts';
import { DECISIONS, SUBSCRIPTION_STATES, subscriptionTerms } from '#lib/registry/subscription.ts';
import {
  activity,
  breaks,
  days,
  flag,
  one,
  page,
  pageQuery,
  paging,
  type Route,
  route,
  search,
  wholeList,
  words,
} from './route.ts';

const clientFilter = z.strictObject({
  ...pageQuery('clients'),
  ...search,
  own: flag.optional(),
  kind: z.enum(CLIENT_KINDS).optional(),
  state: activity,
  ...days('created'),
});
const clientChange = changeOf(newClient.omit({ clientId: true, ownerEmail: true })).extend({
  ownerEmail: z.string().max(254).nullish(),
});
const overlap = z.strictObject({ overlapSeconds: z.int().optional() });

export const clientRoutes: Route[] = [
  route('GET /clients', 'List clients: all of them, or your own', pageClients, {
    query: clientFilter,
    answers: page('Client'),
  }),
  route(
    'POST /clients',
    'Create a client; the secret of a confidential client is returned once',
    createClient,
    {
      body: checkedNewClient,
      answers: one('CreatedClient'),
      creates: '/clients/:client_id',
    },
  ),
  route('GET /clients/:client_id', 'Get a client', readClient, { answers: one('ClientDetail') }),
  route(
    'PATCH /clients/:client_id',
    'Change a client; `returned_to_pending` lists the subscriptions that need approval again',
    changeClient,
    { body: clientChange, version: 'required', answers: one('ChangedClient') },
  ),
  route(
    'POST /clients/:client_id/preview',
    'Preview the effects of a change; nothing is saved',
    previewClientChange,
    { shown: breaks, body: clientChange, answers: one('Consequences') },
  ),
  route(
    'GET /clients/:client_id/deletion',
    'Preview the effects of deleting a client',
    previewClientDeletion,
    { shown: breaks, answers: one('Consequences') },
  ),
  route(
    'DELETE /clients/:client_id',
    'Delete a client with its subscriptions, consents and tokens',
    deleteClient,
    {
      version: 'optional',
    },
  ),
  route(
    'GET /clients/:client_id/revocation',
    'Preview the effects of revoking everything of a client',
    previewClientRevocation,
    {
      answers: one('ClientRevocation'),
    },
  ),
  route(
    'POST /clients/:client_id/revocation',
    'Revoke every token, consent and delegation of a client; the client stays registered and enabled',
    revokeClient,
    { answers: one('ClientRevocation') },
  ),
  route('POST /clients/:client_id/disable', 'Disable a client immediately', disableClient),
  route('POST /clients/:client_id/enable', 'Enable a disabled client', enableClient),
  route('POST /clients/:client_id/secrets', 'Add a second secret; returned once', addSecret, {
    answers: one('Secret'),
    creates: true,
  }),
  route(
    'POST /clients/:client_id/secret-rotation',
    'Replace the secret; the new one is returned once, and the old one stops working immediately or after an overlap',
    rotateClientSecret,
    { body: overlap, answers: one('Secret'), creates: true },
  ),
  route('DELETE /clients/:client_id/secrets/:secret_id', 'Revoke a secret immediately', dropSecret),
  route(
    'GET /clients/:client_id/requests',
    'List the last requests to the authorize and token endpoints, with their errors',
    pageClientRequests,
    {
      shown: ({ rows, ...page }) => ({ ...page, rows: rows.map(requestInEnglish) }),
      query: z.strictObject({ ...paging, failedOnly: flag.optional() }),
      answers: page('InspectedRequest'),
    },
  ),
  route(
    'POST /explanations',
    'Explain whether this client would get a token of an API, and its claims; no token is issued',
    explainAccess,
    {
      shown: ({ steps, ...answer }) => ({ ...answer, steps: steps.map(stepInEnglish) }),
      body: explanationInput,
      answers: one('Explanation'),
    },
  ),
];

// /subscriptions, /inbox, /catalogue: developers request subscriptions, approvers and administrators decide.

const clientId = z.string().max(300);
const api = z.string().max(100);
const message = z.string().max(5000).optional();
const subscriptionFilter = z.strictObject({
  ...pageQuery('subscriptions'),
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
  ...pageQuery('subscriptions', 'age'),
  ...search,
  api: api.optional(),
  trusted: flag.optional(),
  machine: flag.optional(),
  device: flag.optional(),
  unregistered: flag.optional().describe('for clients that no one registered'),
});
const subscriptionChange = z.strictObject({
  trusted: z.boolean().optional(),
  machine: z.boolean().optional(),
  device: z.boolean().optional(),
  scopes: words.optional(),
});
const terms = changeOf(subscriptionTerms);
const decision = z.strictObject({
  action: z.enum(DECISIONS),
  reason: z.string().max(5000).optional(),
  scopes: words.optional().describe('for an approval: the maximum scopes, among the requested ones'),
  ...terms.shape,
});

const decisions = z.strictObject({
  action: z.enum(['approve', 'reject']),
  reason: z.string().max(5000).optional(),
  requests: z
    .array(
      // members are renamed only at the first level, so these have names in snake_case
      z.strictObject({
        client_id: clientId,
        api,
        version: z
          .int()
          .optional()
          .describe('the version that was displayed; a decision on another version is rejected'),
        scopes: words.optional().describe('for an approval: the maximum scopes'),
      }),
    )
    .max(MOST_AT_ONCE),
});

export const subscriptionRoutes: Route[] = [
  route('GET /catalogue', 'List the APIs, with the subscription of a client to each', listCatalogue, {
    query: z.strictObject({ ...search, clientId: clientId.optional() }),
    answers: wholeList('CatalogueEntry'),
  }),
  route(
    'GET /subscriptions',
    'List subscriptions: your own, or those that you can decide on',
    pageSubscriptions,
    {
      query: subscriptionFilter,
      answers: page('Subscription'),
    },
  ),
  route('POST /subscriptions', 'Request a subscription', requestSubscription, {
    shown: (state) => ({ state }),
    body: subscriptionChange.extend({ clientId, api, message }),
    answers: one('State'),
    creates: '/subscriptions/:client_id/:api',
  }),
  route(
    'GET /subscriptions/:client_id/:api',
    'Get a subscription, with its history and the changes since its last approval',
    readSubscription,
    { answers: one('SubscriptionDetail') },
  ),
  route(
    'PATCH /subscriptions/:client_id/:api',
    'Change scopes, trust, machine or device; a subscription with one of the last three needs approval again',
    changeSubscription,
    {
      body: subscriptionChange.extend({ message }),
      version: 'required',
      answers: one('SubscriptionDetail'),
    },
  ),
  route(
    'POST /subscriptions/:client_id/:api/preview',
    'Preview the state after a change; nothing is saved',
    previewSubscriptionChange,
    { body: subscriptionChange, answers: one('StateChange') },
  ),
  route('DELETE /subscriptions/:client_id/:api', 'Delete a subscription', cancelSubscription),
  route(
    'POST /subscriptions/:client_id/:api/decision',
    'Approve, reject, suspend, resume or revoke a subscription; with If-Match, only if the subscription has not changed',
    decideSubscription,
    { shown: (state) => ({ state }), body: decision, version: 'optional', answers: one('State') },
  ),
  route(
    'DELETE /subscriptions/:client_id/:api/decision',
    'Undo your own approval or rejection: within ten seconds, and before it is used',
    undoDecision,
    { shown: (state) => ({ state }), version: 'optional', answers: one('State') },
  ),
  route(
    'POST /inbox/decisions',
    'Approve or reject several requests; the response contains the result of each',
    (actor, { requests, ...decided }) =>
      decideSubscriptions(actor, {
        ...decided,
        requests: requests.map(({ client_id, ...one }) => ({ ...one, clientId: client_id })),
      }),
    { operation: decideSubscriptions, body: decisions, answers: wholeList('DecidedOne') },
  ),
  route(
    'PATCH /subscriptions/:client_id/:api/terms',
    'Set who can use the client at the API, and the duration of consent, after approval',
    changeTerms,
    { body: terms, version: 'required', answers: one('SubscriptionDetail') },
  ),
  route('GET /inbox', 'List the requests that wait for this person’s decision, oldest first', pageInbox, {
    query: inbox,
    answers: page('SubscriptionDetail'),
  }),
];
