// Routes of clients and subscriptions. /clients: administrators see all clients, developers see their own.
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
import { EXPLAINED_GRANTS, explainAccess, stepInEnglish } from '#lib/management/explanation.ts';
import { pageClientRequests, requestInEnglish } from '#lib/management/inspector.ts';
import type { Actor } from '#lib/management/policy.ts';
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
  routesFor,
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

const seeClients = routesFor('clients.see-all', 'clients.see-own');
const explain = routesFor('clients.see-all', 'clients.see-own', 'subscriptions.decide');
const create = routesFor('clients.create');
const manage = routesFor('clients.manage-all', 'clients.manage-own');
const manageAll = routesFor('clients.manage-all');

export const clientRoutes: Route[] = [
  seeClients('GET /clients', 'Clients: all of them, or one’s own', pageClients, {
    query: clientFilter,
    answers: page('Client'),
  }),
  create(
    'POST /clients',
    'Create a client; the secret of a confidential one is answered once',
    createClient,
    {
      body: checkedNewClient,
      answers: one('CreatedClient'),
      creates: '/clients/:client_id',
    },
  ),
  seeClients('GET /clients/:client_id', 'One client', readClient, { answers: one('ClientDetail') }),
  manage(
    'PATCH /clients/:client_id',
    'Change a client; `returned_to_pending` lists the subscriptions that wait for approval again',
    changeClient,
    { body: clientChange, version: 'required', answers: one('ChangedClient') },
  ),
  seeClients(
    'POST /clients/:client_id/preview',
    'What a change would break; nothing is saved',
    breaks(previewClientChange),
    { body: clientChange, answers: one('Consequences') },
  ),
  seeClients(
    'GET /clients/:client_id/deletion',
    'What deleting a client would break',
    breaks(previewClientDeletion),
    {
      answers: one('Consequences'),
    },
  ),
  manage('DELETE /clients/:client_id', 'Delete a client with what rests on it', deleteClient, {
    version: 'optional',
  }),
  seeClients(
    'GET /clients/:client_id/revocation',
    'What revoking all of a client would end',
    previewClientRevocation,
    {
      answers: one('ClientRevocation'),
    },
  ),
  manage(
    'POST /clients/:client_id/revocation',
    'End every token of a client, its consents and its delegations; it stays registered and enabled',
    revokeClient,
    { answers: one('ClientRevocation') },
  ),
  manage('POST /clients/:client_id/disable', 'Shut a client out at once', disableClient),
  manageAll('POST /clients/:client_id/enable', 'Let a disabled client in again', enableClient),
  manage('POST /clients/:client_id/secrets', 'A second secret beside the first; answered once', addSecret, {
    answers: one('Secret'),
    creates: true,
  }),
  manage(
    'POST /clients/:client_id/secret-rotation',
    'A new secret, answered once; the old one ends now, or after an overlap',
    rotateClientSecret,
    { body: overlap, answers: one('Secret'), creates: true },
  ),
  manage('DELETE /clients/:client_id/secrets/:secret_id', 'End one secret at once', dropSecret),
  seeClients(
    'GET /clients/:client_id/requests',
    'The last requests to the authorize and token addresses, with what went wrong',
    async (actor: Actor, input: Parameters<typeof pageClientRequests>[1]) => {
      const { rows, ...page } = await pageClientRequests(actor, input);
      return { ...page, rows: rows.map(requestInEnglish) };
    },
    {
      query: z.strictObject({ ...paging, failedOnly: flag.optional() }),
      answers: page('InspectedRequest'),
    },
  ),
  explain(
    'POST /explanations',
    'Which step would refuse this client a token of an API, or what the token would hold; nothing is given',
    async (actor: Actor, input: Parameters<typeof explainAccess>[1]) => {
      const { steps, ...answer } = await explainAccess(actor, input);
      return { ...answer, steps: steps.map(stepInEnglish) };
    },
    {
      body: z.strictObject({
        clientId: z.string().max(300),
        api: z.string().max(100),
        mine: z.literal(true).optional().describe('the caller’s own token'),
        email: z
          .string()
          .max(320)
          .optional()
          .describe('whose token, by address, user name, id or subject; left out: the client’s own'),
        authMethod: z
          .string()
          .max(100)
          .optional()
          .describe('default: the first of the API that the person has'),
        scope: z.string().max(2000).optional().describe('as the request would have it'),
        grantType: z
          .enum(EXPLAINED_GRANTS)
          .optional()
          .describe('default: authorization_code where email is given, client_credentials otherwise'),
        subjectApi: z
          .string()
          .max(100)
          .optional()
          .describe('of a token exchange: the API of the token that is exchanged; default: the same'),
        subjectClientId: z
          .string()
          .max(300)
          .optional()
          .describe('of a token exchange: the client that this token was given to; default: the same'),
        asActor: z
          .boolean()
          .optional()
          .describe('of a token exchange: the client names itself as the actor (delegation)'),
      }),
      answers: one('Explanation'),
    },
  ),
];

// /subscriptions, /inbox, /catalogue: asked for by developers, decided by approvers and administrators.

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
  unregistered: flag.optional().describe('of clients that no one registered here'),
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
  scopes: words.optional().describe('of an approval: the ceiling, among those that were asked for'),
  ...terms.shape,
});

const decisions = z.strictObject({
  action: z.enum(['approve', 'reject']),
  reason: z.string().max(5000).optional(),
  requests: z
    .array(
      // renaming covers the first level only
      z.strictObject({
        client_id: clientId,
        api,
        version: z.int().optional().describe('of what was seen; another one is not decided on'),
        scopes: words.optional().describe('of an approval: the ceiling'),
      }),
    )
    .max(MOST_AT_ONCE),
});

const seeSubscriptions = routesFor('subscriptions.see-all', 'subscriptions.see-own');
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
  seeSubscriptions(
    'GET /subscriptions',
    'Subscriptions: one’s own, or those one may decide on',
    pageSubscriptions,
    {
      query: subscriptionFilter,
      answers: page('Subscription'),
    },
  ),
  ask(
    'POST /subscriptions',
    'Ask for a subscription',
    async (actor, { trusted = false, machine = false, device = false, scopes = [], ...asked }) => ({
      state: await requestSubscription(actor, { ...asked, trusted, machine, device, scopes }),
    }),
    {
      body: subscriptionChange.extend({ clientId, api, message }),
      answers: one('State'),
      creates: '/subscriptions/:client_id/:api',
    },
  ),
  seeSubscriptions(
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
    { body: subscriptionChange.extend({ message }), version: 'required', answers: one('SubscriptionDetail') },
  ),
  ask(
    'POST /subscriptions/:client_id/:api/preview',
    'The state that a change would lead to; nothing is saved',
    previewSubscriptionChange,
    { body: subscriptionChange, answers: one('StateChange') },
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
