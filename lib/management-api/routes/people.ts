// /people: for administrators. A person is named by id, e-mail address, user name or kept subject.
import { z } from 'zod';
import { readPersonData } from '#lib/management/account/my-data.ts';
import { resetFactors } from '#lib/management/people/factor-reset.ts';
import { invitePeople, pageInvitations, withdrawInvitation } from '#lib/management/people/invitations.ts';
import { sendPasswordReset } from '#lib/management/people/mail-links.ts';
import {
  createPerson,
  deletePerson,
  disablePerson,
  enablePerson,
  grantRole,
  revokeRole,
  setPassword,
} from '#lib/management/people/people.ts';
import { changePerson, pagePeople, readPerson } from '#lib/management/people/people-view.ts';
import { endSessionsOf } from '#lib/management/people/sessions.ts';
import {
  approvePerson,
  pageWaitingPeople,
  readWaitingPerson,
  rejectPerson,
} from '#lib/management/people/waiting-people.ts';
import { changeOf } from '#lib/registry/fields/definition.ts';
import { personName } from '#lib/registry/fields/values.ts';
import { editablePerson, person, ROLES } from '#lib/registry/objects/person.ts';
import { one, page, type Route, routesFor, wholeList } from '../route.ts';
import { activity, days, paged, search } from './inputs.ts';

const read = routesFor('people.read');
const manage = routesFor('people.manage');
const decide = routesFor('people.decide');

export const peopleRoutes: Route[] = [
  read('GET /people', 'People', pagePeople, {
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
  manage(
    'POST /people',
    'Create a person; without a password they get a mail with which they choose one',
    createPerson,
    { body: person, answers: one('CreatedPerson'), creates: '/people/:id' },
  ),
  manage(
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
  read('GET /invitations', 'Invitations that nobody has used', pageInvitations, {
    query: z.strictObject({ ...paged('invitations'), ...search }),
    answers: page('Invitation'),
  }),
  manage('DELETE /invitations/:id', 'Withdraw an invitation: its link no longer works', withdrawInvitation),
  read('GET /people/:id', 'One person', readPerson, { answers: one('PersonDetail') }),
  read(
    'GET /people/:id/data',
    'All that is kept of a person, in one file; takes a sign-in of the last 15 minutes',
    readPersonData,
    { answers: one('PersonData'), inPieces: true },
  ),
  manage('PATCH /people/:id', 'Change a person’s name, address or user name', changePerson, {
    body: changeOf(editablePerson),
    version: 'required',
    answers: one('PersonDetail'),
  }),
  manage('DELETE /people/:id', 'Delete a person with sessions, consents and tokens', deletePerson),
  manage('POST /people/:id/disable', 'Shut a person out, everywhere and at once', disablePerson),
  manage('POST /people/:id/enable', 'Let a disabled person in again', enablePerson),
  manage('PUT /people/:id/password', 'Set a password; ends the person’s sessions and tokens', setPassword, {
    body: z.strictObject({ password: z.string().max(1000) }),
  }),
  manage(
    'POST /people/:id/password-reset',
    'Send the mail with which they choose a new password',
    sendPasswordReset,
  ),
  manage(
    'POST /people/:id/reset-factors',
    'Take away passkeys, authenticator app, recovery codes and trusted browsers; ends the person’s sessions and tokens',
    resetFactors,
    { answers: one('FactorReset') },
  ),
  manage('PUT /people/:id/roles/:role', 'Give a role', grantRole),
  manage('DELETE /people/:id/roles/:role', 'Take a role', revokeRole),
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
