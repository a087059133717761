// Routes of clients and subscriptions. /clients: administrators see all clients, and developers see their own.
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
import { explainAccess, stepInEnglish } from '#lib/management/explanation.ts';
import { pageClientRequests, requestInEnglish } from '#lib/management/inspector.ts';
import {
  cancelSubscription,
  changeSubscription,
  changeTerms,
  decideSubscription,
  decideSubscriptions,
  pageInbox,
  pageSubscriptions,
  previewSubscriptionChange,
  readSubscription,
  requestSubscription,
  undoDecision,
} from '#lib/management/subscriptions.ts';
import { consequencesInEnglish, one, page, type Route, route, wholeList } from './route.ts';

export const clientRoutes: Route[] = [
  route('GET /clients', 'List clients: all of them, or your own', pageClients, {
    answers: page('Client'),
  }),
  route(
    'POST /clients',
    'Create a client; the secret of a confidential client is returned once',
    createClient,
    {
      answers: one('CreatedClient'),
      creates: '/clients/:client_id',
    },
  ),
  route('GET /clients/:client_id', 'Get a client', readClient, { answers: one('ClientDetail') }),
  route(
    'PATCH /clients/:client_id',
    'Change a client; `returned_to_pending` lists the subscriptions that need approval again',
    changeClient,
    { version: 'required', answers: one('ChangedClient') },
  ),
  route(
    'POST /clients/:client_id/preview',
    'Preview the effects of a change; nothing is saved',
    previewClientChange,
    consequencesInEnglish,
  ),
  route(
    'GET /clients/:client_id/deletion',
    'Preview the effects of deleting a client',
    previewClientDeletion,
    consequencesInEnglish,
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
    { answers: one('Secret'), creates: true },
  ),
  route('DELETE /clients/:client_id/secrets/:secret_id', 'Revoke a secret immediately', dropSecret),
  route(
    'GET /clients/:client_id/requests',
    'List the last requests to the authorize and token endpoints, with their errors',
    pageClientRequests,
    {
      shown: ({ rows, ...page }) => ({ ...page, rows: rows.map(requestInEnglish) }),
      answers: page('InspectedRequest'),
    },
  ),
  route(
    'POST /explanations',
    'Explain whether this client would get a token of an API, and its claims; no token is issued',
    explainAccess,
    {
      shown: ({ steps, ...answer }) => ({ ...answer, steps: steps.map(stepInEnglish) }),
      answers: one('Explanation'),
    },
  ),
];

// /subscriptions, /inbox, /catalogue: developers request subscriptions, approvers and administrators decide.

export const subscriptionRoutes: Route[] = [
  route('GET /catalogue', 'List the APIs, with the subscription of a client to each', listCatalogue, {
    answers: wholeList('CatalogueEntry'),
  }),
  route(
    'GET /subscriptions',
    'List subscriptions: your own, or those that you can decide on',
    pageSubscriptions,
    {
      answers: page('Subscription'),
    },
  ),
  route('POST /subscriptions', 'Request a subscription', requestSubscription, {
    shown: (state) => ({ state }),
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
      version: 'required',
      answers: one('SubscriptionDetail'),
    },
  ),
  route(
    'POST /subscriptions/:client_id/:api/preview',
    'Preview the state after a change; nothing is saved',
    previewSubscriptionChange,
    { answers: one('StateChange') },
  ),
  route('DELETE /subscriptions/:client_id/:api', 'Delete a subscription', cancelSubscription),
  route(
    'POST /subscriptions/:client_id/:api/decision',
    'Approve, reject, suspend, resume or revoke a subscription; with If-Match, only if the subscription has not changed',
    decideSubscription,
    { shown: (state) => ({ state }), version: 'optional', answers: one('State') },
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
    decideSubscriptions,
    {
      given: ({ requests, ...decided }) => ({
        ...decided,
        requests: requests.map(({ client_id: clientId, ...request }) => ({ ...request, clientId })),
      }),
      shown: (decided) => decided.map(({ error, ...one }) => ({ ...one, error: error?.message ?? null })),
      answers: wholeList('DecidedOne'),
    },
  ),
  route(
    'PATCH /subscriptions/:client_id/:api/terms',
    'Set who can use the client at the API, and the duration of consent, after approval',
    changeTerms,
    { version: 'required', answers: one('SubscriptionDetail') },
  ),
  route('GET /inbox', 'List the requests that wait for this person’s decision, oldest first', pageInbox, {
    answers: page('SubscriptionDetail'),
  }),
];
