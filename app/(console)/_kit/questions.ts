// Every question of the console. What takes something away, or gives power, asks before it is done: its page tells what ends
// with it, with numbers, and the form carries a digest of what was shown.
import { type EnglishSentence, english } from '#lib/language/message.ts';
import { deleteApi, previewIntrospectionSecret, renewIntrospectionSecret } from '#lib/management/apis.ts';
import {
  deleteClient,
  disableClient,
  dropSecret,
  previewClientDeletion,
  previewClientDisabling,
  previewClientRevocation,
  previewSecretEnd,
  revokeClient,
} from '#lib/management/clients.ts';
import { type Consequences, consequencesOf, type Foreseen } from '#lib/management/consequences.ts';
import { deleteGroup, previewGroupDeletion } from '#lib/management/groups.ts';
import { previewKeyRetirement, retireSigningKey } from '#lib/management/keys.ts';
import { deleteAuthMethod } from '#lib/management/methods.ts';
import { operationName } from '#lib/management/operations.ts';
import {
  deletePerson,
  disablePerson,
  endSessionsOf,
  grantRole,
  type PersonStep,
  previewPersonStep,
  resetFactors,
  revokeRole,
} from '#lib/management/people.ts';
import { previewApiDeletion, previewAuthMethodDeletion } from '#lib/management/registry-preview.ts';
import { cancelSubscription, previewCancelling } from '#lib/management/subscriptions.ts';
import type { ConsoleActor } from '#lib/sessions/console.ts';
import { toSay } from '../_texts/to-say.ts';
import {
  type ConsoleForm,
  type Context,
  done,
  isUnanswered,
  type Outcome,
  path,
  shownOnce,
} from './console-form.ts';
import { endingWords, type NoticeId, revokedNotice } from './notices.ts';
import { Fields } from './posted.ts';

type QuestionWords = {
  /** `name`: of the object, as its own page shows it; `role`: of the console, where a role is given or taken */
  heading: (name: string, role: string) => EnglishSentence;
  lead: string;
  /** above the consequences */
  what?: string;
  submit: string;
  leave: string;
};

type Asked<Input extends object, Result> = QuestionWords & {
  run: (actor: ConsoleActor, input: Input & { version?: number }) => Promise<Result>;
  preview: (actor: ConsoleActor, input: Input) => Promise<Consequences>;
  read: (fields: Fields) => Input;
  page: (fields: Fields, context: Context) => string;
  outcome: (fields: Fields, context: Context, result: Result) => Outcome;
  /** where `run` only calls it */
  operation?: object;
};

export type Question = {
  words: QuestionWords;
  /** the operation that it asks before; null: a function that is no operation */
  operation: string | null;
  foresee: (actor: ConsoleActor, fields: Record<string, string | number>) => Promise<Consequences>;
  form: ConsoleForm;
};

function question<Input extends object, Result>({
  run,
  preview,
  read,
  page,
  outcome,
  operation = run,
  ...words
}: Asked<Input, Result>): Question {
  return {
    words,
    operation: operationName(operation),
    foresee: (actor, fields) =>
      preview(
        actor,
        read(new Fields(Object.entries(fields).map(([name, value]) => [name, String(value)] as const))),
      ),
    form: {
      page,
      run: async (actor, fields, context) => {
        const input = read(fields);
        if (isUnanswered(await preview(actor, input), fields)) return { kind: 'confirm' };
        const seen = fields.has('version') ? { version: fields.number('version') } : {};
        return outcome(fields, context, await run(actor, { ...input, ...seen }));
      },
    },
  };
}

/** Only numbers, which are shown and not agreed to. */
const numbersOnly = (counted: EnglishSentence[]): Foreseen => ({ ...consequencesOf(false), counted });

const idOf = (fields: Fields) => ({ id: fields.one('id') });
const clientOf = (fields: Fields) => ({ clientId: fields.one('clientId') });
const roleOf = (fields: Fields) => ({ ...idOf(fields), role: fields.one('role') });

/** The words of a form that leaves everything as it is. */
const LEAVE = toSay('Leave it as it is');

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

// Every question of the console: the operation, what it would end, and the words. questions.test.ts finds an operation
// that ends something and has none.

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
