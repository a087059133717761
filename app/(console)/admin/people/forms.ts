// The forms about people. What takes something from a person is a question (questions.ts).
import type { Fields } from '#app/(console)/_forms/fields.ts';
import { backWith, done, type Forms, path } from '#app/(console)/_forms/form.ts';
import { labelsOf } from '#app/(console)/_forms/labels.ts';
import { formsOf } from '#app/(console)/_forms/questions.ts';
import { readForm } from '#app/(console)/_forms/read-form.ts';
import { sendPasswordReset } from '#lib/management/people/mail-links.ts';
import { createPerson, enablePerson } from '#lib/management/people/people.ts';
import { changePerson, readPerson } from '#lib/management/people/people-view.ts';
import { endSession } from '#lib/management/people/sessions.ts';
import { formFields } from '#lib/registry/fields/form-fields.ts';
import { editablePerson, person } from '#lib/registry/objects/person.ts';
import type { ConsoleActor } from '#lib/sessions/console.ts';

export const personPath = (id: string, ...more: string[]) => path('admin', 'people', id, ...more);

const page = (fields: Fields) => personPath(fields.one('id'));
const sessionsPanel = (fields: Fields) => `${page(fields)}#sessions`;
const idOf = (fields: Fields) => ({ id: fields.one('id') });

/** Who has no address may go without one. */
async function changed(actor: ConsoleActor, fields: Fields) {
  const { email, ...given } = readForm(editablePerson, fields);
  const isLeftOut = email === '' && (await readPerson(actor, idOf(fields))).email === null;
  const person = isLeftOut ? given : { ...given, email };
  return changePerson(actor, { ...idOf(fields), version: fields.number('version'), ...person });
}

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
    ...backWith(page, 'person-changed', changed),
    labels: labelsOf(formFields(editablePerson)),
  },
  'person-reset': backWith(page, 'reset-sent', (actor, fields) => sendPasswordReset(actor, idOf(fields))),
  'person-session-end': backWith(sessionsPanel, 'session-ended', (actor, fields) =>
    endSession(actor, { id: fields.one('session') }),
  ),
  'person-enable': backWith(page, 'person-enabled', (actor, fields) => enablePerson(actor, idOf(fields))),
  ...formsOf(
    'person-grant',
    'person-revoke',
    'person-reset-factors',
    'person-sessions-end',
    'person-disable',
    'person-delete',
  ),
};
