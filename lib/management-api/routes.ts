// Routes of the service itself, of connection tests and of search. This file lists every path of the management API,
// in the order of its OpenAPI document.
import { z } from 'zod';
import { inEnglish } from '#lib/language/words.ts';
import {
  changeApi,
  createApi,
  deleteApi,
  pageApis,
  readApi,
  renewIntrospectionSecret,
} from '#lib/management/apis.ts';
import { pageAudit } from '#lib/management/audit.ts';
import type { ConnectionTest } from '#lib/management/connection-steps.ts';
import { testAuditWebhook, testAuthMethod, testMail } from '#lib/management/connections.ts';
import { endMyDelegation, listMyDelegations } from '#lib/management/delegations.ts';
import { findAnything, inspectToken, isSecretText } from '#lib/management/find.ts';
import {
  addGroupMember,
  changeGroup,
  createGroup,
  deleteGroup,
  listPersonGroups,
  pageGroupMembers,
  pageGroups,
  readGroup,
  removeGroupMember,
  setPersonGroups,
} from '#lib/management/groups.ts';
import {
  approvePerson,
  invitePeople,
  pageInvitations,
  pageWaitingPeople,
  readWaitingPerson,
  rejectPerson,
  withdrawInvitation,
} from '#lib/management/invitations.ts';
import {
  listSigningKeys,
  previewKeyRetirement,
  retireSigningKey,
  rotateSigningKeys,
} from '#lib/management/keys.ts';
import { readApiLogo, readClientLogo, setApiLogo, setClientLogo } from '#lib/management/logos.ts';
import { sendPasswordReset } from '#lib/management/mail-links.ts';
import {
  changeAuthMethod,
  createAuthMethod,
  deleteAuthMethod,
  pageAuthMethods,
  readAuthMethod,
} from '#lib/management/methods.ts';
import {
  changeMyPassword,
  changeMyProfile,
  endMySession,
  endMySessions,
  listMyConsents,
  listMySessions,
  listMySignIns,
  readMyData,
  readMyProfile,
  readPersonData,
  withdrawConsent,
} from '#lib/management/my-account.ts';
import type { Terms } from '#lib/management/operations.ts';
import {
  changePerson,
  createPerson,
  deletePerson,
  disablePerson,
  enablePerson,
  endSession,
  endSessionsOf,
  grantRole,
  pagePeople,
  pageSessions,
  readPerson,
  resetFactors,
  revokeRole,
  setPassword,
} from '#lib/management/people.ts';
import { faultAt, faulty } from '#lib/management/refused.ts';
import {
  previewApiChange,
  previewApiDeletion,
  previewAuthMethodChange,
  previewAuthMethodDeletion,
} from '#lib/management/registry-preview.ts';
import { readOverview, readService } from '#lib/management/service.ts';
import { listExpiring, MOST_DAYS, markFirstDay, readFirstDay } from '#lib/management/upkeep.ts';
import { api } from '#lib/registry/api.ts';
import { authMethod } from '#lib/registry/auth-method.ts';
import { changeOf } from '#lib/registry/definition.ts';
import { group } from '#lib/registry/group.ts';
import { editablePerson, person, ROLES } from '#lib/registry/person.ts';
import { byProfileName } from '#lib/registry/profile.ts';
import { personName } from '#lib/registry/values.ts';
import { clientRoutes, subscriptionRoutes } from './client-routes.ts';
import {
  actionsOf,
  activity,
  breaks,
  days,
  flag,
  moment,
  name,
  one,
  page,
  pageQuery,
  paging,
  type Route,
  route,
  search,
  wholeList,
} from './route.ts';

// Routes of people and of the caller's own account. /people is for administrators. A person is identified by id,
// email address, user name or kept subject.

