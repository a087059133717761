// Routes of the service itself, of connection tests and of search. Every address of the management API, in the
// order of its document.

import { z } from 'zod';
import { inEnglish } from '#lib/language/words.ts';
import { pageAudit } from '#lib/management/audit.ts';
import type { ConnectionTest } from '#lib/management/connection-steps.ts';
import { testAuditWebhook, testAuthMethod, testMail } from '#lib/management/connections.ts';
import { findAnything, inspectToken, isSecretText } from '#lib/management/find.ts';
import {
  listSigningKeys,
  previewKeyRetirement,
  retireSigningKey,
  rotateSigningKeys,
} from '#lib/management/keys.ts';
import { endSession, pageSessions } from '#lib/management/people.ts';
import { faultAt, faulty } from '#lib/management/refused.ts';
import { readOverview, readService } from '#lib/management/service.ts';
import { listExpiring, MOST_DAYS, markFirstDay, readFirstDay } from '#lib/management/upkeep.ts';
import { clientRoutes, subscriptionRoutes } from './client-routes.ts';
import { accountRoutes, peopleRoutes } from './people-routes.ts';
import { apiLogoRoutes, clientLogoRoutes, groupRoutes, registryRoutes } from './registry-routes.ts';
import { breaks, flag, moment, one, page, paged, type Route, routesFor, search, wholeList } from './route.ts';

// /overview, /service, /expiring, /first-day, /sessions, /keys, /audit: the service's own state.

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

const operationRoutes: Route[] = [
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

// Tests of the services that this one calls: for administrators. Each answers what it found, also where that is broken.

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
    'Test the service behind a sign-in method, as a sign-in asks it, without a person',
    async (actor, { id }) => testInEnglish(await testAuthMethod(actor, { id })),
    { answers },
  ),
];

// /find, /token-inspections: one field for everything, as the console has it. No address holds a credential.

const find = routesFor('clients.see-all', 'clients.see-own', 'subscriptions.decide');

const findRoutes: Route[] = [
  find(
    'GET /find',
    'What a text names, of what one may see: an id, an e-mail address, a client, a key, a request, a redirect host',
    async (actor, { q }) => {
      if (isSecretText(q.trim())) throw faulty([faultAt('q', 'find.secret')]);
      return (await findAnything(actor, { text: q })).rows;
    },
    { query: z.strictObject({ q: z.string().min(1).max(4096) }), answers: wholeList('Found') },
  ),
  find(
    'POST /token-inspections',
    'What a token says, whose key signed it, and whether it is valid; it is not kept',
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
