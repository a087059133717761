// Every question of the console: the operation, what it would end, and the words. questions.test.ts finds an operation
// that ends something and has none.

import { english } from '#lib/language/message.ts';
import { deleteGroup, previewGroupDeletion } from '#lib/management/groups/groups.ts';
import { resetFactors } from '#lib/management/people/factor-reset.ts';
import { deletePerson, disablePerson, grantRole, revokeRole } from '#lib/management/people/people.ts';
import { endSessionsOf } from '#lib/management/people/sessions.ts';
import {
  deleteApi,
  previewIntrospectionSecret,
  renewIntrospectionSecret,
} from '#lib/management/registry/apis.ts';
import {
  deleteClient,
  previewClientDeletion,
  previewClientDisabling,
} from '#lib/management/registry/client-deletion.ts';
import { previewClientRevocation, revokeClient } from '#lib/management/registry/client-revocation.ts';
import { dropSecret, previewSecretEnd } from '#lib/management/registry/client-secrets.ts';
import { disableClient } from '#lib/management/registry/clients.ts';
import { previewKeyRetirement, retireSigningKey } from '#lib/management/registry/keys.ts';
import { deleteAuthMethod } from '#lib/management/registry/methods.ts';
import { previewApiDeletion, previewAuthMethodDeletion } from '#lib/management/registry/registry-preview.ts';
import { cancelSubscription, previewCancelling } from '#lib/management/subscriptions/subscriptions.ts';
import { toSay } from '../_texts/to-say.ts';
import { done, path, shownOnce } from './form.ts';
import { revokedNotice } from './notices.ts';
import {
  apiPage,
  clientOf,
  clientPage,
  idOf,
  LEAVE,
  numbersOnly,
  onClient,
  onPerson,
  question,
  roleOf,
} from './question.ts';
import { endingWords } from './revoked-words.ts';

