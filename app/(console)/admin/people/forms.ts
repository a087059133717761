// The forms about people. For roles and deletions the operations require a recent sign-in.
import type { Fields } from '#app/(console)/_forms/fields.ts';
import { backWith, done, type Forms, path } from '#app/(console)/_forms/form.ts';
import { labelsOf } from '#app/(console)/_forms/labels.ts';
import { readForm } from '#app/(console)/_forms/read-form.ts';
import {
  changePerson,
  createPerson,
  deletePerson,
  disablePerson,
  enablePerson,
  endSession,
  endSessionsOf,
  grantRole,
  resetFactors,
  revokeRole,
  sendPasswordReset,
} from '#lib/management/index.ts';
import { formFields, person } from '#lib/registry/index.ts';

export const personPath = (id: string, ...more: string[]) => path('admin', 'people', id, ...more);
/** What is changed on a person's page; roles have a form of their own. */
export const editablePerson = person.pick({ name: true, email: true });

const page = (fields: Fields) => personPath(fields.one('id'));
const sessionsPanel = (fields: Fields) => `${page(fields)}#sessions`;
const idOf = (fields: Fields) => ({ id: fields.one('id') });

export const peopleForms: Forms = {
  'person-create': {
    labels: labelsOf(formFields(person)),
    page: () => '/admin/people/new',
    run: async (actor, fields) => {
      const { id } = await createPerson(actor, readForm(person, fields));
      return done(personPath(id), 'person-created');
    },
  },
  'person-change': {
    ...backWith(page, 'person-changed', (actor, fields) =>
      changePerson(actor, {
        ...idOf(fields),
        version: fields.number('version'),
        ...readForm(editablePerson, fields),
      }),
    ),
    labels: labelsOf(formFields(editablePerson)),
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
  'person-reset': backWith(page, 'reset-sent', (actor, fields) => sendPasswordReset(actor, idOf(fields))),
  'person-reset-factors': {
    page: (fields) => `${page(fields)}#factors`,
    run: async (actor, fields) => {
      await resetFactors(actor, idOf(fields));
      return done(page(fields), 'factors-reset');
    },
  },
  'person-session-end': backWith(sessionsPanel, 'session-ended', (actor, fields) =>
    endSession(actor, { id: fields.one('session') }),
  ),
  'person-sessions-end': backWith(sessionsPanel, 'signed-out-everywhere', (actor, fields) =>
    endSessionsOf(actor, { personId: fields.one('id') }),
  ),
  'person-disable': backWith(page, 'person-disabled', (actor, fields) => disablePerson(actor, idOf(fields))),
  'person-enable': backWith(page, 'person-enabled', (actor, fields) => enablePerson(actor, idOf(fields))),
  'person-delete': {
    page: (fields) => personPath(fields.one('id'), 'delete'),
    run: async (actor, fields) => {
      if (fields.one('confirmed') !== fields.one('id')) return { kind: 'confirm' };
      await deletePerson(actor, idOf(fields));
      return done('/admin/people', 'person-deleted');
    },
  },
};
