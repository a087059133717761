// The forms about people. Roles and deletions take a fresh sign-in, which the operations ask for.
import { done, type Forms, path } from '#app/(console)/_forms/form.ts';
import {
  changePerson,
  createPerson,
  deletePerson,
  disablePerson,
  enablePerson,
  endSession,
  endSessionsOf,
  grantRole,
  revokeRole,
  sendPasswordReset,
} from '#lib/management/index.ts';
import { ROLES } from '#lib/registry/index.ts';

export const personPath = (id: string, ...more: string[]) => path('admin', 'people', id, ...more);
const page = (fields: { one: (name: string) => string }) => personPath(fields.one('id'));

export const peopleForms: Forms = {
  'person-create': {
    page: () => '/admin/people/new',
    run: async (actor, fields) => {
      const { id } = await createPerson(actor, {
        email: fields.one('email'),
        name: fields.one('name'),
        roles: ROLES.filter((role) => fields.list('roles').includes(role)),
        // as it was typed: a password may begin with a space
        password: fields.one('password') || undefined,
      });
      return done(personPath(id), 'person-created');
    },
  },
  'person-change': {
    page,
    run: async (actor, fields) => {
      await changePerson(actor, {
        id: fields.one('id'),
        version: fields.number('version'),
        name: fields.one('name'),
        ...(fields.has('email') ? { email: fields.one('email') } : {}),
      });
      return done(page(fields), 'person-changed');
    },
  },
  'person-roles': {
    page: (fields) => `${page(fields)}#roles`,
    run: async (actor, fields) => {
      const id = fields.one('id');
      const grant = fields.given('grant');
      if (grant !== undefined) await grantRole(actor, { id, role: grant });
      else await revokeRole(actor, { id, role: fields.one('revoke') });
      return done(page(fields), grant === undefined ? 'role-revoked' : 'role-granted');
    },
  },
  'person-reset': {
    page,
    run: async (actor, fields) => {
      await sendPasswordReset(actor, { id: fields.one('id') });
      return done(page(fields), 'reset-sent');
    },
  },
  'person-session-end': {
    page,
    run: async (actor, fields) => {
      await endSession(actor, { id: fields.one('session') });
      return done(`${page(fields)}#sessions`, 'session-ended');
    },
  },
  'person-sessions-end': {
    page,
    run: async (actor, fields) => {
      await endSessionsOf(actor, { personId: fields.one('id') });
      return done(`${page(fields)}#sessions`, 'signed-out-everywhere');
    },
  },
  'person-disable': {
    page,
    run: async (actor, fields) => {
      await disablePerson(actor, { id: fields.one('id') });
      return done(page(fields), 'person-disabled');
    },
  },
  'person-enable': {
    page,
    run: async (actor, fields) => {
      await enablePerson(actor, { id: fields.one('id') });
      return done(page(fields), 'person-enabled');
    },
  },
  'person-delete': {
    page: (fields) => personPath(fields.one('id'), 'delete'),
    run: async (actor, fields) => {
      if (fields.one('confirmed') !== fields.one('id')) return { kind: 'confirm' };
      await deletePerson(actor, { id: fields.one('id') });
      return done('/admin/people', 'person-deleted');
    },
  },
};
