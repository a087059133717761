// Every question of the console: the operation, what it would end, and the words. questions.test.ts finds an operation
// that ends something and has none.
import {
  cancelSubscription,
  deleteApi,
  deleteAuthMethod,
  deleteClient,
  deletePerson,
  disableClient,
  disablePerson,
  dropSecret,
  endSessionsOf,
  grantRole,
  type PersonStep,
  previewApiDeletion,
  previewAuthMethodDeletion,
  previewCancelling,
  previewClientDeletion,
  previewClientDisabling,
  previewClientRevocation,
  previewIntrospectionSecret,
  previewKeyRetirement,
  previewPersonStep,
  previewSecretEnd,
  renewIntrospectionSecret,
  resetFactors,
  retireSigningKey,
  revokeClient,
  revokeRole,
} from '#lib/management/index.ts';
import type { ConsoleActor } from '#lib/sessions/index.ts';
import type { Fields } from './fields.ts';
import { type Context, done, path, shownOnce } from './form.ts';
import { type NoticeId, revokedNotice } from './notices.ts';
import { numbersOnly, question } from './question.ts';
import { endedWords } from './revoked-words.ts';

const idOf = (fields: Fields) => ({ id: fields.one('id') });
const clientOf = (fields: Fields) => ({ clientId: fields.one('clientId') });
const roleOf = (fields: Fields) => ({ ...idOf(fields), role: fields.one('role') });

/** The words of a form that leaves everything as it is. */
const LEAVE = 'Leave it as it is';

const personPage = (fields: Fields, ...below: string[]) =>
  path('admin', 'people', fields.one('id'), ...below);
const clientPage = (fields: Fields, { area }: Context, ...below: string[]) =>
  path(area, 'clients', fields.one('clientId'), ...below);
const apiPage = (fields: Fields, ...below: string[]) => path('admin', 'apis', fields.one('id'), ...below);

const foreseenOf = (step: PersonStep) => (actor: ConsoleActor, input: { id: string; role?: string }) =>
  previewPersonStep(actor, { ...input, step });

const onPerson = (step: PersonStep, notice: NoticeId) => ({
  preview: foreseenOf(step),
  page: (fields: Fields) =>
    personPage(fields, ...(fields.has('role') ? [`${step}-${fields.one('role')}`] : [step])),
  outcome: (fields: Fields) => done(personPage(fields), notice),
});

const onClient = (step: string, notice: NoticeId) => ({
  read: clientOf,
  page: (fields: Fields, context: Context) => clientPage(fields, context, step),
  outcome: (fields: Fields, context: Context) => done(clientPage(fields, context), notice),
});

