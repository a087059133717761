// Routes of the service itself, of connection tests and of search. This file lists every path of the management API,
// in the order of its OpenAPI document.
import { fromWire } from '#lib/kit/wire.ts';
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
import type { Actor } from '#lib/management/policy.ts';
import { faultAt, faulty } from '#lib/management/refused.ts';
import {
  previewApiChange,
  previewApiDeletion,
  previewAuthMethodChange,
  previewAuthMethodDeletion,
} from '#lib/management/registry-preview.ts';
import { readOverview, readService } from '#lib/management/service.ts';
import { listExpiring, markFirstDay, readFirstDay } from '#lib/management/upkeep.ts';
import { clientRoutes, subscriptionRoutes } from './client-routes.ts';
import { actionsOf, consequencesInEnglish, one, page, type Route, route, wholeList } from './route.ts';

// Routes of people and of the caller's own account. /people is for administrators. A person is identified by id,
// email address, user name or kept subject.

const peopleRoutes: Route[] = [
  route('GET /people', 'People', pagePeople, {
    answers: page('Person'),
  }),
  route(
    'POST /people',
    'Create a person; without a password, the person gets a mail with a link to choose a password',
    createPerson,
    { answers: one('CreatedPerson'), creates: '/people/:id' },
  ),
  route(
    'POST /invitations',
    'Invite people: each address gets a link that creates an account, once',
    invitePeople,
    {
      shown: (results) =>
        results.map(({ fault, ...result }) => ({ ...result, message: fault?.message ?? null })),
      answers: wholeList('InvitationResult'),
    },
  ),
  route('GET /invitations', 'List invitations that have not been used', pageInvitations, {
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
    version: 'required',
    answers: one('PersonDetail'),
  }),
  route('DELETE /people/:id', 'Delete a person with sessions, consents and tokens', deletePerson),
  route('POST /people/:id/disable', 'Disable a person, everywhere and immediately', disablePerson),
  route('POST /people/:id/enable', 'Enable a disabled person', enablePerson),
  route('PUT /people/:id/password', 'Set a password; ends the person’s sessions and tokens', setPassword),
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
    endSessionsOf,
    { given: ({ id }) => ({ personId: id }) },
  ),
  route('GET /registrations', 'List people who are waiting for an account, oldest first', pageWaitingPeople, {
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
  ),
];

// /me: operations of all users on their own account.

const accountRoutes: Route[] = [
  route('GET /me', 'Get my own account', readMyProfile, { answers: one('Profile') }),
  route('PATCH /me', 'Change my name, picture, language or time zone', changeMyProfile),
  route('PUT /me/password', 'Change my password; ends my sessions and refresh tokens', changeMyPassword),
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
  route('DELETE /me/sessions', 'Sign out everywhere', endMySessions, {
    given: () => ({ keepCurrent: false }),
  }),
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
    answers: page('SignIn'),
  }),
];

// Routes of APIs, sign-in methods, groups and logos. /apis and /auth-methods are for administrators.

const CHANGE_BREAKS = 'Preview the effects of a change; nothing is saved';

const registryRoutes: Route[] = [
  route('GET /apis', 'APIs', pageApis, {
    answers: page('Api'),
  }),
  route('POST /apis', 'Create an API', createApi, {
    answers: one('Api'),
    creates: '/apis/:id',
  }),
  route('GET /apis/:id', 'Get an API', readApi, { answers: one('Api') }),
  route('PATCH /apis/:id', 'Change an API', changeApi, {
    version: 'required',
    answers: one('Api'),
  }),
  route('POST /apis/:id/preview', CHANGE_BREAKS, previewApiChange, consequencesInEnglish),
  route(
    'GET /apis/:id/deletion',
    'Preview the effects of deleting an API',
    previewApiDeletion,
    consequencesInEnglish,
  ),
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
    answers: page('AuthMethod'),
  }),
  route('POST /auth-methods', 'Create an authentication method', createAuthMethod, {
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
    { version: 'required', answers: one('AuthMethod') },
  ),
  route('POST /auth-methods/:id/preview', CHANGE_BREAKS, previewAuthMethodChange, consequencesInEnglish),
  route(
    'GET /auth-methods/:id/deletion',
    'Preview the effects of deleting an authentication method',
    previewAuthMethodDeletion,
    consequencesInEnglish,
  ),
  route(
    'DELETE /auth-methods/:id',
    'Delete an authentication method with its sessions and tokens',
    deleteAuthMethod,
    { version: 'optional' },
  ),
];

// /groups is for administrators.

