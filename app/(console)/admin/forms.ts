// Forms of administrators for users, invitations, sessions and signing keys.
import {
  backWith,
  type Forms,
  path,
  redirectAfter,
  type ToldOnce,
} from '#app/(console)/_kit/console-form.ts';
import { type Labels, labelsOf, sentenceOf } from '#app/(console)/_kit/in-words.ts';
import { type Fields, readForm } from '#app/(console)/_kit/posted.ts';
import { formsOf } from '#app/(console)/_kit/questions.ts';
import { withQuery } from '#app/(console)/_kit/with-query.ts';
import { toSay } from '#app/(console)/_texts/to-say.ts';
import { editablePerson, type InvitationResult, person } from '#lib/catalogue/people/definition.ts';
import { type InvitedOne, invitePeople, withdrawInvitation } from '#lib/catalogue/people/invitations.ts';
import {
  changePerson,
  createPerson,
  enablePerson,
  endSession,
  readPerson,
} from '#lib/catalogue/people/operations.ts';
import { english } from '#lib/language/message.ts';
import { rotateSigningKeys } from '#lib/management/keys.ts';
import { sendPasswordReset } from '#lib/management/mail-links.ts';
import { formFields } from '#lib/registry/definition.ts';
import type { ConsoleActor } from '#lib/sessions/console.ts';

export const personPath = (id: string, ...more: string[]) => path('admin', 'people', id, ...more);

const pageOfPerson = (fields: Fields) => personPath(fields.one('id'));
const signInPage = (fields: Fields) => personPath(fields.one('id'), 'sign-in');
const idOf = (fields: Fields) => ({ id: fields.one('id') });

/** Saves the profile of a user. A user who has no address can be saved without one. */
async function changePersonByForm(actor: ConsoleActor, fields: Fields) {
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
      return redirectAfter(personPath(id), 'person-created');
    },
  },
  'person-change': {
    ...backWith(pageOfPerson, 'person-changed', changePersonByForm),
    labels: labelsOf(formFields(editablePerson)),
  },
  'person-reset': backWith(signInPage, 'reset-sent', (actor, fields) =>
    sendPasswordReset(actor, idOf(fields)),
  ),
  'person-session-end': backWith(signInPage, 'session-ended', (actor, fields) =>
    endSession(actor, { id: fields.one('session') }),
  ),
  'person-enable': backWith(pageOfPerson, 'person-enabled', (actor, fields) =>
    enablePerson(actor, idOf(fields)),
  ),
  ...formsOf(
    'person-grant',
    'person-revoke',
    'person-reset-factors',
    'person-sessions-end',
    'person-disable',
    'person-delete',
  ),
};

// Forms for invitations. The response lists each address with its result.

export const INVITE_LABELS = toSay({
  emails: { label: 'Addresses' },
  authMethodId: { label: 'The person signs in with' },
  name: { label: 'Name of the person' },
}) satisfies Labels;

export const INVITATIONS = '/admin/people/invitations';

/** Returns the typed addresses. They are separated by line breaks or commas. */
const addressesIn = (fields: Fields): string[] =>
  fields
    .one('emails')
    .split(/[\r\n,;]+/)
    .map((email) => email.trim())
    .filter((email) => email !== '');

const OUTCOMES: Readonly<Record<InvitationResult['outcome'], string>> = toSay({
  invited: 'Invited',
  'invited-again': 'Invited again: the previous link no longer works',
  'has-account': 'Already has an account that this method accepts',
  invalid: 'Not invited',
});

function resultOf({ outcome, fault }: InvitedOne): ToldOnce['values'][number][1] {
  const what = { text: OUTCOMES[outcome] };
  return fault === null ? what : { what, why: sentenceOf(fault) };
}

export const invitationForms: Forms = {
  invite: {
    labels: INVITE_LABELS,
    page: () => INVITATIONS,
    run: async (actor, fields) => {
      const results = await invitePeople(actor, {
        emails: addressesIn(fields),
        authMethodId: fields.text('authMethodId'),
        name: fields.text('name'),
      });
      const sent = results.filter(({ outcome }) => outcome.startsWith('invited')).length;
      return {
        kind: 'shown',
        shown: {
          heading: english('{sent} of {all} invited', { sent, all: results.length }),
          message: english('The mails are being sent, a few at a time.'),
          values: results.map((result) => [{ text: result.email }, resultOf(result)]),
          copied: false,
          next: { href: INVITATIONS, label: english('Back to invitations') },
        },
      };
    },
  },
  invitation: {
    page: () => INVITATIONS,
    run: async (actor, fields) => {
      const [id, email, authMethodId] = ['id', 'email', 'authMethodId'].map((name) => fields.one(name));
      if (fields.one('action') === 'withdraw') {
        await withdrawInvitation(actor, { id: id ?? '' });
        return redirectAfter(INVITATIONS, 'invitation-withdrawn');
      }
      const [result] = await invitePeople(actor, {
        emails: [email ?? ''],
        authMethodId,
        name: fields.one('name'),
      });
      return redirectAfter(
        INVITATIONS,
        result?.outcome === 'has-account' ? 'invitation-needless' : 'invitation-renewed',
      );
    },
  },
};

// Forms for sessions. They return to the list with the same filters.

const pageOfSessions = (fields: Fields) =>
  withQuery('/admin/sessions', {
    person: fields.one('person'),
    search: fields.one('search'),
    kind: fields.one('kind'),
  });

export const sessionForms: Forms = {
  'any-session-end': backWith(pageOfSessions, 'session-ended', (actor, fields) =>
    endSession(actor, { id: fields.one('id') }),
  ),
};

// Forms for signing keys. Their operations require a recent sign-in.

export const retirePath = (kid: string) => path('admin', 'keys', kid, 'retire');

export const keyForms: Forms = {
  'keys-rotate': backWith(() => '/admin/keys', 'key-rotated', rotateSigningKeys),
  ...formsOf('key-retire'),
};