export const QUESTIONS = {
  'person-delete': question({
    ...onPerson('delete', 'person-deleted'),
    run: deletePerson,
    read: idOf,
    outcome: () => done('/admin/people', 'person-deleted'),
    heading: (name) => `Delete ${name}?`,
    lead: 'There is no way back. To keep the account and stop it for now, disable it.',
    submit: 'Delete them for good',
    leave: 'Keep them',
  }),
  'person-disable': question({
    ...onPerson('disable', 'person-disabled'),
    run: disablePerson,
    read: idOf,
    heading: (name) => `Disable ${name}?`,
    lead: 'They cannot sign in anywhere until they are enabled again. Their account and what they allowed are kept.',
    submit: 'Disable them',
    leave: LEAVE,
  }),
  'person-sessions-end': question({
    ...onPerson('sign-out', 'signed-out-everywhere'),
    operation: endSessionsOf,
    run: (actor, { id }: { id: string }) => endSessionsOf(actor, { personId: id }),
    read: idOf,
    heading: (name) => `Sign ${name} out everywhere?`,
    lead: 'They may sign in again at once. To keep them out, disable them.',
    submit: 'Sign them out everywhere',
    leave: LEAVE,
  }),
  'person-reset-factors': question({
    ...onPerson('reset-factors', 'factors-reset'),
    run: resetFactors,
    read: idOf,
    heading: (name) => `Reset the second factors of ${name}?`,
    lead: 'For a person who lost them. Make sure that the request is really theirs: afterwards their password is enough.',
    submit: 'Reset factors',
    leave: LEAVE,
  }),
  'person-grant': question({
    ...onPerson('grant', 'role-granted'),
    run: grantRole,
    read: roleOf,
    heading: (name) => `Give ${name} this role?`,
    lead: 'It counts at once, where they are signed in, too.',
    what: 'What comes with it',
    submit: 'Grant the role',
    leave: LEAVE,
  }),
  'person-revoke': question({
    ...onPerson('revoke', 'role-revoked'),
    run: revokeRole,
    read: roleOf,
    heading: (name) => `Take this role from ${name}?`,
    lead: 'It counts at once. Their account and sign-ins stay.',
    submit: 'Take it back',
    leave: LEAVE,
  }),
  'client-delete': question({
    ...onClient('delete', 'client-deleted'),
    run: deleteClient,
    preview: previewClientDeletion,
    outcome: (_fields, { area }) =>
      done(area === 'admin' ? '/admin/clients' : '/developer', 'client-deleted'),
    heading: (name) => `Delete ${name}?`,
    lead: 'Its registration, secrets, subscriptions and consents go with it. There is no way back.',
    submit: 'Delete it for good',
    leave: 'Keep it',
  }),
  'client-revoke': question({
    ...onClient('revoke', 'client-changed'),
    run: revokeClient,
    preview: async (actor, input: { clientId: string }) =>
      numbersOnly([endedWords(await previewClientRevocation(actor, input))]),
    outcome: (fields, context, ended) => done(clientPage(fields, context), revokedNotice(ended)),
    heading: (name) => `Revoke everything that ${name} has?`,
    lead: 'It stays registered, with its subscriptions and secrets. The people who use it are asked for consent again, and a machine may ask for new tokens at once.',
    submit: 'Revoke all',
    leave: LEAVE,
  }),
  'client-disable': question({
    ...onClient('disable', 'client-disabled'),
    // an unregistered client is blocked on its own page, which tells the same
    page: (fields, context) => clientPage(fields, context, ...(fields.has('here') ? [] : ['disable'])),
    run: disableClient,
    preview: previewClientDisabling,
    heading: (name) => `Disable ${name}?`,
    lead: 'It gets nothing for any person until it is enabled again. Its registration is kept.',
    submit: 'Disable it',
    leave: LEAVE,
  }),
  'secret-drop': question({
    ...onClient('end-secret', 'secret-dropped'),
    run: dropSecret,
    preview: previewSecretEnd,
    read: (fields) => ({ ...clientOf(fields), secretId: fields.one('secretId') }),
    page: (fields, context) =>
      `${clientPage(fields, context, 'end-secret')}?${new URLSearchParams({ secret: fields.one('secretId') })}`,
    heading: (name) => `End a secret of ${name}?`,
    lead: 'Nobody can bring it back. Add the new one first, and put it where the application runs.',
    submit: 'End the secret',
    leave: 'Keep it',
  }),
  'subscription-cancel': question({
    run: cancelSubscription,
    preview: previewCancelling,
    read: (fields) => ({ ...clientOf(fields), api: fields.one('api') }),
    page: (fields, context) => clientPage(fields, context, 'apis', fields.one('api'), 'cancel'),
    outcome: (fields, context) =>
      done(clientPage(fields, context, 'apis', fields.one('api')), 'subscription-cancelled'),
    heading: (name) => `Unsubscribe from ${name}?`,
    lead: 'The subscription or the request for it ends. You may ask again.',
    submit: 'Unsubscribe',
    leave: 'Keep it',
  }),
  'api-delete': question({
    run: deleteApi,
    preview: previewApiDeletion,
    read: idOf,
    page: (fields) => apiPage(fields, 'delete'),
    outcome: () => done('/admin/apis', 'api-deleted'),
    heading: (name) => `Delete ${name}?`,
    lead: 'Its subscriptions, consents and tokens go with it. There is no way back.',
    submit: 'Delete it for good',
    leave: 'Keep it',
  }),
  'api-secret': question({
    run: renewIntrospectionSecret,
    preview: previewIntrospectionSecret,
    read: idOf,
    page: (fields) => apiPage(fields, 'credential'),
    outcome: (fields, _context, { secret }) =>
      shownOnce(
        'A new credential',
        [
          ['Name', fields.one('id')],
          ['Secret', secret],
        ],
        {
          message: '. The one before it has ended. The API sends it with HTTP Basic, its id as the name.',
          next: apiPage(fields),
        },
      ),
    heading: (name) => `A new credential for ${name}?`,
    lead: 'With it the API asks us about tokens (introspection), its id as the name. The one before it ends at once.',
    submit: 'Make a new one',
    leave: LEAVE,
  }),
  'method-delete': question({
    run: deleteAuthMethod,
    preview: previewAuthMethodDeletion,
    read: idOf,
    page: (fields) => path('admin', 'auth-methods', fields.one('id'), 'delete'),
    outcome: () => done('/admin/auth-methods', 'method-deleted'),
    heading: (name) => `Delete ${name}?`,
    lead: 'Its issuers and everything that was signed in with it go with it. There is no way back.',
    submit: 'Delete it for good',
    leave: 'Keep it',
  }),
  'key-retire': question({
    run: retireSigningKey,
    preview: previewKeyRetirement,
    read: (fields) => ({ kid: fields.one('kid') }),
    page: (fields) => path('admin', 'keys', fields.one('kid'), 'retire'),
    outcome: () => done('/admin/keys', 'key-retired'),
    heading: (name) => `Retire ${name}?`,
    lead: 'For a key that others may know. Otherwise rotate: that breaks nothing.',
    submit: 'Retire it now',
    leave: 'Keep it',
  }),
};

export type QuestionName = keyof typeof QUESTIONS;

/** The forms of these questions. */
export const formsOf = (...names: QuestionName[]) =>
  Object.fromEntries(names.map((name) => [name, QUESTIONS[name].form] as const));
