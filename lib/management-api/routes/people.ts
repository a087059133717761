// /people: for administrators. A person is named by id or by e-mail address.
import { z } from 'zod';
import {
  changePerson,
  createPerson,
  deletePerson,
  disablePerson,
  enablePerson,
  endSessionsOf,
  grantRole,
  pagePeople,
  readPerson,
  revokeRole,
  sendPasswordReset,
  setPassword,
} from '#lib/management/index.ts';
import { changeOf, person, ROLES } from '#lib/registry/index.ts';
import { type Call, type Route, route } from '../route.ts';
import { activity, paging, search } from './inputs.ts';

const READ = { actions: ['people.read'], status: 200 } as const;
const MANAGE = { actions: ['people.manage'], status: 204 } as const;

const refOf = ({ params }: Pick<Call, 'params'>) => ({ id: params['id'] ?? '' });
const roleOf = (call: Pick<Call, 'params'>) => ({
  ...refOf(call),
  role: call.params['role'] ?? '',
});

export const peopleRoutes: Route[] = [
  route({
    ...READ,
    method: 'GET',
    path: '/people',
    summary: 'People',
    query: z.strictObject({ ...paging, ...search, role: z.enum(ROLES).optional(), state: activity }),
    answers: { schema: 'Person', as: 'page' },
    run: async ({ actor, query }) => ({ body: await pagePeople(actor, query) }),
  }),
  route({
    actions: ['people.manage'],
    method: 'POST',
    path: '/people',
    status: 201,
    summary: 'Create a person; without a password they get a mail with which they choose one',
    body: person,
    answers: { schema: 'CreatedPerson' },
    run: async ({ actor, body }) => {
      const made = await createPerson(actor, body);
      return { body: made, location: `/api/v1/people/${made.id}` };
    },
  }),
  route({
    ...READ,
    method: 'GET',
    path: '/people/:id',
    summary: 'One person',
    answers: { schema: 'PersonDetail' },
    run: async (call) => {
      const body = await readPerson(call.actor, refOf(call));
      return { body, version: body.version };
    },
  }),
  route({
    actions: ['people.manage'],
    method: 'PATCH',
    path: '/people/:id',
    status: 200,
    versioned: true,
    summary: 'Change a person’s name or address',
    body: changeOf(person.pick({ name: true, email: true })),
    answers: { schema: 'PersonDetail' },
    run: async (call) => {
      const { version = 0 } = call;
      const body = await changePerson(call.actor, { ...call.body, ...refOf(call), version });
      return { body, version: body.version };
    },
  }),
  route({
    ...MANAGE,
    method: 'DELETE',
    path: '/people/:id',
    summary: 'Delete a person with sessions, consents and tokens',
    run: async (call) => ({ body: await deletePerson(call.actor, refOf(call)) }),
  }),
  route({
    ...MANAGE,
    method: 'POST',
    path: '/people/:id/disable',
    summary: 'Shut a person out, everywhere and at once',
    run: async (call) => ({ body: await disablePerson(call.actor, refOf(call)) }),
  }),
  route({
    ...MANAGE,
    method: 'POST',
    path: '/people/:id/enable',
    summary: 'Let a disabled person in again',
    run: async (call) => ({ body: await enablePerson(call.actor, refOf(call)) }),
  }),
  route({
    ...MANAGE,
    method: 'PUT',
    path: '/people/:id/password',
    summary: 'Set a password; ends the person’s sessions and tokens',
    body: z.strictObject({ password: z.string().max(1000) }),
    run: async (call) => ({ body: await setPassword(call.actor, { ...call.body, ...refOf(call) }) }),
  }),
  route({
    ...MANAGE,
    method: 'POST',
    path: '/people/:id/password-reset',
    summary: 'Send the mail with which they choose a new password',
    run: async (call) => ({ body: await sendPasswordReset(call.actor, refOf(call)) }),
  }),
  route({
    ...MANAGE,
    method: 'PUT',
    path: '/people/:id/roles/:role',
    summary: 'Give a role',
    run: async (call) => ({ body: await grantRole(call.actor, roleOf(call)) }),
  }),
  route({
    ...MANAGE,
    method: 'DELETE',
    path: '/people/:id/roles/:role',
    summary: 'Take a role',
    run: async (call) => ({ body: await revokeRole(call.actor, roleOf(call)) }),
  }),
  route({
    method: 'DELETE',
    path: '/people/:id/sessions',
    actions: ['sessions.end'],
    status: 204,
    summary: 'Sign a person out everywhere and end their tokens',
    run: async (call) => ({ body: await endSessionsOf(call.actor, { personId: refOf(call).id }) }),
  }),
];
