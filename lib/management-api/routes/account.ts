// /me: what everybody may with their own.
import { z } from 'zod';
import {
  changeMyPassword,
  changeMyProfile,
  endMySession,
  endMySessions,
  listMyConsents,
  listMySessions,
  listMySignIns,
  readMyProfile,
  withdrawConsent,
} from '#lib/management/account/account.ts';
import { readMyData } from '#lib/management/account/my-data.ts';
import { endMyDelegation, listMyDelegations } from '#lib/management/subscriptions/delegations.ts';
import { one, page, type Route, routesFor, wholeList } from '../route.ts';
import { name, paged } from './inputs.ts';

const read = routesFor('account.read');
const change = routesFor('account.change');
const choice = z.string().max(4000).nullable().describe('null takes it away');
const passwords = z.strictObject({ oldPassword: z.string().max(1000), password: z.string().max(1000) });

export const accountRoutes: Route[] = [
  read('GET /me', 'Who I am', readMyProfile, { answers: one('Profile') }),
  change('PATCH /me', 'Change my name, picture, language or time zone', changeMyProfile, {
    body: z.strictObject({ name, picture: choice, locale: choice, zoneinfo: choice }).partial(),
  }),
  change('PUT /me/password', 'Change my password; ends my sessions and refresh tokens', changeMyPassword, {
    body: passwords,
  }),
  read(
    'GET /me/data',
    'All that is kept of me, in one file; takes a sign-in of the last 15 minutes',
    readMyData,
    {
      answers: one('PersonData'),
      inPieces: true,
    },
  ),
  read('GET /me/sessions', 'Where I am signed in', listMySessions, { answers: wholeList('Session') }),
  change('DELETE /me/sessions', 'Sign out everywhere', (actor) =>
    endMySessions(actor, { keepCurrent: false }),
  ),
  change('DELETE /me/sessions/:id', 'End one of my sessions', endMySession),
  read('GET /me/consents', 'Which applications may act on my behalf', listMyConsents, {
    answers: wholeList('Consent'),
  }),
  change('DELETE /me/consents/:id', 'Withdraw a consent; revokes what rests on it', withdrawConsent),
  read('GET /me/delegations', 'Which agents I let act in my name', listMyDelegations, {
    answers: wholeList('Delegation'),
  }),
  change('DELETE /me/delegations/:id', 'End one; ends what was given by it', endMyDelegation),
  read('GET /me/sign-ins', 'My recent sign-ins', listMySignIns, {
    query: z.strictObject(paged('signIns')),
    answers: page('SignIn'),
  }),
];