const groupRoutes: Route[] = [
  route('GET /groups', 'List groups of people', pageGroups, {
    answers: page('Group'),
  }),
  route('POST /groups', 'Create a group', createGroup, {
    answers: one('Group'),
    creates: '/groups/:id',
  }),
  route('GET /groups/:id', 'Get a group', readGroup, { answers: one('Group') }),
  route('PATCH /groups/:id', 'Change the name or the rules of a group', changeGroup, {
    version: 'required',
    answers: one('Group'),
  }),
  route('DELETE /groups/:id', 'Delete a group that no API uses', deleteGroup, {
    version: 'optional',
  }),
  route('GET /groups/:id/members', 'List the members of a group, and how they were added', pageGroupMembers, {
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
  route('PUT /people/:id/groups', 'Set the groups that a person is a manual member of', setPersonGroups),
];

// Logos of APIs and clients, as raw bytes.

type Logos<Ref> = Pick<Route, 'path' | 'answers'> & {
  reads: { (actor: Actor, ref: Ref): Promise<Buffer>; terms: Terms };
  changes: {
    (actor: Actor, input: Ref & { version?: number; logo: Buffer | null }): Promise<{ version: number }>;
    terms: Terms;
  };
};

function logoRoutes<Ref>({ path, answers, reads, changes }: Logos<Ref>): Route[] {
  const plain = { path, query: null, body: null };
  const change = {
    ...plain,
    actions: actionsOf(changes),
    version: 'optional',
    ...(answers && { answers }),
  } as const;
  const refOf = ({ params }: Called) => fromWire(params) as Ref;
  const changeLogo = async (call: Called, logo: Buffer | null) => {
    const { actor, version } = call;
    const body = await changes(actor, { ...refOf(call), ...(version !== undefined && { version }), logo });
    return { body, version: body.version };
  };
  return [
    {
      ...plain,
      method: 'GET',
      summary: 'Get the logo, as a WebP of at most 192 pixels per side',
      actions: actionsOf(reads),
      picture: 'given',
      run: async (call) => ({ body: await reads(call.actor, refOf(call)) }),
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
type Called = Parameters<Route['run']>[0];

const apiLogoRoutes = logoRoutes({
  path: '/apis/:id/logo',
  answers: one('Api'),
  reads: readApiLogo,
  changes: setApiLogo,
});

const clientLogoRoutes = logoRoutes({
  path: '/clients/:client_id/logo',
  answers: one('ClientDetail'),
  reads: readClientLogo,
  changes: setClientLogo,
});

// /overview, /service, /expiring, /first-day, /sessions, /keys, /audit: the state of the service.

const operationRoutes: Route[] = [
  route('GET /overview', 'Count the pending requests and objects of this person', readOverview, {
    given: () => ({ counts: true }),
    answers: one('Overview'),
  }),
  route('GET /service', 'Get version, health, queues and settings', readService, {
    answers: one('Service'),
  }),
  route(
    'GET /expiring',
    'List everything that expires, soonest first: all of it, or only of your own clients',
    listExpiring,
    { answers: wholeList('Expiring') },
  ),
  route('GET /first-day', 'Get the checklist of the first day', readFirstDay, {
    answers: one('FirstDay'),
  }),
  route('PUT /first-day/:step', 'Mark a step as done that the service cannot detect', markFirstDay, {
    given: ({ step }) => ({ step, done: true }),
  }),
  route('DELETE /first-day/:step', 'Mark a step as not done', markFirstDay, {
    given: ({ step }) => ({ step, done: false }),
  }),
  route('GET /sessions', 'List the sessions of people', pageSessions, {
    answers: page('Session'),
  }),
  route('DELETE /sessions/:id', 'End one session', endSession),
  route('GET /keys', 'Signing keys', listSigningKeys, { answers: wholeList('Key') }),
  route(
    'POST /keys/rotation',
    'Create a new key for every algorithm; each new key is published before it signs',
    rotateSigningKeys,
  ),
  route(
    'GET /keys/:kid/retirement',
    'Preview the effects of retiring a key',
    previewKeyRetirement,
    consequencesInEnglish,
  ),
  route('DELETE /keys/:kid', 'Retire a key immediately, with its tokens', retireSigningKey),
  route('GET /audit', 'List audit events, newest first', pageAudit, {
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
    findAnything,
    {
      given: ({ q }) => {
        if (isSecretText(q.trim())) throw faulty([faultAt('q', 'find.secret')]);
        return { text: q };
      },
      shown: ({ rows }) => rows,
      answers: wholeList('Found'),
    },
  ),
  route(
    'POST /token-inspections',
    'Inspect a token: its claims, its signing key and its validity; the token is not stored',
    inspectToken,
    { answers: one('TokenInspection') },
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