export const QUESTIONS = {
  'person-delete': question({
    ...onPerson('delete', 'person-deleted'),
    run: deletePerson,
    read: idOf,
    outcome: () => done('/admin/people', 'person-deleted'),
    heading: (name) => english('Delete {name}?', { name }),
    lead: toSay('There is no way back. To keep the account and stop it for now, disable it.'),
    submit: toSay('Delete them for good'),
    leave: toSay('Keep them'),
  }),
  'person-disable': question({
    ...onPerson('disable', 'person-disabled'),
    run: disablePerson,
    read: idOf,
    heading: (name) => english('Disable {name}?', { name }),
    lead: toSay(
      'They cannot sign in anywhere until they are enabled again. Their account and what they allowed are kept.',
    ),
    submit: toSay('Disable them'),
    leave: LEAVE,
  }),
  'person-sessions-end': question({
    ...onPerson('sign-out', 'signed-out-everywhere'),
    operation: endSessionsOf,
    run: (actor, { id }: { id: string }) => endSessionsOf(actor, { personId: id }),
    read: idOf,
    heading: (name) => english('Sign {name} out everywhere?', { name }),
    lead: toSay('They may sign in again at once. To keep them out, disable them.'),
    submit: toSay('Sign them out everywhere'),
    leave: LEAVE,
  }),
  'person-reset-factors': question({
    ...onPerson('reset-factors', 'factors-reset'),
    run: resetFactors,
    read: idOf,
    heading: (name) => english('Reset the second factors of {name}?', { name }),
    lead: toSay(
      'For a person who lost them. Make sure that the request is really theirs: afterwards their password is enough.',
    ),
    submit: toSay('Reset factors'),
    leave: LEAVE,
  }),
  'person-grant': question({
    ...onPerson('grant', 'role-granted'),
    run: grantRole,
    read: roleOf,
    heading: (name, role) =>
      english(
        '{role, select, administrator {Make {name} an administrator?} approver {Make {name} an approver?} other {Make {name} a developer?}}',
        { name, role },
      ),
    lead: toSay('It counts at once, where they are signed in, too.'),
    what: toSay('What comes with it'),
    submit: toSay('Grant the role'),
    leave: LEAVE,
  }),
  'person-revoke': question({
    ...onPerson('revoke', 'role-revoked'),
    run: revokeRole,
    read: roleOf,
    heading: (name, role) =>
      english(
        '{role, select, administrator {Remove the administrator role from {name}?} approver {Remove the approver role from {name}?} other {Remove the developer role from {name}?}}',
        { name, role },
      ),
    lead: toSay('It counts at once. Their account and sign-ins stay.'),
    submit: toSay('Take it back'),
    leave: LEAVE,
  }),
  'client-delete': question({
    ...onClient('delete', 'client-deleted'),
    run: deleteClient,
    preview: previewClientDeletion,
    outcome: (_fields, { area }) =>
      done(area === 'admin' ? '/admin/clients' : '/developer', 'client-deleted'),
    heading: (name) => english('Delete {name}?', { name }),
    lead: toSay('Its registration, secrets, subscriptions and consents go with it. There is no way back.'),
    submit: toSay('Delete it for good'),
    leave: toSay('Keep it'),
  }),
  'client-revoke': question({
    ...onClient('revoke', 'client-changed'),
    run: revokeClient,
    preview: async (actor, input: { clientId: string }) =>
      numbersOnly([endingWords(await previewClientRevocation(actor, input))]),
    outcome: (fields, context, ended) => done(clientPage(fields, context), revokedNotice(ended)),
    heading: (name) => english('Revoke everything that {name} has?', { name }),
    lead: toSay(
      'It stays registered, with its subscriptions and secrets. The people who use it are asked for consent again, and a machine may ask for new tokens at once.',
    ),
    submit: toSay('Revoke all'),
    leave: LEAVE,
  }),
  'client-disable': question({
    ...onClient('disable', 'client-disabled'),
    // an unregistered client is blocked on its own page, which tells the same
    page: (fields, context) => clientPage(fields, context, ...(fields.has('here') ? [] : ['disable'])),
    run: disableClient,
    preview: previewClientDisabling,
    heading: (name) => english('Disable {name}?', { name }),
    lead: toSay('It gets nothing for any person until it is enabled again. Its registration is kept.'),
    submit: toSay('Disable it'),
    leave: LEAVE,
  }),
  'secret-drop': question({
    ...onClient('end-secret', 'secret-dropped'),
    run: dropSecret,
    preview: previewSecretEnd,
    read: (fields) => ({ ...clientOf(fields), secretId: fields.one('secretId') }),
    page: (fields, context) =>
      `${clientPage(fields, context, 'end-secret')}?${new URLSearchParams({ secret: fields.one('secretId') })}`,
    heading: (name) => english('End a secret of {name}?', { name }),
    lead: toSay('Nobody can bring it back. Add the new one first, and put it where the application runs.'),
    submit: toSay('End the secret'),
    leave: toSay('Keep it'),
  }),
  'subscription-cancel': question({
    run: cancelSubscription,
    preview: previewCancelling,
    read: (fields) => ({ ...clientOf(fields), api: fields.one('api') }),
    page: (fields, context) => clientPage(fields, context, 'apis', fields.one('api'), 'cancel'),
    outcome: (fields, context) =>
      done(clientPage(fields, context, 'apis', fields.one('api')), 'subscription-cancelled'),
    heading: (name) => english('Unsubscribe from {name}?', { name }),
    lead: toSay('The subscription or the request for it ends. You may ask again.'),
    submit: toSay('Unsubscribe'),
    leave: toSay('Keep it'),
  }),
  'api-delete': question({
    run: deleteApi,
    preview: previewApiDeletion,
    read: idOf,
    page: (fields) => apiPage(fields, 'delete'),
    outcome: () => done('/admin/apis', 'api-deleted'),
    heading: (name) => english('Delete {name}?', { name }),
    lead: toSay('Its subscriptions, consents and tokens go with it. There is no way back.'),
    submit: toSay('Delete it for good'),
    leave: toSay('Keep it'),
  }),
  'api-secret': question({
    run: renewIntrospectionSecret,
    preview: previewIntrospectionSecret,
    read: idOf,
    page: (fields) => apiPage(fields, 'credential'),
    outcome: (fields, _context, { secret }) =>
      shownOnce(
        english('A new credential'),
        [
          [english('Name'), fields.one('id')],
          [english('Secret'), secret],
        ],
        {
          message: english(
            'Keep the secret somewhere safe now: it is shown this once. The one before it has ended. The API sends it with HTTP Basic, its id as the name.',
          ),
          next: apiPage(fields),
        },
      ),
    heading: (name) => english('A new credential for {name}?', { name }),
    lead: toSay(
      'With it the API asks us about tokens (introspection), its id as the name. The one before it ends at once.',
    ),
    submit: toSay('Make a new one'),
    leave: LEAVE,
  }),
  'method-delete': question({
    run: deleteAuthMethod,
    preview: previewAuthMethodDeletion,
    read: idOf,
    page: (fields) => path('admin', 'auth-methods', fields.one('id'), 'delete'),
    outcome: () => done('/admin/auth-methods', 'method-deleted'),
    heading: (name) => english('Delete {name}?', { name }),
    lead: toSay('Its issuers and everything that was signed in with it go with it. There is no way back.'),
    submit: toSay('Delete it for good'),
    leave: toSay('Keep it'),
  }),
  'group-delete': question({
    run: deleteGroup,
    preview: previewGroupDeletion,
    read: idOf,
    page: (fields) => path('admin', 'groups', fields.one('id'), 'delete'),
    outcome: () => done('/admin/groups', 'group-deleted'),
    heading: (name) => english('Delete {name}?', { name }),
    lead: toSay('Its rules and its list of people go with it; the people stay. There is no way back.'),
    submit: toSay('Delete it for good'),
    leave: toSay('Keep it'),
  }),
  'key-retire': question({
    run: retireSigningKey,
    preview: previewKeyRetirement,
    read: (fields) => ({ kid: fields.one('kid') }),
    page: (fields) => path('admin', 'keys', fields.one('kid'), 'retire'),
    outcome: () => done('/admin/keys', 'key-retired'),
    heading: (name) => english('Retire {name}?', { name }),
    lead: toSay('For a key that others may know. Otherwise rotate: that breaks nothing.'),
    submit: toSay('Retire it now'),
    leave: toSay('Keep it'),
  }),
};

export type QuestionName = keyof typeof QUESTIONS;

/** The forms of these questions. */
export const formsOf = (...names: QuestionName[]) =>
  Object.fromEntries(names.map((name) => [name, QUESTIONS[name].form] as const));
