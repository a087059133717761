// /overview, /service, /expiring, /first-day, /sessions, /keys, /audit: the service's own state.
import { z } from 'zod';
import { pageAudit } from '#lib/management/audit/audit.ts';
import { endSession, pageSessions } from '#lib/management/people/sessions.ts';
import {
  listSigningKeys,
  previewKeyRetirement,
  retireSigningKey,
  rotateSigningKeys,
} from '#lib/management/registry/keys.ts';
import { readOverview } from '#lib/management/service/overview.ts';
import { listExpiring, MOST_DAYS } from '#lib/management/upkeep/expiring.ts';
import { markFirstDay, readFirstDay } from '#lib/management/upkeep/first-day.ts';
import { readService } from '#lib/management/upkeep/service-state.ts';
import { one, page, type Route, routesFor, wholeList } from '../route.ts';
import { breaks } from './in-english.ts';
import { flag, moment, paged, search } from './inputs.ts';

const text = z.string().max(300).optional();
const sessionFilter = z.strictObject({
  ...paged('sessions'),
  ...search,
  personId: text,
  kind: z.enum(['sign-in', 'console']).optional(),
});
const auditFilter = z.strictObject({
  ...paged('audit'),
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
  own: flag.optional().describe('of one’s own clients; left out: all that one may see'),
  days: z.coerce.number().int().min(1).max(MOST_DAYS).default(90),
});
const serviceFilter = z.strictObject({
  elsewhere: flag.optional().describe('`true`: verifiers, brokers and our own pages are called, too'),
});

const readKeys = routesFor('keys.read');
const manageKeys = routesFor('keys.manage');

export const operationRoutes: Route[] = [
  routesFor('account.read')(
    'GET /overview',
    'What waits for this person, and how much there is',
    (actor) => readOverview(actor, { counts: true }),
    { answers: one('Overview') },
  ),
  routesFor('audit.read')('GET /service', 'Version, health, queues and settings', readService, {
    query: serviceFilter,
    answers: one('Service'),
  }),
  routesFor('keys.read', 'clients.see-own')(
    'GET /expiring',
    'What ends by itself, the first first: all of it, or that of one’s own clients',
    listExpiring,
    { query: expiringFilter, answers: wholeList('Expiring') },
  ),
  routesFor('audit.read')('GET /first-day', 'What a service needs before people use it', readFirstDay, {
    answers: one('FirstDay'),
  }),
  routesFor('registry.manage')(
    'PUT /first-day/:step',
    'Say that a step is done that the service cannot see itself',
    (actor, { step }) => markFirstDay(actor, { step, done: true }),
  ),
  routesFor('registry.manage')('DELETE /first-day/:step', 'Take that back', (actor, { step }) =>
    markFirstDay(actor, { step, done: false }),
  ),
  routesFor('sessions.read')('GET /sessions', 'Where people are signed in', pageSessions, {
    query: sessionFilter,
    answers: page('Session'),
  }),
  routesFor('sessions.end')('DELETE /sessions/:id', 'End one session', endSession),
  readKeys('GET /keys', 'Signing keys', listSigningKeys, { answers: wholeList('Key') }),
  manageKeys(
    'POST /keys/rotation',
    'A new key for every algorithm: published first, then signing',
    rotateSigningKeys,
  ),
  readKeys('GET /keys/:kid/retirement', 'What taking a key out would break', breaks(previewKeyRetirement), {
    answers: one('Consequences'),
  }),
  manageKeys('DELETE /keys/:kid', 'Take a key out at once, and its tokens with it', retireSigningKey),
  routesFor('audit.read')('GET /audit', 'The audit log, the newest first', pageAudit, {
    query: auditFilter,
    answers: page('AuditEvent'),
  }),
];