const peopleRoutes: Route[] = [
  route('GET /people', 'People', pagePeople, {
    query: z.strictObject({
      ...pageQuery('people'),
      ...search,
      role: z.enum(ROLES).optional(),
      state: activity,
      factors: z.enum(['some', 'none']).optional(),
      ...days('created', 'seen'),
    }),
    answers: page('Person'),
  }),
  route(
    'POST /people',
    'Create a person; without a password, the person gets a mail with a link to choose a password',
    createPerson,
    { body: person, answers: one('CreatedPerson'), creates: '/people/:id' },
  ),
  route(
    'POST /invitations',
    'Invite people: each address gets a link that creates an account, once',
    invitePeople,
    {
      body: z.strictObject({
        emails: z.array(z.string().max(1000)).min(1).max(500),
        authMethodId: z.string().max(63).optional(),
        name: personName.optional(),
      }),
      answers: wholeList('InvitationResult'),
    },
  ),
  route('GET /invitations', 'List invitations that have not been used', pageInvitations, {
    query: z.strictObject({ ...pageQuery('invitations'), ...search }),
    answers: page('Invitation'),
  }),
  route('DELETE /invitations/:id', 'Withdraw an invitation: its link no longer works', withdrawInvitation),
  route('GET /people/:id', 'Get a person', readPerson, { answers: one('PersonDetail') }),
  route(
    'GET /people/:id/data',
    'Export all data of a person in one file; requires a sign-in in the last 15 minutes',
    readPersonData,
    { answers: one('PersonData'), inPieces: true },
  ),
  route('PATCH /people/:id', 'Change a person’s name, address or user name', changePerson, {
    body: changeOf(editablePerson),
    version: 'required',
    answers: one('PersonDetail'),
  }),
  route('DELETE /people/:id', 'Delete a person with sessions, consents and tokens', deletePerson),
  route('POST /people/:id/disable', 'Disable a person, everywhere and immediately', disablePerson),
  route('POST /people/:id/enable', 'Enable a disabled person', enablePerson),
  route('PUT /people/:id/password', 'Set a password; ends the person’s sessions and tokens', setPassword, {
    body: z.strictObject({ password: z.string().max(1000) }),
  }),
  route(
    'POST /people/:id/password-reset',
    'Send a mail with a link to choose a new password',
    sendPasswordReset,
  ),
  route(
    'POST /people/:id/reset-factors',
    'Remove passkeys, authenticator app, recovery codes and trusted browsers; ends the person’s sessions and tokens',
    resetFactors,
    { answers: one('FactorReset') },
  ),
  route('PUT /people/:id/roles/:role', 'Give a person a role', grantRole),
  route('DELETE /people/:id/roles/:role', 'Take a role from a person', revokeRole),
  route(
    'DELETE /people/:id/sessions',
    'Sign a person out everywhere, and revoke the person’s tokens',
    (actor, { id }) => endSessionsOf(actor, { personId: id }),
    { operation: endSessionsOf },
  ),
  route('GET /registrations', 'List people who are waiting for an account, oldest first', pageWaitingPeople, {
    query: z.strictObject({ ...pageQuery('waiting'), ...search }),
    answers: page('WaitingPerson'),
  }),
  route('GET /registrations/:id', 'Get a person who is waiting for an account', readWaitingPerson, {
    answers: one('WaitingPerson'),
  }),
  route(
    'POST /registrations/:id/approval',
    'Accept a person: creates an account with the password that they chose',
    approvePerson,
    { answers: one('CreatedPerson') },
  ),
  route(
    'POST /registrations/:id/rejection',
    'Reject a person; the mail contains the reason, if there is one',
    rejectPerson,
    { body: z.strictObject({ reason: z.string().max(5000).optional() }) },
  ),
];

// /me: operations of all users on their own account.

const choice = z.string().max(4000).nullable().describe('null removes it');
const passwords = z.strictObject({ oldPassword: z.string().max(1000), password: z.string().max(1000) });

const accountRoutes: Route[] = [
  route('GET /me', 'Get my own account', readMyProfile, { answers: one('Profile') }),
  route('PATCH /me', 'Change my name, picture, language or time zone', changeMyProfile, {
    body: z.strictObject({ name, ...byProfileName(() => choice) }).partial(),
  }),
  route('PUT /me/password', 'Change my password; ends my sessions and refresh tokens', changeMyPassword, {
    body: passwords,
  }),
  route(
    'GET /me/data',
    'Export all data about me in one file; requires a sign-in in the last 15 minutes',
    readMyData,
    {
      answers: one('PersonData'),
      inPieces: true,
    },
  ),
  route('GET /me/sessions', 'List my sessions', listMySessions, { answers: wholeList('Session') }),
  route(
    'DELETE /me/sessions',
    'Sign out everywhere',
    (actor) => endMySessions(actor, { keepCurrent: false }),
    {
      operation: endMySessions,
    },
  ),
  route('DELETE /me/sessions/:id', 'End one of my sessions', endMySession),
  route('GET /me/consents', 'List my consents', listMyConsents, {
    answers: wholeList('Consent'),
  }),
  route(
    'DELETE /me/consents/:id',
    'Withdraw a consent; revokes the tokens that are based on this consent',
    withdrawConsent,
  ),
  route('GET /me/delegations', 'List the agents that can act in my name', listMyDelegations, {
    answers: wholeList('Delegation'),
  }),
  route(
    'DELETE /me/delegations/:id',
    'End a delegation; revokes the tokens that are based on this delegation',
    endMyDelegation,
  ),
  route('GET /me/sign-ins', 'List my recent sign-ins', listMySignIns, {
    query: z.strictObject(pageQuery('signIns')),
    answers: page('SignIn'),
  }),
];

