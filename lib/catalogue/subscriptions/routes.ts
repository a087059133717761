// Routes of subscriptions, the catalogue and the inbox: developers request subscriptions, approvers and administrators
// decide.

import { listCatalogue } from '#lib/catalogue/apis/operations.ts';
import { type Route, route } from '#lib/management-api/route.ts';
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
} from './operations.ts';

export const subscriptionRoutes: Route[] = [
  route('GET /catalogue', 'List the APIs, with the subscription of a client to each', listCatalogue),
  route(
    'GET /subscriptions',
    'List subscriptions: your own, or those that you can decide on',
    pageSubscriptions,
  ),
  route('POST /subscriptions', 'Request a subscription', requestSubscription, {
    creates: '/subscriptions/:client_id/:api',
  }),
  route(
    'GET /subscriptions/:client_id/:api',
    'Get a subscription, with its history and the changes since its last approval',
    readSubscription,
  ),
  route(
    'PATCH /subscriptions/:client_id/:api',
    'Change scopes, trust, machine or device; a subscription with one of the last three needs approval again',
    changeSubscription,
    {
      version: 'required',
    },
  ),
  route(
    'POST /subscriptions/:client_id/:api/preview',
    'Preview the state after a change; nothing is saved',
    previewSubscriptionChange,
  ),
  route('DELETE /subscriptions/:client_id/:api', 'Delete a subscription', cancelSubscription),
  route(
    'POST /subscriptions/:client_id/:api/decision',
    'Approve, reject, suspend, resume or revoke a subscription; with If-Match, only if the subscription has not changed',
    decideSubscription,
    { version: 'optional' },
  ),
  route(
    'DELETE /subscriptions/:client_id/:api/decision',
    'Undo your own approval or rejection: within ten seconds, and before it is used',
    undoDecision,
    { version: 'optional' },
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
    },
  ),
  route(
    'PATCH /subscriptions/:client_id/:api/terms',
    'Set who can use the client at the API, and the duration of consent, after approval',
    changeTerms,
    { version: 'required' },
  ),
  route('GET /inbox', 'List the requests that wait for this person’s decision, oldest first', pageInbox),
];
