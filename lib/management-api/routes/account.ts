// /me: what everybody may with their own.
import { z } from 'zod';
import {
  changeMyName,
  changeMyPassword,
  endMySession,
  endMySessions,
  listMyConsents,
  listMySessions,
  listMySignIns,
  readMyProfile,
  withdrawConsent,
} from '#lib/management/index.ts';
import { type Route, route } from '../route.ts';
import { name, paging } from './inputs.ts';

const READ = { actions: ['account.read'], status: 200 } as const;
const CHANGE = { actions: ['account.change'], status: 204 } as const;

export const accountRoutes: Route[] = [
  route({
    ...READ,
    method: 'GET',
    path: '/me',
    summary: 'Who I am',
    answers: { schema: 'Profile' },
    run: async ({ actor }) => ({ body: await readMyProfile(actor) }),
  }),
  route({
    ...CHANGE,
    method: 'PATCH',
    path: '/me',
    summary: 'Change my name',
    body: z.strictObject({ name }),
    run: async ({ actor, body }) => ({ body: await changeMyName(actor, body) }),
  }),
  route({
    ...CHANGE,
    method: 'PUT',
    path: '/me/password',
    summary: 'Change my password; ends my sessions and refresh tokens',
    body: z.strictObject({ oldPassword: z.string().max(1000), password: z.string().max(1000) }),
    run: async ({ actor, body }) => ({ body: await changeMyPassword(actor, body) }),
  }),
  route({
    ...READ,
    method: 'GET',
    path: '/me/sessions',
    summary: 'Where I am signed in',
    answers: { schema: 'Session', as: 'list' },
    run: async ({ actor }) => ({ body: { rows: await listMySessions(actor) } }),
  }),
  route({
    ...CHANGE,
    method: 'DELETE',
    path: '/me/sessions',
    summary: 'Sign out everywhere',
    run: async ({ actor }) => ({ body: await endMySessions(actor, { keepCurrent: false }) }),
  }),
  route({
    ...CHANGE,
    method: 'DELETE',
    path: '/me/sessions/:id',
    summary: 'End one of my sessions',
    run: async ({ actor, params }) => ({ body: await endMySession(actor, { id: params['id'] ?? '' }) }),
  }),
  route({
    ...READ,
    method: 'GET',
    path: '/me/consents',
    summary: 'Which applications may act on my behalf',
    answers: { schema: 'Consent', as: 'list' },
    run: async ({ actor }) => ({ body: { rows: await listMyConsents(actor) } }),
  }),
  route({
    ...CHANGE,
    method: 'DELETE',
    path: '/me/consents/:id',
    summary: 'Withdraw a consent; revokes what rests on it',
    run: async ({ actor, params }) => ({ body: await withdrawConsent(actor, { id: params['id'] ?? '' }) }),
  }),
  route({
    ...READ,
    method: 'GET',
    path: '/me/sign-ins',
    summary: 'My recent sign-ins',
    query: z.strictObject(paging),
    answers: { schema: 'SignIn', as: 'page' },
    run: async ({ actor, query }) => ({ body: await listMySignIns(actor, query) }),
  }),
];
