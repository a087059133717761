// /apis and /auth-methods: for administrators.
import { z } from 'zod';
import {
  changeApi,
  createApi,
  deleteApi,
  pageApis,
  readApi,
  renewIntrospectionSecret,
} from '#lib/management/registry/apis.ts';
import {
  changeAuthMethod,
  createAuthMethod,
  deleteAuthMethod,
  pageAuthMethods,
  readAuthMethod,
} from '#lib/management/registry/methods.ts';
import {
  previewApiChange,
  previewApiDeletion,
  previewAuthMethodChange,
  previewAuthMethodDeletion,
} from '#lib/management/registry/registry-preview.ts';
import { changeOf } from '#lib/registry/fields/definition.ts';
import { api } from '#lib/registry/objects/api.ts';
import { authMethod } from '#lib/registry/objects/auth-method.ts';
import { one, page, type Route, routesFor } from '../route.ts';
import { breaks } from './in-english.ts';
import { paged, search } from './inputs.ts';

const apiChange = changeOf(api.omit({ id: true }));
const methodChange = changeOf(authMethod.omit({ id: true, type: true }));
const CHANGE_BREAKS = 'What a change would break; nothing is saved';

const read = routesFor('registry.read');
const manage = routesFor('registry.manage');

export const registryRoutes: Route[] = [
  read('GET /apis', 'APIs', pageApis, {
    query: z.strictObject({ ...paged('apis'), ...search }),
    answers: page('Api'),
  }),
  manage('POST /apis', 'Create an API', createApi, {
    body: api,
    answers: one('Api'),
    creates: '/apis/:id',
  }),
  read('GET /apis/:id', 'One API', readApi, { answers: one('Api') }),
  manage('PATCH /apis/:id', 'Change an API', changeApi, {
    body: apiChange,
    version: 'required',
    answers: one('Api'),
  }),
  read('POST /apis/:id/preview', CHANGE_BREAKS, breaks(previewApiChange), {
    body: apiChange,
    answers: one('Consequences'),
  }),
  read('GET /apis/:id/deletion', 'What deleting an API would break', breaks(previewApiDeletion), {
    answers: one('Consequences'),
  }),
  manage('DELETE /apis/:id', 'Delete an API with what rests on it', deleteApi, { version: 'optional' }),
  manage(
    'POST /apis/:id/introspection-secret',
    'A new credential for the API’s own introspection, answered once',
    renewIntrospectionSecret,
    { answers: one('Secret'), creates: true },
  ),
  read('GET /auth-methods', 'Authentication methods', pageAuthMethods, {
    query: z.strictObject({ ...paged('authMethods'), ...search }),
    answers: page('AuthMethod'),
  }),
  manage('POST /auth-methods', 'Create an authentication method', createAuthMethod, {
    body: authMethod,
    answers: one('AuthMethod'),
    creates: '/auth-methods/:id',
  }),
  read('GET /auth-methods/:id', 'One authentication method; its secret is never shown', readAuthMethod, {
    answers: one('AuthMethod'),
  }),
  manage(
    'PATCH /auth-methods/:id',
    'Change an authentication method; another provider forgets who signed in before',
    changeAuthMethod,
    { body: methodChange, version: 'required', answers: one('AuthMethod') },
  ),
  read('POST /auth-methods/:id/preview', CHANGE_BREAKS, breaks(previewAuthMethodChange), {
    body: methodChange,
    answers: one('Consequences'),
  }),
  read(
    'GET /auth-methods/:id/deletion',
    'What deleting an authentication method would break',
    breaks(previewAuthMethodDeletion),
    { answers: one('Consequences') },
  ),
  manage(
    'DELETE /auth-methods/:id',
    'Delete an authentication method with what rests on it',
    deleteAuthMethod,
    { version: 'optional' },
  ),
];