// Routes of APIs, sign-in methods, groups and logos. /apis and /auth-methods are for administrators.

const apiChange = changeOf(api.omit({ id: true }));
const methodChange = changeOf(authMethod.omit({ id: true, type: true }));
const CHANGE_BREAKS = 'Preview the effects of a change; nothing is saved';

const registryRoutes: Route[] = [
  route('GET /apis', 'APIs', pageApis, {
    query: z.strictObject({ ...pageQuery('apis'), ...search }),
    answers: page('Api'),
  }),
  route('POST /apis', 'Create an API', createApi, {
    body: api,
    answers: one('Api'),
    creates: '/apis/:id',
  }),
  route('GET /apis/:id', 'Get an API', readApi, { answers: one('Api') }),
  route('PATCH /apis/:id', 'Change an API', changeApi, {
    body: apiChange,
    version: 'required',
    answers: one('Api'),
  }),
  route('POST /apis/:id/preview', CHANGE_BREAKS, previewApiChange, {
    shown: breaks,
    body: apiChange,
    answers: one('Consequences'),
  }),
  route('GET /apis/:id/deletion', 'Preview the effects of deleting an API', previewApiDeletion, {
    shown: breaks,
    answers: one('Consequences'),
  }),
  route('DELETE /apis/:id', 'Delete an API with its subscriptions and tokens', deleteApi, {
    version: 'optional',
  }),
  route(
    'POST /apis/:id/introspection-secret',
    'Create new introspection credentials for the API; returned once',
    renewIntrospectionSecret,
    { answers: one('Secret'), creates: true },
  ),
  route('GET /auth-methods', 'List the authentication methods', pageAuthMethods, {
    query: z.strictObject({ ...pageQuery('authMethods'), ...search }),
    answers: page('AuthMethod'),
  }),
  route('POST /auth-methods', 'Create an authentication method', createAuthMethod, {
    body: authMethod,
    answers: one('AuthMethod'),
    creates: '/auth-methods/:id',
  }),
  route(
    'GET /auth-methods/:id',
    'Get an authentication method; its secret is never returned',
    readAuthMethod,
    {
      answers: one('AuthMethod'),
    },
  ),
  route(
    'PATCH /auth-methods/:id',
    'Change an authentication method; with another provider, earlier sign-ins are forgotten',
    changeAuthMethod,
    { body: methodChange, version: 'required', answers: one('AuthMethod') },
  ),
  route('POST /auth-methods/:id/preview', CHANGE_BREAKS, previewAuthMethodChange, {
    shown: breaks,
    body: methodChange,
    answers: one('Consequences'),
  }),
  route(
    'GET /auth-methods/:id/deletion',
    'Preview the effects of deleting an authentication method',
    previewAuthMethodDeletion,
    { shown: breaks, answers: one('Consequences') },
  ),
  route(
    'DELETE /auth-methods/:id',
    'Delete an authentication method with its sessions and tokens',
    deleteAuthMethod,
    { version: 'optional' },
  ),
];

// /groups is for administrators.

const groupChange = changeOf(group.omit({ id: true }));

