// Confirmations of the console. An action that destroys something or grants privileges requires one: the page shows
// the consequences with numbers, and the form contains a digest of what was displayed.

import {
  deleteApi,
  previewApiDeletion,
  previewIntrospectionSecret,
  renewIntrospectionSecret,
} from '#lib/catalogue/apis/operations.ts';
import {
  deleteClient,
  disableClient,
  dropSecret,
  previewClientDeletion,
  previewClientDisabling,
  previewClientRevocation,
  previewSecretEnd,
  revokeClient,
} from '#lib/catalogue/clients/operations.ts';
import { deleteGroup, previewGroupDeletion } from '#lib/catalogue/groups/operations.ts';
import { deleteAuthMethod, previewAuthMethodDeletion } from '#lib/catalogue/methods/operations.ts';
import {
  deletePerson,
  disablePerson,
  endSessionsOf,
  grantRole,
  type PersonStep,
  previewPersonStep,
  resetFactors,
  revokeRole,
} from '#lib/catalogue/people/operations.ts';
import { cancelSubscription, previewCancelling } from '#lib/catalogue/subscriptions/operations.ts';
import { ownValue } from '#lib/kit/wire.ts';
import { type EnglishSentence, english } from '#lib/language/message.ts';
import { type Consequences, consequencesOf, type Foreseen } from '#lib/management/consequences.ts';
import { previewKeyRetirement, retireSigningKey } from '#lib/management/keys.ts';
import type { Terms } from '#lib/management/operations.ts';
import type { ConsoleActor } from '#lib/sessions/console.ts';
import { toSay } from '../_texts/to-say.ts';
import {
  type ConsoleForm,
  type Context,
  isUnanswered,
  type Outcome,
  path,
  pathOfEnding,
  redirectAfter,
  shownOnce,
} from './console-form.ts';
import { endingWords, type NoticeId, revokedNotice } from './notices.ts';
import { Fields } from './posted.ts';

type QuestionWords = {
  /** `name`: name of the object on its page. `role`: console role that is granted or revoked. */
  heading: (name: string, role: string) => EnglishSentence;
  lead: string;
  /** introductory text above the consequences */
  what?: string;
  submit: string;
  leave: string;
};

type Asked<Input extends object, Result> = QuestionWords & {
  run: { (actor: ConsoleActor, input: Input & { version?: number }): Promise<Result>; terms?: Terms };
  preview: (actor: ConsoleActor, input: Input) => Promise<Consequences>;
  read: (fields: Fields) => Input;
  page: (fields: Fields, context: Context) => string;
  outcome: (fields: Fields, context: Context, result: Result) => Outcome;
  /** the operation, if `run` only calls it */
  operation?: { terms?: Terms };
};

