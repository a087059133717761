// Routes of people, invitations and registrations, for administrators. A person is identified by id, email address,
// user name or kept subject.

import { sendPasswordReset } from '#lib/management/mail-links.ts';
import { readPersonData } from '#lib/management/my-account.ts';
import { type Route, route } from '#lib/management-api/route.ts';
import {
  approvePerson,
  invitePeople,
  pageInvitations,
  pageWaitingPeople,
  readWaitingPerson,
  rejectPerson,
  withdrawInvitation,
} from './invitations.ts';
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
} from './operations.ts';

export const peopleRoutes: Route[] = [
  route('GET /people', 'People', pagePeople),
  route(
    'POST /people',
    'Create a person; without a password, the person gets a mail with a link to choose a password',
    createPerson,
    { creates: '/people/:id' },
  ),
  route(
    'POST /invitations',
    'Invite people: each address gets a link that creates an account, once',
    invitePeople,
  ),
  route('GET /invitations', 'List invitations that have not been used', pageInvitations),
  route('DELETE /invitations/:id', 'Withdraw an invitation: its link no longer works', withdrawInvitation),
  route('GET /people/:id', 'Get a person', readPerson),
  route(
    'GET /people/:id/data',
    'Export all data of a person in one file; requires a sign-in in the last 15 minutes',
    readPersonData,
  ),
  route('PATCH /people/:id', 'Change a person’s name, address or user name', changePerson, {
    version: 'required',
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
  ),
  route('PUT /people/:id/roles/:role', 'Give a person a role', grantRole),
  route('DELETE /people/:id/roles/:role', 'Take a role from a person', revokeRole),
  route(
    'DELETE /people/:id/sessions',
    'Sign a person out everywhere, and revoke the person’s tokens',
    endSessionsOf,
    { given: ({ id }) => ({ personId: id }) },
  ),
  route('GET /registrations', 'List people who are waiting for an account, oldest first', pageWaitingPeople),
  route('GET /registrations/:id', 'Get a person who is waiting for an account', readWaitingPerson),
  route(
    'POST /registrations/:id/approval',
    'Accept a person: creates an account with the password that they chose',
    approvePerson,
  ),
  route(
    'POST /registrations/:id/rejection',
    'Reject a person; the mail contains the reason, if there is one',
    rejectPerson,
  ),
];
