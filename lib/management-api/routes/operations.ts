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
import { one, page, type Route, routesFor, wholeList } from '../route.ts';
import { moment, paging, search } from './inputs.ts';

const text = z.string().max(300).optional();
const sessionFilter = z.strictObject({
  ...paging,
  ...search,
  personId: text,
  kind: z.enum(['sign-in', 'console']).optional(),
});
const auditFilter = z.strictObject({
  ...paging,
  event: text,
  actor: text,
  personId: text,
  clientId: text,
  apiId: text,
  requestId: text,
  since: moment.optional(),
  until: moment.optional(),
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
  readKeys('GET /keys/:kid/retirement', 'What taking a key out would break', previewKeyRetirement, {
    answers: one('Consequences'),
  }),
  manageKeys('DELETE /keys/:kid', 'Take a key out at once, and its tokens with it', retireSigningKey),
  routesFor('audit.read')('GET /audit', 'The audit log, the newest first', pageAudit, {
    query: auditFilter,
    answers: page('AuditEvent'),
  }),
];
