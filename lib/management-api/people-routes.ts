// Routes of people and of one’s own account. /people: for administrators. A person is named by id, e-mail address,
// user name or kept subject.
import { z } from 'zod';
import { endMyDelegation, listMyDelegations } from '#lib/management/delegations.ts';
import {
  approvePerson,
  invitePeople,
  pageInvitations,
  pageWaitingPeople,
  readWaitingPerson,
  rejectPerson,
  withdrawInvitation,
} from '#lib/management/invitations.ts';
import { sendPasswordReset } from '#lib/management/mail-links.ts';
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
  endSessionsOf,
  grantRole,
  pagePeople,
  readPerson,
  resetFactors,
  revokeRole,
  setPassword,
} from '#lib/management/people.ts';
import { changeOf } from '#lib/registry/definition.ts';
import { editablePerson, person, ROLES } from '#lib/registry/person.ts';
import { personName } from '#lib/registry/values.ts';
import { activity, days, name, one, page, paged, type Route, routesFor, search, wholeList } from './route.ts';

const readPeople = routesFor('people.read');
const managePeople = routesFor('people.manage');
const decide = routesFor('people.decide');

export const peopleRoutes: Route[] = [
  readPeople('GET /people', 'People', pagePeople, {
    query: z.strictObject({
      ...paged('people'),
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
    'Create a person; without a password they get a mail with which they choose one',
    createPerson,
    { body: person, answers: one('CreatedPerson'), creates: '/people/:id' },
  ),
  managePeople(
    'POST /invitations',
    'Invite people: each address gets a link that makes an account, once',
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
  readPeople('GET /invitations', 'Invitations that nobody has used', pageInvitations, {
    query: z.strictObject({ ...paged('invitations'), ...search }),
    answers: page('Invitation'),
  }),
  managePeople(
    'DELETE /invitations/:id',
    'Withdraw an invitation: its link no longer works',
    withdrawInvitation,
  ),
  readPeople('GET /people/:id', 'One person', readPerson, { answers: one('PersonDetail') }),
  readPeople(
    'GET /people/:id/data',
    'All that is kept of a person, in one file; takes a sign-in of the last 15 minutes',
    readPersonData,
    { answers: one('PersonData'), inPieces: true },
  ),
  managePeople('PATCH /people/:id', 'Change a person’s name, address or user name', changePerson, {
    body: changeOf(editablePerson),
    version: 'required',
    answers: one('PersonDetail'),
  }),
  managePeople('DELETE /people/:id', 'Delete a person with sessions, consents and tokens', deletePerson),
  managePeople('POST /people/:id/disable', 'Shut a person out, everywhere and at once', disablePerson),
  managePeople('POST /people/:id/enable', 'Let a disabled person in again', enablePerson),
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
    'Send the mail with which they choose a new password',
    sendPasswordReset,
  ),
  managePeople(
    'POST /people/:id/reset-factors',
    'Take away passkeys, authenticator app, recovery codes and trusted browsers; ends the person’s sessions and tokens',
    resetFactors,
    { answers: one('FactorReset') },
  ),
  managePeople('PUT /people/:id/roles/:role', 'Give a role', grantRole),
  managePeople('DELETE /people/:id/roles/:role', 'Take a role', revokeRole),
  routesFor('sessions.end')(
    'DELETE /people/:id/sessions',
    'Sign a person out everywhere and end their tokens',
    (actor, { id }) => endSessionsOf(actor, { personId: id }),
  ),
  decide('GET /registrations', 'Who waits for an account, the oldest first', pageWaitingPeople, {
    query: z.strictObject({ ...paged('waiting'), ...search }),
    answers: page('WaitingPerson'),
  }),
  decide('GET /registrations/:id', 'One of them', readWaitingPerson, { answers: one('WaitingPerson') }),
  decide(
    'POST /registrations/:id/approval',
    'Let them in: an account with the password that they chose',
    approvePerson,
    { answers: one('CreatedPerson') },
  ),
  decide(
    'POST /registrations/:id/rejection',
    'Reject them; the mail says why, where a reason is given',
    rejectPerson,
    { body: z.strictObject({ reason: z.string().max(5000).optional() }) },
  ),
];

// /me: what everybody may with their own.

const readOwn = routesFor('account.read');
const changeOwn = routesFor('account.change');
const choice = z.string().max(4000).nullable().describe('null takes it away');
const passwords = z.strictObject({ oldPassword: z.string().max(1000), password: z.string().max(1000) });

export const accountRoutes: Route[] = [
  readOwn('GET /me', 'Who I am', readMyProfile, { answers: one('Profile') }),
  changeOwn('PATCH /me', 'Change my name, picture, language or time zone', changeMyProfile, {
    body: z.strictObject({ name, picture: choice, locale: choice, zoneinfo: choice }).partial(),
  }),
  changeOwn('PUT /me/password', 'Change my password; ends my sessions and refresh tokens', changeMyPassword, {
    body: passwords,
  }),
  readOwn(
    'GET /me/data',
    'All that is kept of me, in one file; takes a sign-in of the last 15 minutes',
    readMyData,
    {
      answers: one('PersonData'),
      inPieces: true,
    },
  ),
  readOwn('GET /me/sessions', 'Where I am signed in', listMySessions, { answers: wholeList('Session') }),
  changeOwn('DELETE /me/sessions', 'Sign out everywhere', (actor) =>
    endMySessions(actor, { keepCurrent: false }),
  ),
  changeOwn('DELETE /me/sessions/:id', 'End one of my sessions', endMySession),
  readOwn('GET /me/consents', 'Which applications may act on my behalf', listMyConsents, {
    answers: wholeList('Consent'),
  }),
  changeOwn('DELETE /me/consents/:id', 'Withdraw a consent; revokes what rests on it', withdrawConsent),
  readOwn('GET /me/delegations', 'Which agents I let act in my name', listMyDelegations, {
    answers: wholeList('Delegation'),
  }),
  changeOwn('DELETE /me/delegations/:id', 'End one; ends what was given by it', endMyDelegation),
  readOwn('GET /me/sign-ins', 'My recent sign-ins', listMySignIns, {
    query: z.strictObject(paged('signIns')),
    answers: page('SignIn'),
  }),
];
