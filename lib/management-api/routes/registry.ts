// /apis and /auth-methods: for administrators.
import { z } from 'zod';
import {
  changeApi,
  changeAuthMethod,
  createApi,
  createAuthMethod,
  deleteApi,
  deleteAuthMethod,
  pageApis,
  pageAuthMethods,
  previewApiChange,
  previewApiDeletion,
  previewAuthMethodChange,
  previewAuthMethodDeletion,
  readApi,
  readAuthMethod,
  renewIntrospectionSecret,
} from '#lib/management/index.ts';
import { api, authMethod, changeOf } from '#lib/registry/index.ts';
import { type Call, type Route, route } from '../route.ts';
import { paging, search } from './inputs.ts';

const apiChange = changeOf(api.omit({ id: true }));
const methodChange = changeOf(authMethod.omit({ id: true, type: true }));

const READ = { actions: ['registry.read'], status: 200 } as const;
const MANAGE = { actions: ['registry.manage'] } as const;
const idOf = ({ params }: Pick<Call, 'params'>) => ({ id: params['id'] ?? '' });
const withVersion = <Body extends { version: number }>(body: Body) => ({ body, version: body.version });
const list = z.strictObject({ ...paging, ...search });

export const registryRoutes: Route[] = [
  route({
    ...READ,
    method: 'GET',
    path: '/apis',
    summary: 'APIs',
    query: list,
    answers: { schema: 'Api', as: 'page' },
    run: async ({ actor, query }) => ({ body: await pageApis(actor, query) }),
  }),
  route({
    ...MANAGE,
    method: 'POST',
    path: '/apis',
    status: 201,
    summary: 'Create an API',
    body: api,
    answers: { schema: 'Api' },
    run: async ({ actor, body }) => {
      const made = await createApi(actor, body);
      return { ...withVersion(made), location: `/api/v1/apis/${made.id}` };
    },
  }),
  route({
    ...READ,
    method: 'GET',
    path: '/apis/:id',
    summary: 'One API',
    answers: { schema: 'Api' },
    run: async (call) => withVersion(await readApi(call.actor, idOf(call))),
  }),
  route({
    ...MANAGE,
    method: 'PATCH',
    path: '/apis/:id',
    status: 200,
    versioned: true,
    summary: 'Change an API',
    body: apiChange,
    answers: { schema: 'Api' },
    run: async (call) => {
      const { version = 0 } = call;
      return withVersion(await changeApi(call.actor, { ...call.body, ...idOf(call), version }));
    },
  }),
  route({
    ...READ,
    method: 'POST',
    path: '/apis/:id/preview',
    summary: 'What a change would break; nothing is saved',
    body: apiChange,
    answers: { schema: 'Consequences' },
    run: async (call) => ({
      body: await previewApiChange(call.actor, { ...call.body, ...idOf(call) }),
    }),
  }),
  route({
    ...READ,
    method: 'GET',
    path: '/apis/:id/deletion',
    summary: 'What deleting an API would break',
    answers: { schema: 'Consequences' },
    run: async (call) => ({ body: await previewApiDeletion(call.actor, idOf(call)) }),
  }),
  route({
    ...MANAGE,
    method: 'DELETE',
    path: '/apis/:id',
    status: 204,
    summary: 'Delete an API with what rests on it',
    run: async (call) => ({ body: await deleteApi(call.actor, { ...idOf(call), version: call.version }) }),
  }),
  route({
    ...MANAGE,
    method: 'POST',
    path: '/apis/:id/introspection-secret',
    status: 201,
    summary: 'A new credential for the API’s own introspection, answered once',
    answers: { schema: 'Secret' },
    run: async (call) => ({ body: await renewIntrospectionSecret(call.actor, idOf(call)) }),
  }),
  route({
    ...READ,
    method: 'GET',
    path: '/auth-methods',
    summary: 'Authentication methods',
    query: list,
    answers: { schema: 'AuthMethod', as: 'page' },
    run: async ({ actor, query }) => ({ body: await pageAuthMethods(actor, query) }),
  }),
  route({
    ...MANAGE,
    method: 'POST',
    path: '/auth-methods',
    status: 201,
    summary: 'Create an authentication method',
    body: authMethod,
    answers: { schema: 'AuthMethod' },
    run: async ({ actor, body }) => {
      const made = await createAuthMethod(actor, body);
      return { ...withVersion(made), location: `/api/v1/auth-methods/${made.id}` };
    },
  }),
  route({
    ...READ,
    method: 'GET',
    path: '/auth-methods/:id',
    summary: 'One authentication method; its secret is never shown',
    answers: { schema: 'AuthMethod' },
    run: async (call) => withVersion(await readAuthMethod(call.actor, idOf(call))),
  }),
  route({
    ...MANAGE,
    method: 'PATCH',
    path: '/auth-methods/:id',
    status: 200,
    versioned: true,
    summary: 'Change an authentication method; another provider forgets who signed in before',
    body: methodChange,
    answers: { schema: 'AuthMethod' },
    run: async (call) => {
      const { version = 0 } = call;
      return withVersion(await changeAuthMethod(call.actor, { ...call.body, ...idOf(call), version }));
    },
  }),
  route({
    ...READ,
    method: 'POST',
    path: '/auth-methods/:id/preview',
    summary: 'What a change would break; nothing is saved',
    body: methodChange,
    answers: { schema: 'Consequences' },
    run: async (call) => ({
      body: await previewAuthMethodChange(call.actor, { ...call.body, ...idOf(call) }),
    }),
  }),
  route({
    ...READ,
    method: 'GET',
    path: '/auth-methods/:id/deletion',
    summary: 'What deleting an authentication method would break',
    answers: { schema: 'Consequences' },
    run: async (call) => ({ body: await previewAuthMethodDeletion(call.actor, idOf(call)) }),
  }),
  route({
    ...MANAGE,
    method: 'DELETE',
    path: '/auth-methods/:id',
    status: 204,
    summary: 'Delete an authentication method with what rests on it',
    run: async (call) => ({
      body: await deleteAuthMethod(call.actor, { ...idOf(call), version: call.version }),
    }),
  }),
];
