// The forms about people, their sessions and the signing keys.
import {
  changePerson,
  createPerson,
  deletePerson,
  disablePerson,
  enablePerson,
  endSession,
  endSessionsOf,
  grantRole,
  retireSigningKey,
  revokeRole,
  rotateSigningKeys,
  sendPasswordReset,
  setPassword,
} from '#lib/management/index.ts';
import type { Fields } from '../_forms/fields.ts';
import { type ConsoleForm, done, type Forms, path } from '../_forms/form.ts';
import type { NoticeId } from '../_forms/notices.ts';

type Actor = Parameters<ConsoleForm['run']>[0];

const page = (fields: Fields) => path('admin', 'users', fields.one('id'));

/** One thing done to one person, and back to their page. */
const toPerson = (
  act: (actor: Actor, fields: Fields, id: string) => Promise<unknown>,
  notice: NoticeId,
): ConsoleForm => ({
  page,
  run: async (actor, fields) => {
    await act(actor, fields, fields.one('id'));
    return done(page(fields), notice);
  },
});

export const peopleForms: Forms = {
  'person-create': {
    page: () => '/admin/users/new',
    run: async (actor, fields) => {
      const { id } = await createPerson(actor, {
        email: fields.one('email'),
        name: fields.one('name'),
        roles: fields.list('roles'),
      });
      return done(path('admin', 'users', id), 'person-created');
    },
  },
  'person-change': toPerson(
    (actor, fields, id) =>
      changePerson(actor, {
        id,
        version: fields.number('version'),
        name: fields.one('name'),
        email: fields.given('email'),
      }),
    'person-changed',
  ),
  'person-disable': toPerson((actor, _fields, id) => disablePerson(actor, { id }), 'person-disabled'),
  'person-enable': toPerson((actor, _fields, id) => enablePerson(actor, { id }), 'person-enabled'),
  'role-grant': toPerson(
    (actor, fields, id) => grantRole(actor, { id, role: fields.one('role') }),
    'role-granted',
  ),
  'role-revoke': toPerson(
    (actor, fields, id) => revokeRole(actor, { id, role: fields.one('role') }),
    'role-revoked',
  ),
  'person-password': toPerson(
    (actor, fields, id) => setPassword(actor, { id, password: fields.one('password') }),
    'password-set',
  ),
  'person-reset': toPerson((actor, _fields, id) => sendPasswordReset(actor, { id }), 'reset-sent'),
  'person-sessions': toPerson(
    (actor, _fields, id) => endSessionsOf(actor, { personId: id }),
    'sessions-ended',
  ),
  'person-delete': {
    page: (fields) => `${page(fields)}/delete`,
    run: async (actor, fields) => {
      await deletePerson(actor, { id: fields.one('id') });
      return done('/admin/users', 'person-deleted');
    },
  },
  'session-end': {
    page: () => '/admin/sessions',
    run: async (actor, fields) => {
      await endSession(actor, { id: fields.one('id') });
      const search = fields.given('search');
      return done(
        search ? `/admin/sessions?${new URLSearchParams({ search })}` : '/admin/sessions',
        'session-ended',
      );
    },
  },
  'key-rotate': {
    page: () => '/admin/keys',
    run: async (actor) => {
      await rotateSigningKeys(actor);
      return done('/admin/keys', 'key-rotated');
    },
  },
  'key-retire': {
    page: (fields) => path('admin', 'keys', fields.one('kid')),
    run: async (actor, fields) => {
      await retireSigningKey(actor, { kid: fields.one('kid') });
      return done('/admin/keys', 'key-retired');
    },
  },
};