const groupRoutes: Route[] = [
  route('GET /groups', 'List groups of people', pageGroups, {
    query: z.strictObject({ ...pageQuery('groups'), ...search }),
    answers: page('Group'),
  }),
  route('POST /groups', 'Create a group', createGroup, {
    body: group,
    answers: one('Group'),
    creates: '/groups/:id',
  }),
  route('GET /groups/:id', 'Get a group', readGroup, { answers: one('Group') }),
  route('PATCH /groups/:id', 'Change the name or the rules of a group', changeGroup, {
    body: groupChange,
    version: 'required',
    answers: one('Group'),
  }),
  route('DELETE /groups/:id', 'Delete a group that no API uses', deleteGroup, {
    version: 'optional',
  }),
  route('GET /groups/:id/members', 'List the members of a group, and how they were added', pageGroupMembers, {
    query: z.strictObject({ ...paging, ...search }),
    answers: page('GroupMember'),
  }),
  route('PUT /groups/:id/members/:person', 'Add a person to a group manually', addGroupMember),
  route(
    'DELETE /groups/:id/members/:person',
    'Remove a manually added person from a group',
    removeGroupMember,
  ),
  route('GET /people/:id/groups', 'List the groups of a person, and how they were added', listPersonGroups, {
    answers: wholeList('PersonGroup'),
  }),
  route('PUT /people/:id/groups', 'Set the groups that a person is a manual member of', setPersonGroups, {
    body: z.strictObject({ groups: z.array(z.string().max(100)).max(1000) }),
  }),
];

// Logos of APIs and clients, as raw bytes.

type Called = Parameters<Route['run']>[0];
type Of = Pick<Route, 'path' | 'answers'> & {
  reads: { terms: Terms };
  changes: { terms: Terms };
  read: (call: Called) => Promise<unknown>;
  set: (call: Called, bytes: Buffer | null) => Promise<{ version: number }>;
};

function logoRoutes({ path, answers, reads, changes, read, set }: Of): Route[] {
  const plain = { path, query: null, body: null };
  const change = {
    ...plain,
    actions: actionsOf(changes),
    version: 'optional',
    ...(answers && { answers }),
  } as const;
  const changeLogo = async (call: Called, bytes: Buffer | null) => {
    const resource = await set(call, bytes);
    return { body: resource, version: resource.version };
  };
  return [
    {
      ...plain,
      method: 'GET',
      summary: 'Get the logo, as a WebP of at most 192 pixels per side',
      actions: actionsOf(reads),
      picture: 'given',
      run: async (call) => ({ body: await read(call) }),
    },
    {
      ...change,
      method: 'PUT',
      summary: 'Set the logo: a PNG, JPEG, WebP, GIF or SVG of at most 524,288 bytes',
      picture: 'taken',
      run: (call) => changeLogo(call, Buffer.isBuffer(call.body) ? call.body : Buffer.alloc(0)),
    },
    { ...change, method: 'DELETE', summary: 'Remove the logo', run: (call) => changeLogo(call, null) },
  ];
}

const versionOf = ({ version }: Called) => (version === undefined ? {} : { version });
const apiCalled = ({ params }: Called) => ({ id: params['id'] ?? '' });
const clientCalled = ({ params }: Called) => ({ clientId: params['client_id'] ?? '' });

const apiLogoRoutes = logoRoutes({
  path: '/apis/:id/logo',
  answers: one('Api'),
  reads: readApiLogo,
  changes: setApiLogo,
  read: (call) => readApiLogo(call.actor, apiCalled(call)),
  set: (call, logo) => setApiLogo(call.actor, { ...apiCalled(call), ...versionOf(call), logo }),
});

const clientLogoRoutes = logoRoutes({
  path: '/clients/:client_id/logo',
  answers: one('ClientDetail'),
  reads: readClientLogo,
  changes: setClientLogo,
  read: (call) => readClientLogo(call.actor, clientCalled(call)),
  set: (call, logo) => setClientLogo(call.actor, { ...clientCalled(call), ...versionOf(call), logo }),
});

// /overview, /service, /expiring, /first-day, /sessions, /keys, /audit: the state of the service.

const text = z.string().max(300).optional();
const sessionFilter = z.strictObject({
  ...pageQuery('sessions'),
  ...search,
  personId: text,
  kind: z.enum(['sign-in', 'console']).optional(),
});
const auditFilter = z.strictObject({
  ...pageQuery('audit'),
  event: text,
  actor: text,
  personId: text,
  clientId: text,
  apiId: text,
  requestId: text,
  since: moment.optional(),
  until: moment.optional(),
});

const expiringFilter = z.strictObject({
  own: flag.optional().describe('only of your own clients; default: all that you can see'),
  days: z.coerce.number().int().min(1).max(MOST_DAYS).default(90),
});
const serviceFilter = z.strictObject({
  elsewhere: flag.optional().describe('`true`: also calls verifiers, brokers and the service’s own pages'),
});

