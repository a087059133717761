// Routes of sign-in methods, for administrators.

import { CHANGE_BREAKS, type Route, route } from '#lib/management-api/route.ts';
import {
  changeAuthMethod,
  createAuthMethod,
  deleteAuthMethod,
  pageAuthMethods,
  previewAuthMethodChange,
  previewAuthMethodDeletion,
  readAuthMethod,
} from './operations.ts';

export const methodRoutes: Route[] = [
  route('GET /auth-methods', 'List the authentication methods', pageAuthMethods),
  route('POST /auth-methods', 'Create an authentication method', createAuthMethod, {
    creates: '/auth-methods/:id',
  }),
  route(
    'GET /auth-methods/:id',
    'Get an authentication method; its secret is never returned',
    readAuthMethod,
  ),
  route(
    'PATCH /auth-methods/:id',
    'Change an authentication method; with another provider, earlier sign-ins are forgotten',
    changeAuthMethod,
    { version: 'required' },
  ),
  route('POST /auth-methods/:id/preview', CHANGE_BREAKS, previewAuthMethodChange),
  route(
    'GET /auth-methods/:id/deletion',
    'Preview the effects of deleting an authentication method',
    previewAuthMethodDeletion,
  ),
  route(
    'DELETE /auth-methods/:id',
    'Delete an authentication method with its sessions and tokens',
    deleteAuthMethod,
    { version: 'optional' },
  ),
];
