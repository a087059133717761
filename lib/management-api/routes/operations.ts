// /overview, /sessions, /keys, /audit: the service's own state.
import { z } from 'zod';
import {
  endSession,
  listSigningKeys,
  pageAudit,
  pageSessions,
  previewKeyRetirement,
  readOverview,
  retireSigningKey,
  rotateSigningKeys,
} from '#lib/management/index.ts';
import { type Route, route } from '../route.ts';
import { moment, paging, search } from './inputs.ts';

const text = z.string().max(300).optional();

export const operationRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/overview',
    actions: ['account.read'],
    status: 200,
    summary: 'What waits for this person, and how much there is',
    answers: { schema: 'Overview' },
    run: async ({ actor }) => ({ body: await readOverview(actor, { counts: true }) }),
  }),
  route({
    method: 'GET',
    path: '/sessions',
    actions: ['sessions.read'],
    status: 200,
    summary: 'Where people are signed in',
    query: z.strictObject({
      ...paging,
      ...search,
      personId: text,
      kind: z.enum(['sign-in', 'console']).optional(),
    }),
    answers: { schema: 'Session', as: 'page' },
    run: async ({ actor, query }) => ({ body: await pageSessions(actor, query) }),
  }),
  route({
    method: 'DELETE',
    path: '/sessions/:id',
    actions: ['sessions.end'],
    status: 204,
    summary: 'End one session',
    run: async ({ actor, params }) => ({ body: await endSession(actor, { id: params['id'] ?? '' }) }),
  }),
  route({
    method: 'GET',
    path: '/keys',
    actions: ['keys.read'],
    status: 200,
    summary: 'Signing keys',
    answers: { schema: 'Key', as: 'list' },
    run: async ({ actor }) => ({ body: { rows: await listSigningKeys(actor) } }),
  }),
  route({
    method: 'POST',
    path: '/keys/rotation',
    actions: ['keys.manage'],
    status: 204,
    summary: 'A new key for every algorithm: published first, then signing',
    run: async ({ actor }) => ({ body: await rotateSigningKeys(actor) }),
  }),
  route({
    method: 'GET',
    path: '/keys/:kid/retirement',
    actions: ['keys.read'],
    status: 200,
    summary: 'What taking a key out would break',
    answers: { schema: 'Consequences' },
    run: async ({ actor, params }) => ({
      body: await previewKeyRetirement(actor, { kid: params['kid'] ?? '' }),
    }),
  }),
  route({
    method: 'DELETE',
    path: '/keys/:kid',
    actions: ['keys.manage'],
    status: 204,
    summary: 'Take a key out at once, and its tokens with it',
    run: async ({ actor, params }) => ({ body: await retireSigningKey(actor, { kid: params['kid'] ?? '' }) }),
  }),
  route({
    method: 'GET',
    path: '/audit',
    actions: ['audit.read'],
    status: 200,
    summary: 'The audit log, the newest first',
    query: z.strictObject({
      ...paging,
      event: text,
      actor: text,
      personId: text,
      clientId: text,
      apiId: text,
      requestId: text,
      since: moment.optional(),
      until: moment.optional(),
    }),
    answers: { schema: 'AuditEvent', as: 'page' },
    run: async ({ actor, query }) => ({ body: await pageAudit(actor, query) }),
  }),
];
