// Routes of APIs, sign-in methods, groups and logos. /apis and /auth-methods: for administrators.
import { z } from 'zod';
import {
  changeApi,
  createApi,
  deleteApi,
  pageApis,
  readApi,
  renewIntrospectionSecret,
} from '#lib/management/apis.ts';
import {
  addGroupMember,
  changeGroup,
  createGroup,
  deleteGroup,
  listPersonGroups,
  pageGroupMembers,
  pageGroups,
  readGroup,
  removeGroupMember,
  setPersonGroups,
} from '#lib/management/groups.ts';
import { readApiLogo, readClientLogo, setApiLogo, setClientLogo } from '#lib/management/logos.ts';
import {
  changeAuthMethod,
  createAuthMethod,
  deleteAuthMethod,
  pageAuthMethods,
  readAuthMethod,
} from '#lib/management/methods.ts';
import {
  previewApiChange,
  previewApiDeletion,
  previewAuthMethodChange,
  previewAuthMethodDeletion,
} from '#lib/management/registry-preview.ts';
import { api } from '#lib/registry/api.ts';
import { authMethod } from '#lib/registry/auth-method.ts';
import { changeOf } from '#lib/registry/definition.ts';
import { group } from '#lib/registry/group.ts';
import { breaks, one, page, paged, paging, type Route, routesFor, search, wholeList } from './route.ts';

const apiChange = changeOf(api.omit({ id: true }));
const methodChange = changeOf(authMethod.omit({ id: true, type: true }));
const CHANGE_BREAKS = 'What a change would break; nothing is saved';

const readRegistry = routesFor('registry.read');
const manageRegistry = routesFor('registry.manage');

export const registryRoutes: Route[] = [
  readRegistry('GET /apis', 'APIs', pageApis, {
    query: z.strictObject({ ...paged('apis'), ...search }),
    answers: page('Api'),
  }),
  manageRegistry('POST /apis', 'Create an API', createApi, {
    body: api,
    answers: one('Api'),
    creates: '/apis/:id',
  }),
  readRegistry('GET /apis/:id', 'One API', readApi, { answers: one('Api') }),
  manageRegistry('PATCH /apis/:id', 'Change an API', changeApi, {
    body: apiChange,
    version: 'required',
    answers: one('Api'),
  }),
  readRegistry('POST /apis/:id/preview', CHANGE_BREAKS, breaks(previewApiChange), {
    body: apiChange,
    answers: one('Consequences'),
  }),
  readRegistry('GET /apis/:id/deletion', 'What deleting an API would break', breaks(previewApiDeletion), {
    answers: one('Consequences'),
  }),
  manageRegistry('DELETE /apis/:id', 'Delete an API with what rests on it', deleteApi, {
    version: 'optional',
  }),
  manageRegistry(
    'POST /apis/:id/introspection-secret',
    'A new credential for the API’s own introspection, answered once',
    renewIntrospectionSecret,
    { answers: one('Secret'), creates: true },
  ),
  readRegistry('GET /auth-methods', 'Authentication methods', pageAuthMethods, {
    query: z.strictObject({ ...paged('authMethods'), ...search }),
    answers: page('AuthMethod'),
  }),
  manageRegistry('POST /auth-methods', 'Create an authentication method', createAuthMethod, {
    body: authMethod,
    answers: one('AuthMethod'),
    creates: '/auth-methods/:id',
  }),
  readRegistry(
    'GET /auth-methods/:id',
    'One authentication method; its secret is never shown',
    readAuthMethod,
    {
      answers: one('AuthMethod'),
    },
  ),
  manageRegistry(
    'PATCH /auth-methods/:id',
    'Change an authentication method; another provider forgets who signed in before',
    changeAuthMethod,
    { body: methodChange, version: 'required', answers: one('AuthMethod') },
  ),
  readRegistry('POST /auth-methods/:id/preview', CHANGE_BREAKS, breaks(previewAuthMethodChange), {
    body: methodChange,
    answers: one('Consequences'),
  }),
  readRegistry(
    'GET /auth-methods/:id/deletion',
    'What deleting an authentication method would break',
    breaks(previewAuthMethodDeletion),
    { answers: one('Consequences') },
  ),
  manageRegistry(
    'DELETE /auth-methods/:id',
    'Delete an authentication method with what rests on it',
    deleteAuthMethod,
    { version: 'optional' },
  ),
];