export type Question = {
  words: QuestionWords;
  /** Name of the operation; `null`: the question only shows numbers, which need no confirmation. */
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
    operation: operation.terms?.name ?? null,
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

/** Numbers only, displayed without confirmation. */
const numbersOnly = (counted: EnglishSentence[]): Foreseen => ({ ...consequencesOf(false), counted });

const idOf = (fields: Fields) => ({ id: fields.one('id') });
const clientOf = (fields: Fields) => ({ clientId: fields.one('clientId') });
const roleOf = (fields: Fields) => ({ ...idOf(fields), role: fields.one('role') });

/** Label of the cancel link. */
const LEAVE = toSay('Keep as it is');

const personPage = (fields: Fields, ...below: string[]) =>
  path('admin', 'people', fields.one('id'), ...below);
const clientPage = (fields: Fields, { area }: Context, ...below: string[]) =>
  path(area, 'clients', fields.one('clientId'), ...below);
const endingPage = (fields: Fields, { area }: Context) => pathOfEnding(area, fields.one('clientId'));
const apiPage = (fields: Fields, ...below: string[]) => path('admin', 'apis', fields.one('id'), ...below);

const foreseenOf = (step: PersonStep) => (actor: ConsoleActor, input: { id: string; role?: string }) =>
  previewPersonStep(actor, { ...input, step });

/** Tab of the person page with a link to the question. */
const PERSON_TABS: Readonly<Record<string, string>> = {
  grant: 'access',
  revoke: 'access',
  'sign-out': 'sign-in',
  'reset-factors': 'sign-in',
};

/** Page after a question about a person. `step`: last part of the page's address. */
export function personTab(id: string, step: string): string {
  const tab = ownValue(PERSON_TABS, step.replace(/^(grant|revoke)-.*$/, '$1'));
  return path('admin', 'people', id, ...(tab === undefined ? [] : [tab]));
}

const onPerson = (step: PersonStep, notice: NoticeId) => ({
  preview: foreseenOf(step),
  page: (fields: Fields) =>
    personPage(fields, ...(fields.has('role') ? [`${step}-${fields.one('role')}`] : [step])),
  outcome: (fields: Fields) => redirectAfter(personTab(fields.one('id'), step), notice),
});

const onClient = (step: string, notice: NoticeId) => ({
  read: clientOf,
  page: (fields: Fields, context: Context) => clientPage(fields, context, step),
  outcome: (fields: Fields, context: Context) => redirectAfter(clientPage(fields, context), notice),
});

// Every confirmation of the console: the operation, its consequences, and the texts. questions.test.ts fails if an
// operation with a dangerous name has no confirmation and no listed reason.

export const QUESTIONS = {
  'person-delete': question({
    ...onPerson('delete', 'person-deleted'),
    run: deletePerson,
    read: idOf,
    outcome: () => redirectAfter('/admin/people', 'person-deleted'),
    heading: (name) => english('Delete {name}?', { name }),
    lead: toSay('This cannot be undone. To keep the account but block it for now, disable it.'),
    submit: toSay('Delete person permanently'),
    leave: toSay('Keep person'),
  }),
  'person-disable': question({
    ...onPerson('disable', 'person-disabled'),
    run: disablePerson,
    read: idOf,
    heading: (name) => english('Disable {name}?', { name }),
    lead: toSay(
      'The person cannot sign in anywhere until they are enabled again. The account and its consents are kept.',
    ),
    submit: toSay('Disable person'),
    leave: LEAVE,
  }),
  'person-sessions-end': question({
    ...onPerson('sign-out', 'signed-out-everywhere'),
    operation: endSessionsOf,
    run: (actor, { id }: { id: string }) => endSessionsOf(actor, { personId: id }),
    read: idOf,
    heading: (name) => english('Sign {name} out everywhere?', { name }),
    lead: toSay('The person can sign in again immediately. To prevent that, disable the person.'),
    submit: toSay('Sign out everywhere'),
    leave: LEAVE,
  }),
  'person-reset-factors': question({
    ...onPerson('reset-factors', 'factors-reset'),
    run: resetFactors,
    read: idOf,
    heading: (name) => english('Reset the second factors of {name}?', { name }),
    lead: toSay(
      'For a person who lost their second factors. Verify that the request really comes from them: afterwards their password is enough to sign in.',
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
    lead: toSay('The role takes effect immediately, including in current sessions.'),
    what: toSay('What this role involves'),
    submit: toSay('Grant role'),
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
    lead: toSay('The change takes effect immediately. The account and its sign-ins stay.'),
    submit: toSay('Remove role'),
    leave: LEAVE,
  }),
  'client-delete': question({
    ...onClient('delete', 'client-deleted'),
    run: deleteClient,
    preview: previewClientDeletion,
    outcome: (_fields, { area }) =>
      redirectAfter(area === 'admin' ? '/admin/clients' : '/developer', 'client-deleted'),
    heading: (name) => english('Delete {name}?', { name }),
    lead: toSay(
      'The registration, secrets, subscriptions and consents are deleted as well. This cannot be undone.',
    ),
    submit: toSay('Delete permanently'),
    leave: toSay('Keep'),
  }),
  'client-revoke': question({
    ...onClient('revoke', 'client-changed'),
    run: revokeClient,
    preview: async (actor, input: { clientId: string }) =>
      numbersOnly([endingWords(await previewClientRevocation(actor, input))]),
    outcome: (fields, context, clientRevocation) =>
      redirectAfter(endingPage(fields, context), revokedNotice(clientRevocation)),
    heading: (name) => english('Revoke all access of {name}?', { name }),
    lead: toSay(
      'The application stays registered, with its subscriptions and secrets. Its users are asked for consent again, and a machine can request new tokens immediately.',
    ),
    submit: toSay('Revoke all'),
    leave: LEAVE,
  }),
  'client-disable': question({
    ...onClient('disable', 'client-disabled'),
    // an unregistered client is blocked on the page with its panel `ending`, which shows the same consequences; that
    // form contains the field `here`
    page: (fields, context) =>
      fields.has('here') ? endingPage(fields, context) : clientPage(fields, context, 'disable'),
    outcome: (fields, context) => redirectAfter(endingPage(fields, context), 'client-disabled'),
    run: disableClient,
    preview: previewClientDisabling,
    heading: (name) => english('Disable {name}?', { name }),
    lead: toSay(
      'The application gets no tokens for anyone until it is enabled again. Its registration is kept.',
    ),
    submit: toSay('Disable application'),
    leave: LEAVE,
  }),
  'secret-drop': question({
    ...onClient('end-secret', 'secret-dropped'),
    run: dropSecret,
    preview: previewSecretEnd,
    read: (fields) => ({ ...clientOf(fields), secretId: fields.one('secretId') }),
    page: (fields, context) =>
      `${clientPage(fields, context, 'end-secret')}?${new URLSearchParams({ secret: fields.one('secretId') })}`,
    heading: (name) => english('Revoke a secret of {name}?', { name }),
    lead: toSay('This cannot be undone. Add the new secret first, and deploy it to the application.'),
    submit: toSay('Revoke secret'),
    leave: toSay('Keep'),
  }),
  'subscription-cancel': question({
    run: cancelSubscription,
    preview: previewCancelling,
    read: (fields) => ({ ...clientOf(fields), api: fields.one('api') }),
    page: (fields, context) => clientPage(fields, context, 'apis', fields.one('api'), 'cancel'),
    outcome: (fields, context) =>
      redirectAfter(clientPage(fields, context, 'apis', fields.one('api')), 'subscription-cancelled'),
    heading: (name) => english('Unsubscribe from {name}?', { name }),
    lead: toSay('The subscription or the pending request ends. You can request the subscription again.'),
    submit: toSay('Unsubscribe'),
    leave: toSay('Keep'),
  }),
  'api-delete': question({
    run: deleteApi,
    preview: previewApiDeletion,
    read: idOf,
    page: (fields) => apiPage(fields, 'delete'),
    outcome: () => redirectAfter('/admin/apis', 'api-deleted'),
    heading: (name) => english('Delete {name}?', { name }),
    lead: toSay('The subscriptions, consents and tokens are deleted as well. This cannot be undone.'),
    submit: toSay('Delete permanently'),
    leave: toSay('Keep'),
  }),
  'api-secret': question({
    run: renewIntrospectionSecret,
    preview: previewIntrospectionSecret,
    read: idOf,
    page: (fields) => apiPage(fields, 'credential'),
    outcome: (fields, _context, { secret }) =>
      shownOnce(
        english('New credentials'),
        [
          [english('Name'), fields.one('id')],
          [english('Secret'), secret],
        ],
        {
          message: english(
            'Store the secret safely now: it is shown only once. The previous secret is no longer valid. The API sends the secret by HTTP Basic, with its id as the username.',
          ),
          next: apiPage(fields),
        },
      ),
    heading: (name) => english('Create new credentials for {name}?', { name }),
    lead: toSay(
      'The API uses these credentials for token introspection, with its id as the username. The previous secret stops working immediately.',
    ),
    submit: toSay('Create new credentials'),
    leave: LEAVE,
  }),
  'method-delete': question({
    run: deleteAuthMethod,
    preview: previewAuthMethodDeletion,
    read: idOf,
    page: (fields) => path('admin', 'auth-methods', fields.one('id'), 'delete'),
    outcome: () => redirectAfter('/admin/auth-methods', 'method-deleted'),
    heading: (name) => english('Delete {name}?', { name }),
    lead: toSay(
      'The method’s issuers and all sign-ins with them are deleted as well. This cannot be undone.',
    ),
    submit: toSay('Delete permanently'),
    leave: toSay('Keep'),
  }),
  'group-delete': question({
    run: deleteGroup,
    preview: previewGroupDeletion,
    read: idOf,
    page: (fields) => path('admin', 'groups', fields.one('id'), 'delete'),
    outcome: () => redirectAfter('/admin/groups', 'group-deleted'),
    heading: (name) => english('Delete {name}?', { name }),
    lead: toSay(
      'The group’s rules and its list of people are deleted as well; the people stay. This cannot be undone.',
    ),
    submit: toSay('Delete permanently'),
    leave: toSay('Keep'),
  }),
  'key-retire': question({
    run: retireSigningKey,
    preview: previewKeyRetirement,
    read: (fields) => ({ kid: fields.one('kid') }),
    page: (fields) => path('admin', 'keys', fields.one('kid'), 'retire'),
    outcome: () => redirectAfter('/admin/keys', 'key-retired'),
    heading: (name) => english('Retire {name}?', { name }),
    lead: toSay(
      'Only for a key that others may know. In all other cases rotate the key, which breaks nothing.',
    ),
    submit: toSay('Retire key'),
    leave: toSay('Keep'),
  }),
};

export type QuestionName = keyof typeof QUESTIONS;

/** The forms of the questions with these names. */
export const formsOf = (...names: QuestionName[]) =>
  Object.fromEntries(names.map((name) => [name, QUESTIONS[name].form] as const));
