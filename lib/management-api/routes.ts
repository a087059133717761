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
  routesFor,
  search,
  wholeList,
} from './route.ts';

// Routes of people and of the caller's own account. /people is for administrators. A person is identified by id,
// email address, user name or kept subject.

const readPeople = routesFor('people.read');
const managePeople = routesFor('people.manage');
const decide = routesFor('people.decide');

const peopleRoutes: Route[] = [
  readPeople('GET /people', 'People', pagePeople, {
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
  managePeople(
    'POST /people',
    'Create a person; without a password, the person gets a mail with a link to choose a password',
    createPerson,
    { body: person, answers: one('CreatedPerson'), creates: '/people/:id' },
  ),
  managePeople(
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
  readPeople('GET /invitations', 'List invitations that have not been used', pageInvitations, {
    query: z.strictObject({ ...pageQuery('invitations'), ...search }),
    answers: page('Invitation'),
  }),
  managePeople(
    'DELETE /invitations/:id',
    'Withdraw an invitation: its link no longer works',
    withdrawInvitation,
  ),
  readPeople('GET /people/:id', 'Get a person', readPerson, { answers: one('PersonDetail') }),
  readPeople(
    'GET /people/:id/data',
    'Export all data of a person in one file; requires a sign-in in the last 15 minutes',
    readPersonData,
    { answers: one('PersonData'), inPieces: true },
  ),
  managePeople('PATCH /people/:id', 'Change a person’s name, address or user name', changePerson, {
    body: changeOf(editablePerson),
    version: 'required',
    answers: one('PersonDetail'),
  }),
  managePeople('DELETE /people/:id', 'Delete a person with sessions, consents and tokens', deletePerson),
  managePeople('POST /people/:id/disable', 'Disable a person, everywhere and immediately', disablePerson),
  managePeople('POST /people/:id/enable', 'Enable a disabled person', enablePerson),
  managePeople(
    'PUT /people/:id/password',
    'Set a password; ends the person’s sessions and tokens',
    setPassword,
    {
      body: z.strictObject({ password: z.string().max(1000) }),
    },
  ),
  managePeople(
    'POST /people/:id/password-reset',
    'Send a mail with a link to choose a new password',
    sendPasswordReset,
  ),
  managePeople(
    'POST /people/:id/reset-factors',
    'Remove passkeys, authenticator app, recovery codes and trusted browsers; ends the person’s sessions and tokens',
    resetFactors,
    { answers: one('FactorReset') },
  ),
  managePeople('PUT /people/:id/roles/:role', 'Give a person a role', grantRole),
  managePeople('DELETE /people/:id/roles/:role', 'Take a role from a person', revokeRole),
  routesFor('sessions.end')(
    'DELETE /people/:id/sessions',
    'Sign a person out everywhere, and revoke the person’s tokens',
    (actor, { id }) => endSessionsOf(actor, { personId: id }),
  ),
  decide(
    'GET /registrations',
    'List people who are waiting for an account, oldest first',
    pageWaitingPeople,
    {
      query: z.strictObject({ ...pageQuery('waiting'), ...search }),
      answers: page('WaitingPerson'),
    },
  ),
  decide('GET /registrations/:id', 'Get a person who is waiting for an account', readWaitingPerson, {
    answers: one('WaitingPerson'),
  }),
  decide(
    'POST /registrations/:id/approval',
    'Accept a person: creates an account with the password that they chose',
    approvePerson,
    { answers: one('CreatedPerson') },
  ),
  decide(
    'POST /registrations/:id/rejection',
    'Reject a person; the mail contains the reason, if there is one',
    rejectPerson,
    { body: z.strictObject({ reason: z.string().max(5000).optional() }) },
  ),
];

// /me: operations of all users on their own account.

const readOwn = routesFor('account.read');
const changeOwn = routesFor('account.change');
const choice = z.string().max(4000).nullable().describe('null removes it');
const passwords = z.strictObject({ oldPassword: z.string().max(1000), password: z.string().max(1000) });

const accountRoutes: Route[] = [
  readOwn('GET /me', 'Get my own account', readMyProfile, { answers: one('Profile') }),
  changeOwn('PATCH /me', 'Change my name, picture, language or time zone', changeMyProfile, {
    body: z.strictObject({ name, ...byProfileName(() => choice) }).partial(),
  }),
  changeOwn('PUT /me/password', 'Change my password; ends my sessions and refresh tokens', changeMyPassword, {
    body: passwords,
  }),
  readOwn(
    'GET /me/data',
    'Export all data about me in one file; requires a sign-in in the last 15 minutes',
    readMyData,
    {
      answers: one('PersonData'),
      inPieces: true,
    },
  ),
  readOwn('GET /me/sessions', 'List my sessions', listMySessions, { answers: wholeList('Session') }),
  changeOwn('DELETE /me/sessions', 'Sign out everywhere', (actor) =>
    endMySessions(actor, { keepCurrent: false }),
  ),
  changeOwn('DELETE /me/sessions/:id', 'End one of my sessions', endMySession),
  readOwn('GET /me/consents', 'List my consents', listMyConsents, {
    answers: wholeList('Consent'),
  }),
  changeOwn(
    'DELETE /me/consents/:id',
    'Withdraw a consent; revokes the tokens that are based on this consent',
    withdrawConsent,
  ),
  readOwn('GET /me/delegations', 'List the agents that can act in my name', listMyDelegations, {
    answers: wholeList('Delegation'),
  }),
  changeOwn(
    'DELETE /me/delegations/:id',
    'End a delegation; revokes the tokens that are based on this delegation',
    endMyDelegation,
  ),
  readOwn('GET /me/sign-ins', 'List my recent sign-ins', listMySignIns, {
    query: z.strictObject(pageQuery('signIns')),
    answers: page('SignIn'),
  }),
];

// Routes of APIs, sign-in methods, groups and logos. /apis and /auth-methods are for administrators.

const apiChange = changeOf(api.omit({ id: true }));
const methodChange = changeOf(authMethod.omit({ id: true, type: true }));
const CHANGE_BREAKS = 'Preview the effects of a change; nothing is saved';

const readRegistry = routesFor('registry.read');
const manageRegistry = routesFor('registry.manage');

const registryRoutes: Route[] = [
  readRegistry('GET /apis', 'APIs', pageApis, {
    query: z.strictObject({ ...pageQuery('apis'), ...search }),
    answers: page('Api'),
  }),
  manageRegistry('POST /apis', 'Create an API', createApi, {
    body: api,
    answers: one('Api'),
    creates: '/apis/:id',
  }),
  readRegistry('GET /apis/:id', 'Get an API', readApi, { answers: one('Api') }),
  manageRegistry('PATCH /apis/:id', 'Change an API', changeApi, {
    body: apiChange,
    version: 'required',
    answers: one('Api'),
  }),
  readRegistry('POST /apis/:id/preview', CHANGE_BREAKS, breaks(previewApiChange), {
    body: apiChange,
    answers: one('Consequences'),
  }),
  readRegistry(
    'GET /apis/:id/deletion',
    'Preview the effects of deleting an API',
    breaks(previewApiDeletion),
    {
      answers: one('Consequences'),
    },
  ),
  manageRegistry('DELETE /apis/:id', 'Delete an API with its subscriptions and tokens', deleteApi, {
    version: 'optional',
  }),
  manageRegistry(
    'POST /apis/:id/introspection-secret',
    'Create new introspection credentials for the API; returned once',
    renewIntrospectionSecret,
    { answers: one('Secret'), creates: true },
  ),
  readRegistry('GET /auth-methods', 'List the authentication methods', pageAuthMethods, {
    query: z.strictObject({ ...pageQuery('authMethods'), ...search }),
    answers: page('AuthMethod'),
  }),
  manageRegistry('POST /auth-methods', 'Create an authentication method', createAuthMethod, {
    body: authMethod,
    answers: one('AuthMethod'),
    creates: '/auth-methods/:id',
  }),
  readRegistry(
    'GET /auth-methods/:id',
    'Get an authentication method; its secret is never returned',
    readAuthMethod,
    {
      answers: one('AuthMethod'),
    },
  ),
  manageRegistry(
    'PATCH /auth-methods/:id',
    'Change an authentication method; with another provider, earlier sign-ins are forgotten',
    changeAuthMethod,
    { body: methodChange, version: 'required', answers: one('AuthMethod') },
  ),
  readRegistry('POST /auth-methods/:id/preview', CHANGE_BREAKS, breaks(previewAuthMethodChange), {
    body: methodChange,
    answers: one('Consequences'),
  }),
  readRegistry(
    'GET /auth-methods/:id/deletion',
    'Preview the effects of deleting an authentication method',
    breaks(previewAuthMethodDeletion),
    { answers: one('Consequences') },
  ),
  manageRegistry(
    'DELETE /auth-methods/:id',
    'Delete an authentication method with its sessions and tokens',
    deleteAuthMethod,
    { version: 'optional' },
  ),
];

// /groups is for administrators.

const groupChange = changeOf(group.omit({ id: true }));
const readGroups = routesFor('groups.read');
const manageGroups = routesFor('groups.manage');

const groupRoutes: Route[] = [
  readGroups('GET /groups', 'List groups of people', pageGroups, {
    query: z.strictObject({ ...pageQuery('groups'), ...search }),
    answers: page('Group'),
  }),
  manageGroups('POST /groups', 'Create a group', createGroup, {
    body: group,
    answers: one('Group'),
    creates: '/groups/:id',
  }),
  readGroups('GET /groups/:id', 'Get a group', readGroup, { answers: one('Group') }),
  manageGroups('PATCH /groups/:id', 'Change the name or the rules of a group', changeGroup, {
    body: groupChange,
    version: 'required',
    answers: one('Group'),
  }),
  manageGroups('DELETE /groups/:id', 'Delete a group that no API uses', deleteGroup, {
    version: 'optional',
  }),
  readGroups(
    'GET /groups/:id/members',
    'List the members of a group, and how they were added',
    pageGroupMembers,
    {
      query: z.strictObject({ ...paging, ...search }),
      answers: page('GroupMember'),
    },
  ),
  manageGroups('PUT /groups/:id/members/:person', 'Add a person to a group manually', addGroupMember),
  manageGroups(
    'DELETE /groups/:id/members/:person',
    'Remove a manually added person from a group',
    removeGroupMember,
  ),
  readGroups(
    'GET /people/:id/groups',
    'List the groups of a person, and how they were added',
    listPersonGroups,
    {
      answers: wholeList('PersonGroup'),
    },
  ),
  manageGroups(
    'PUT /people/:id/groups',
    'Set the groups that a person is a manual member of',
    setPersonGroups,
    {
      body: z.strictObject({ groups: z.array(z.string().max(100)).max(1000) }),
    },
  ),
];

// Logos of APIs and clients, as raw bytes.

type Called = Parameters<Route['run']>[0];
type Of = Pick<Route, 'path' | 'answers'> & {
  see: Route['actions'];
  manage: Route['actions'];
  read: (call: Called) => Promise<unknown>;
  set: (call: Called, bytes: Buffer | null) => Promise<{ version: number }>;
};

function logoRoutes({ path, answers, see, manage, read, set }: Of): Route[] {
  const plain = { path, query: null, body: null };
  const change = { ...plain, actions: manage, version: 'optional', ...(answers && { answers }) } as const;
  const changeLogo = async (call: Called, bytes: Buffer | null) => {
    const resource = await set(call, bytes);
    return { body: resource, version: resource.version };
  };
  return [
    {
      ...plain,
      method: 'GET',
      summary: 'Get the logo, as a WebP of at most 192 pixels per side',
      actions: see,
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
  see: ['registry.read'],
  manage: ['registry.manage'],
  read: (call) => readApiLogo(call.actor, apiCalled(call)),
  set: (call, logo) => setApiLogo(call.actor, { ...apiCalled(call), ...versionOf(call), logo }),
});

const clientLogoRoutes = logoRoutes({
  path: '/clients/:client_id/logo',
  answers: one('ClientDetail'),
  see: ['clients.see-all', 'clients.see-own'],
  manage: ['clients.manage-all', 'clients.manage-own'],
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

const readKeys = routesFor('keys.read');
const manageKeys = routesFor('keys.manage');

const operationRoutes: Route[] = [
  routesFor('account.read')(
    'GET /overview',
    'Count the pending requests and objects of this person',
    (actor) => readOverview(actor, { counts: true }),
    { answers: one('Overview') },
  ),
  routesFor('audit.read')('GET /service', 'Get version, health, queues and settings', readService, {
    query: serviceFilter,
    answers: one('Service'),
  }),
  routesFor('keys.read', 'clients.see-own')(
    'GET /expiring',
    'List everything that expires, soonest first: all of it, or only of your own clients',
    listExpiring,
    { query: expiringFilter, answers: wholeList('Expiring') },
  ),
  routesFor('audit.read')('GET /first-day', 'Get the checklist of the first day', readFirstDay, {
    answers: one('FirstDay'),
  }),
  routesFor('registry.manage')(
    'PUT /first-day/:step',
    'Mark a step as done that the service cannot detect',
    (actor, { step }) => markFirstDay(actor, { step, done: true }),
  ),
  routesFor('registry.manage')('DELETE /first-day/:step', 'Mark a step as not done', (actor, { step }) =>
    markFirstDay(actor, { step, done: false }),
  ),
  routesFor('sessions.read')('GET /sessions', 'List the sessions of people', pageSessions, {
    query: sessionFilter,
    answers: page('Session'),
  }),
  routesFor('sessions.end')('DELETE /sessions/:id', 'End one session', endSession),
  readKeys('GET /keys', 'Signing keys', listSigningKeys, { answers: wholeList('Key') }),
  manageKeys(
    'POST /keys/rotation',
    'Create a new key for every algorithm; each new key is published before it signs',
    rotateSigningKeys,
  ),
  readKeys(
    'GET /keys/:kid/retirement',
    'Preview the effects of retiring a key',
    breaks(previewKeyRetirement),
    {
      answers: one('Consequences'),
    },
  ),
  manageKeys('DELETE /keys/:kid', 'Retire a key immediately, with its tokens', retireSigningKey),
  routesFor('audit.read')('GET /audit', 'List audit events, newest first', pageAudit, {
    query: auditFilter,
    answers: page('AuditEvent'),
  }),
];

// Connection tests for administrators. The response is successful even if the connection is broken.

const test = routesFor('registry.manage');
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
  test(
    'POST /service/mail/test',
    'Test the mail server, with a message to yourself',
    async (actor) => testInEnglish(await testMail(actor)),
    { answers },
  ),
  test(
    'POST /service/audit-webhook/test',
    'Test the audit webhook, with a signed event that is not stored',
    async (actor) => testInEnglish(await testAuditWebhook(actor)),
    { answers },
  ),
  test(
    'POST /auth-methods/:id/test',
    'Test the service behind a sign-in method with the steps of a sign-in; no person signs in',
    async (actor, { id }) => testInEnglish(await testAuthMethod(actor, { id })),
    { answers },
  ),
];

// /find and /token-inspections: a search for any text, and an inspection of a token, as in the console. No URL
// contains a credential.

const find = routesFor('clients.see-all', 'clients.see-own', 'subscriptions.decide');

const findRoutes: Route[] = [
  find(
    'GET /find',
    'Find an id, email address, client, key, request or redirect host among everything that you can see',
    async (actor, { q }) => {
      if (isSecretText(q.trim())) throw faulty([faultAt('q', 'find.secret')]);
      return (await findAnything(actor, { text: q })).rows;
    },
    { query: z.strictObject({ q: z.string().min(1).max(4096) }), answers: wholeList('Found') },
  ),
  find(
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