// /groups: for administrators.

const groupChange = changeOf(group.omit({ id: true }));
const readGroups = routesFor('groups.read');
const manageGroups = routesFor('groups.manage');

export const groupRoutes: Route[] = [
  readGroups('GET /groups', 'Groups of people', pageGroups, {
    query: z.strictObject({ ...paged('groups'), ...search }),
    answers: page('Group'),
  }),
  manageGroups('POST /groups', 'Create a group', createGroup, {
    body: group,
    answers: one('Group'),
    creates: '/groups/:id',
  }),
  readGroups('GET /groups/:id', 'One group', readGroup, { answers: one('Group') }),
  manageGroups('PATCH /groups/:id', 'Change the name or the rules of a group', changeGroup, {
    body: groupChange,
    version: 'required',
    answers: one('Group'),
  }),
  manageGroups('DELETE /groups/:id', 'Delete a group that no API names', deleteGroup, {
    version: 'optional',
  }),
  readGroups('GET /groups/:id/members', 'Who is in a group, and by what', pageGroupMembers, {
    query: z.strictObject({ ...paging, ...search }),
    answers: page('GroupMember'),
  }),
  manageGroups('PUT /groups/:id/members/:person', 'Put a person into a group by hand', addGroupMember),
  manageGroups(
    'DELETE /groups/:id/members/:person',
    'Take a person out who is in it by hand',
    removeGroupMember,
  ),
  readGroups('GET /people/:id/groups', 'In which groups a person is, and by what', listPersonGroups, {
    answers: wholeList('PersonGroup'),
  }),
  manageGroups('PUT /people/:id/groups', 'The groups that a person is in by hand', setPersonGroups, {
    body: z.strictObject({ groups: z.array(z.string().max(100)).max(1000) }),
  }),
];

// Logos as their bytes: of APIs and of clients.

type Called = Parameters<Route['run']>[0];
type Of = Pick<Route, 'path' | 'answers'> & {
  see: Route['actions'];
  manage: Route['actions'];
  read: (call: Called) => Promise<unknown>;
  set: (call: Called, bytes: Buffer | null) => Promise<{ version: number }>;
};

function logoRoutes({ path, answers, see, manage, read, set }: Of): Route[] {
  const plain = { path, query: null, body: null };
  const change = { ...plain, actions: manage, version: 'optional', ...(answers && { answers }) } as const;
  const changed = async (call: Called, bytes: Buffer | null) => {
    const made = await set(call, bytes);
    return { body: made, version: made.version };
  };
  return [
    {
      ...plain,
      method: 'GET',
      summary: 'Its logo, as a WebP of at most 192 pixels a side',
      actions: see,
      picture: 'given',
      run: async (call) => ({ body: await read(call) }),
    },
    {
      ...change,
      method: 'PUT',
      summary: 'Give it a logo: a PNG, JPEG, WebP, GIF or SVG of at most 524,288 bytes',
      picture: 'taken',
      run: (call) => changed(call, Buffer.isBuffer(call.body) ? call.body : Buffer.alloc(0)),
    },
    { ...change, method: 'DELETE', summary: 'Take its logo away', run: (call) => changed(call, null) },
  ];
}

const versionOf = ({ version }: Called) => (version === undefined ? {} : { version });
const apiCalled = ({ params }: Called) => ({ id: params['id'] ?? '' });
const clientCalled = ({ params }: Called) => ({ clientId: params['client_id'] ?? '' });

export const apiLogoRoutes = logoRoutes({
  path: '/apis/:id/logo',
  answers: one('Api'),
  see: ['registry.read'],
  manage: ['registry.manage'],
  read: (call) => readApiLogo(call.actor, apiCalled(call)),
  set: (call, logo) => setApiLogo(call.actor, { ...apiCalled(call), ...versionOf(call), logo }),
});

export const clientLogoRoutes = logoRoutes({
  path: '/clients/:client_id/logo',
  answers: one('ClientDetail'),
  see: ['clients.see-all', 'clients.see-own'],
  manage: ['clients.manage-all', 'clients.manage-own'],
  read: (call) => readClientLogo(call.actor, clientCalled(call)),
  set: (call, logo) => setClientLogo(call.actor, { ...clientCalled(call), ...versionOf(call), logo }),
});
