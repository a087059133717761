// Routes of the service itself, of connection tests and of search. This file lists every path of the management API,
// in the order of its OpenAPI document.

import { apiRoutes } from '#lib/catalogue/apis/routes.ts';
import { clientRoutes } from '#lib/catalogue/clients/routes.ts';
import { groupRoutes } from '#lib/catalogue/groups/routes.ts';
import { methodRoutes } from '#lib/catalogue/methods/routes.ts';
import { endSession, pageSessions } from '#lib/catalogue/people/operations.ts';
import { peopleRoutes } from '#lib/catalogue/people/routes.ts';
import { subscriptionRoutes } from '#lib/catalogue/subscriptions/routes.ts';
import { fromWire } from '#lib/kit/wire.ts';
import { pageAudit } from '#lib/management/audit.ts';
import { testAuditWebhook, testAuthMethod, testMail } from '#lib/management/connections.ts';
import { endMyDelegation, listMyDelegations } from '#lib/management/delegations.ts';
import { findAnything, inspectToken, isSecretText } from '#lib/management/find.ts';
import {
  listSigningKeys,
  previewKeyRetirement,
  retireSigningKey,
  rotateSigningKeys,
} from '#lib/management/keys.ts';
import { readApiLogo, readClientLogo, setApiLogo, setClientLogo } from '#lib/management/logos.ts';
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
  withdrawConsent,
} from '#lib/management/my-account.ts';
import type { Answers, Terms } from '#lib/management/operations.ts';
import type { Actor } from '#lib/management/policy.ts';
import { faultAt, faulty } from '#lib/management/refused.ts';
import { readOverview, readService } from '#lib/management/service.ts';
import { listExpiring, markFirstDay, readFirstDay } from '#lib/management/upkeep.ts';
import { actionsOf, type Route, route } from './route.ts';

// /me: operations of all users on their own account.

const accountRoutes: Route[] = [
  route('GET /me', 'Get my own account', readMyProfile),
  route('PATCH /me', 'Change my name, picture, language or time zone', changeMyProfile),
  route('PUT /me/password', 'Change my password; ends my sessions and refresh tokens', changeMyPassword),
  route(
    'GET /me/data',
    'Export all data about me in one file; requires a sign-in in the last 15 minutes',
    readMyData,
  ),
  route('GET /me/sessions', 'List my sessions', listMySessions),
  route('DELETE /me/sessions', 'Sign out everywhere', endMySessions, {
    given: () => ({ keepCurrent: false }),
  }),
  route('DELETE /me/sessions/:id', 'End one of my sessions', endMySession),
  route('GET /me/consents', 'List my consents', listMyConsents),
  route(
    'DELETE /me/consents/:id',
    'Withdraw a consent; revokes the tokens that are based on this consent',
    withdrawConsent,
  ),
  route('GET /me/delegations', 'List the agents that can act in my name', listMyDelegations),
  route(
    'DELETE /me/delegations/:id',
    'End a delegation; revokes the tokens that are based on this delegation',
    endMyDelegation,
  ),
  route('GET /me/sign-ins', 'List my recent sign-ins', listMySignIns),
];

// Logos of APIs and clients, as raw bytes.

type Logos<Ref> = Pick<Route, 'path'> & {
  reads: { (actor: Actor, ref: Ref): Promise<Buffer>; terms: Terms };
  changes: {
    (actor: Actor, input: Ref & { version?: number; logo: Buffer | null }): Promise<{ version: number }>;
    terms: Terms & { output?: Answers };
  };
};

function logoRoutes<Ref>({ path, reads, changes }: Logos<Ref>): Route[] {
  const plain = { path, query: null, body: null };
  const { output: answers } = changes.terms;
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
  reads: readApiLogo,
  changes: setApiLogo,
});

const clientLogoRoutes = logoRoutes({
  path: '/clients/:client_id/logo',
  reads: readClientLogo,
  changes: setClientLogo,
});

// /overview, /service, /expiring, /first-day, /sessions, /keys, /audit: the state of the service.

const operationRoutes: Route[] = [
  route('GET /overview', 'Count the pending requests and objects of this person', readOverview, {
    given: () => ({ counts: true }),
  }),
  route('GET /service', 'Get version, health, queues and settings', readService),
  route(
    'GET /expiring',
    'List everything that expires, soonest first: all of it, or only of your own clients',
    listExpiring,
  ),
  route('GET /first-day', 'Get the checklist of the first day', readFirstDay),
  route('PUT /first-day/:step', 'Mark a step as done that the service cannot detect', markFirstDay, {
    given: ({ step }) => ({ step, done: true }),
  }),
  route('DELETE /first-day/:step', 'Mark a step as not done', markFirstDay, {
    given: ({ step }) => ({ step, done: false }),
  }),
  route('GET /sessions', 'List the sessions of people', pageSessions),
  route('DELETE /sessions/:id', 'End one session', endSession),
  route('GET /keys', 'Signing keys', listSigningKeys),
  route(
    'POST /keys/rotation',
    'Create a new key for every algorithm; each new key is published before it signs',
    rotateSigningKeys,
  ),
  route('GET /keys/:kid/retirement', 'Preview the effects of retiring a key', previewKeyRetirement),
  route('DELETE /keys/:kid', 'Retire a key immediately, with its tokens', retireSigningKey),
  route('GET /audit', 'List audit events, newest first', pageAudit),
];

// Connection tests for administrators.

const connectionRoutes: Route[] = [
  route('POST /service/mail/test', 'Test the mail server, with a message to yourself', testMail),
  route(
    'POST /service/audit-webhook/test',
    'Test the audit webhook, with a signed event that is not stored',
    testAuditWebhook,
  ),
  route(
    'POST /auth-methods/:id/test',
    'Test the service behind a sign-in method with the steps of a sign-in; no person signs in',
    testAuthMethod,
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
    },
  ),
  route(
    'POST /token-inspections',
    'Inspect a token: its claims, its signing key and its validity; the token is not stored',
    inspectToken,
  ),
];

export const routes: readonly Route[] = [
  ...accountRoutes,
  ...clientRoutes,
  ...clientLogoRoutes,
  ...subscriptionRoutes,
  ...apiRoutes,
  ...methodRoutes,
  ...apiLogoRoutes,
  ...groupRoutes,
  ...peopleRoutes,
  ...operationRoutes,
  ...findRoutes,
  ...connectionRoutes,
];