const operationRoutes: Route[] = [
  route(
    'GET /overview',
    'Count the pending requests and objects of this person',
    (actor) => readOverview(actor, { counts: true }),
    { operation: readOverview, answers: one('Overview') },
  ),
  route('GET /service', 'Get version, health, queues and settings', readService, {
    query: serviceFilter,
    answers: one('Service'),
  }),
  route(
    'GET /expiring',
    'List everything that expires, soonest first: all of it, or only of your own clients',
    listExpiring,
    { query: expiringFilter, answers: wholeList('Expiring') },
  ),
  route('GET /first-day', 'Get the checklist of the first day', readFirstDay, {
    answers: one('FirstDay'),
  }),
  route(
    'PUT /first-day/:step',
    'Mark a step as done that the service cannot detect',
    (actor, { step }) => markFirstDay(actor, { step, done: true }),
    { operation: markFirstDay },
  ),
  route(
    'DELETE /first-day/:step',
    'Mark a step as not done',
    (actor, { step }) => markFirstDay(actor, { step, done: false }),
    { operation: markFirstDay },
  ),
  route('GET /sessions', 'List the sessions of people', pageSessions, {
    query: sessionFilter,
    answers: page('Session'),
  }),
  route('DELETE /sessions/:id', 'End one session', endSession),
  route('GET /keys', 'Signing keys', listSigningKeys, { answers: wholeList('Key') }),
  route(
    'POST /keys/rotation',
    'Create a new key for every algorithm; each new key is published before it signs',
    rotateSigningKeys,
  ),
  route('GET /keys/:kid/retirement', 'Preview the effects of retiring a key', previewKeyRetirement, {
    shown: breaks,
    answers: one('Consequences'),
  }),
  route('DELETE /keys/:kid', 'Retire a key immediately, with its tokens', retireSigningKey),
  route('GET /audit', 'List audit events, newest first', pageAudit, {
    query: auditFilter,
    answers: page('AuditEvent'),
  }),
];

// Connection tests for administrators. The response is successful even if the connection is broken.

const answers = one('ConnectionTest');

const testInEnglish = ({ steps, ...test }: ConnectionTest) => ({
  ...test,
  steps: steps.map(({ check, found, change, ...step }) => ({
    ...step,
    check: inEnglish(check),
    found: inEnglish(found),
    change: change && inEnglish(change),
  })),
});

const connectionRoutes: Route[] = [
  route('POST /service/mail/test', 'Test the mail server, with a message to yourself', testMail, {
    answers,
    shown: testInEnglish,
  }),
  route(
    'POST /service/audit-webhook/test',
    'Test the audit webhook, with a signed event that is not stored',
    testAuditWebhook,
    { answers, shown: testInEnglish },
  ),
  route(
    'POST /auth-methods/:id/test',
    'Test the service behind a sign-in method with the steps of a sign-in; no person signs in',
    testAuthMethod,
    { answers, shown: testInEnglish },
  ),
];

// /find and /token-inspections: a search for any text, and an inspection of a token, as in the console. No URL
// contains a credential.

const findRoutes: Route[] = [
  route(
    'GET /find',
    'Find an id, email address, client, key, request or redirect host among everything that you can see',
    async (actor, { q }) => {
      if (isSecretText(q.trim())) throw faulty([faultAt('q', 'find.secret')]);
      return (await findAnything(actor, { text: q })).rows;
    },
    {
      operation: findAnything,
      query: z.strictObject({ q: z.string().min(1).max(4096) }),
      answers: wholeList('Found'),
    },
  ),
  route(
    'POST /token-inspections',
    'Inspect a token: its claims, its signing key and its validity; the token is not stored',
    inspectToken,
    { body: z.strictObject({ token: z.string().min(1).max(16_384) }), answers: one('TokenInspection') },
  ),
];

export const routes: readonly Route[] = [
  ...accountRoutes,
  ...clientRoutes,
  ...clientLogoRoutes,
  ...subscriptionRoutes,
  ...registryRoutes,
  ...apiLogoRoutes,
  ...groupRoutes,
  ...peopleRoutes,
  ...operationRoutes,
  ...findRoutes,
  ...connectionRoutes,
];
