// Routes of clients: administrators see all clients, and developers see their own.

import { explainAccess } from '#lib/management/explanation.ts';
import { pageClientRequests } from '#lib/management/inspector.ts';
import { type Route, route } from '#lib/management-api/route.ts';
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
} from './operations.ts';

export const clientRoutes: Route[] = [
  route('GET /clients', 'List clients: all of them, or your own', pageClients),
  route(
    'POST /clients',
    'Create a client; the secret of a confidential client is returned once',
    createClient,
    {
      creates: '/clients/:client_id',
    },
  ),
  route('GET /clients/:client_id', 'Get a client', readClient),
  route(
    'PATCH /clients/:client_id',
    'Change a client; `returned_to_pending` lists the subscriptions that need approval again',
    changeClient,
    { version: 'required' },
  ),
  route(
    'POST /clients/:client_id/preview',
    'Preview the effects of a change; nothing is saved',
    previewClientChange,
  ),
  route(
    'GET /clients/:client_id/deletion',
    'Preview the effects of deleting a client',
    previewClientDeletion,
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
  ),
  route(
    'POST /clients/:client_id/revocation',
    'Revoke every token, consent and delegation of a client; the client stays registered and enabled',
    revokeClient,
  ),
  route('POST /clients/:client_id/disable', 'Disable a client immediately', disableClient),
  route('POST /clients/:client_id/enable', 'Enable a disabled client', enableClient),
  route('POST /clients/:client_id/secrets', 'Add a second secret; returned once', addSecret, {
    creates: true,
  }),
  route(
    'POST /clients/:client_id/secret-rotation',
    'Replace the secret; the new one is returned once, and the old one stops working immediately or after an overlap',
    rotateClientSecret,
    { creates: true },
  ),
  route('DELETE /clients/:client_id/secrets/:secret_id', 'Revoke a secret immediately', dropSecret),
  route(
    'GET /clients/:client_id/requests',
    'List the last requests to the authorize and token endpoints, with their errors',
    pageClientRequests,
  ),
  route(
    'POST /explanations',
    'Explain whether this client would get a token of an API, and its claims; no token is issued',
    explainAccess,
  ),
];
