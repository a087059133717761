// /clients: administrators have all of them, developers their own.
import { z } from 'zod';
import {
  addSecret,
  changeClient,
  createClient,
  deleteClient,
  disableClient,
  dropSecret,
  enableClient,
  pageClientRequests,
  pageClients,
  previewClientChange,
  previewClientDeletion,
  readClient,
  rotateClientSecret,
} from '#lib/management/index.ts';
import { CLIENT_KINDS, changeOf, checkedNewClient, newClient } from '#lib/registry/index.ts';
import { type Call, type Route, route } from '../route.ts';
import { activity, flag, paging, search } from './inputs.ts';

const change = changeOf(newClient.omit({ clientId: true, ownerEmail: true })).extend({
  ownerEmail: z.string().max(254).nullish(),
});

const SEE = { actions: ['clients.see-all', 'clients.see-own'], status: 200 } as const;
const MANAGE = { actions: ['clients.manage-all', 'clients.manage-own'] } as const;
const idOf = ({ params }: Pick<Call, 'params'>) => ({ clientId: params['client_id'] ?? '' });

export const clientRoutes: Route[] = [
  route({
    ...SEE,
    method: 'GET',
    path: '/clients',
    summary: 'Clients: all of them, or one’s own',
    query: z.strictObject({
      ...paging,
      ...search,
      own: flag.optional(),
      kind: z.enum(CLIENT_KINDS).optional(),
      state: activity,
    }),
    answers: { schema: 'Client', as: 'page' },
    run: async ({ actor, query }) => ({ body: await pageClients(actor, query) }),
  }),
  route({
    method: 'POST',
    path: '/clients',
    actions: ['clients.create'],
    status: 201,
    summary: 'Create a client; the secret of a confidential one is answered once',
    body: checkedNewClient,
    answers: { schema: 'CreatedClient' },
    run: async ({ actor, body }) => {
      const created = await createClient(actor, body);
      return { body: created, location: `/api/v1/clients/${encodeURIComponent(created.clientId)}` };
    },
  }),
  route({
    ...SEE,
    method: 'GET',
    path: '/clients/:client_id',
    summary: 'One client',
    answers: { schema: 'ClientDetail' },
    run: async (call) => {
      const body = await readClient(call.actor, idOf(call));
      return { body, version: body.version };
    },
  }),
  route({
    ...MANAGE,
    method: 'PATCH',
    path: '/clients/:client_id',
    status: 200,
    versioned: true,
    summary: 'Change a client; other redirect URIs send what is trusted back to pending',
    body: change,
    answers: { schema: 'ClientDetail' },
    run: async (call) => {
      const { actor, body: given, version = 0 } = call;
      const body = await changeClient(actor, { ...given, ...idOf(call), version });
      return { body, version: body.version };
    },
  }),
  route({
    ...SEE,
    method: 'POST',
    path: '/clients/:client_id/preview',
    summary: 'What a change would break; nothing is saved',
    body: change,
    answers: { schema: 'Consequences' },
    run: async (call) => ({ body: await previewClientChange(call.actor, { ...call.body, ...idOf(call) }) }),
  }),
  route({
    ...SEE,
    method: 'GET',
    path: '/clients/:client_id/deletion',
    summary: 'What deleting a client would break',
    answers: { schema: 'Consequences' },
    run: async (call) => ({ body: await previewClientDeletion(call.actor, idOf(call)) }),
  }),
  route({
    ...MANAGE,
    method: 'DELETE',
    path: '/clients/:client_id',
    status: 204,
    summary: 'Delete a client with what rests on it',
    run: async (call) => ({ body: await deleteClient(call.actor, { ...idOf(call), version: call.version }) }),
  }),
  route({
    ...MANAGE,
    method: 'POST',
    path: '/clients/:client_id/disable',
    status: 204,
    summary: 'Shut a client out at once',
    run: async (call) => ({ body: await disableClient(call.actor, idOf(call)) }),
  }),
  route({
    method: 'POST',
    path: '/clients/:client_id/enable',
    actions: ['clients.manage-all'],
    status: 204,
    summary: 'Let a disabled client in again',
    run: async (call) => ({ body: await enableClient(call.actor, idOf(call)) }),
  }),
  route({
    ...MANAGE,
    method: 'POST',
    path: '/clients/:client_id/secrets',
    status: 201,
    summary: 'A second secret beside the first; answered once',
    answers: { schema: 'Secret' },
    run: async (call) => ({ body: await addSecret(call.actor, idOf(call)) }),
  }),
  route({
    ...MANAGE,
    method: 'POST',
    path: '/clients/:client_id/secret-rotation',
    status: 201,
    summary: 'A new secret, answered once; the old one ends now, or after an overlap',
    body: z.strictObject({ overlapSeconds: z.int().optional() }),
    answers: { schema: 'Secret' },
    run: async (call) => ({ body: await rotateClientSecret(call.actor, { ...call.body, ...idOf(call) }) }),
  }),
  route({
    ...MANAGE,
    method: 'DELETE',
    path: '/clients/:client_id/secrets/:secret_id',
    status: 204,
    summary: 'End one secret at once',
    run: async (call) => {
      const secretId = call.params['secret_id'] ?? '';
      return { body: await dropSecret(call.actor, { ...idOf(call), secretId }) };
    },
  }),
  route({
    ...SEE,
    method: 'GET',
    path: '/clients/:client_id/requests',
    summary: 'The last requests to the authorize and token addresses, with what went wrong',
    query: z.strictObject({ ...paging, failedOnly: flag.optional() }),
    answers: { schema: 'InspectedRequest', as: 'page' },
    run: async (call) => ({ body: await pageClientRequests(call.actor, { ...call.query, ...idOf(call) }) }),
  }),
];
