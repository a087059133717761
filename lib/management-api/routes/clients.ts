// /clients: administrators have all of them, developers their own.
import { z } from 'zod';
import type { Actor } from '#lib/management/core/policy.ts';
import { changeClient, previewClientChange } from '#lib/management/registry/client-change.ts';
import { deleteClient, previewClientDeletion } from '#lib/management/registry/client-deletion.ts';
import { previewClientRevocation, revokeClient } from '#lib/management/registry/client-revocation.ts';
import { addSecret, dropSecret, rotateClientSecret } from '#lib/management/registry/client-secrets.ts';
import {
  createClient,
  disableClient,
  enableClient,
  pageClients,
  readClient,
} from '#lib/management/registry/clients.ts';
import { EXPLAINED_GRANTS, explainAccess } from '#lib/management/service/explanation.ts';
import { stepInEnglish } from '#lib/management/service/explanation-words.ts';
import { pageClientRequests, requestInEnglish } from '#lib/management/service/inspector.ts';
import { CLIENT_KINDS, checkedNewClient, newClient } from '#lib/registry/clients/client.ts';
import { changeOf } from '#lib/registry/fields/definition.ts';
import { one, page, type Route, routesFor } from '../route.ts';
import { breaks } from './in-english.ts';
import { activity, days, flag, paged, paging, search } from './inputs.ts';

const filter = z.strictObject({
  ...paged('clients'),
  ...search,
  own: flag.optional(),
  kind: z.enum(CLIENT_KINDS).optional(),
  state: activity,
  ...days('created'),
});
const change = changeOf(newClient.omit({ clientId: true, ownerEmail: true })).extend({
  ownerEmail: z.string().max(254).nullish(),
});
const overlap = z.strictObject({ overlapSeconds: z.int().optional() });

const see = routesFor('clients.see-all', 'clients.see-own');
const explain = routesFor('clients.see-all', 'clients.see-own', 'subscriptions.decide');
const create = routesFor('clients.create');
const manage = routesFor('clients.manage-all', 'clients.manage-own');
const manageAll = routesFor('clients.manage-all');

export const clientRoutes: Route[] = [
  see('GET /clients', 'Clients: all of them, or one’s own', pageClients, {
    query: filter,
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
  see('GET /clients/:client_id', 'One client', readClient, { answers: one('ClientDetail') }),
  manage(
    'PATCH /clients/:client_id',
    'Change a client; `returned_to_pending` lists the subscriptions that wait for approval again',
    changeClient,
    { body: change, version: 'required', answers: one('ChangedClient') },
  ),
  see(
    'POST /clients/:client_id/preview',
    'What a change would break; nothing is saved',
    breaks(previewClientChange),
    { body: change, answers: one('Consequences') },
  ),
  see(
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
  see(
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
  see(
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
