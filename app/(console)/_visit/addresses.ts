// The pages of the console, each with the check that runs before it and decides the status. An address without a row is
// 404.
import { compileEndpoints } from '#lib/http/match.ts';
import type { PathParams } from '#lib/http/message.ts';
import { readMyProfile } from '#lib/management/account/account.ts';
import { readAuditEvent } from '#lib/management/audit/audit.ts';
import { enter } from '#lib/management/core/operation.ts';
import type { Action, Actor } from '#lib/management/core/policy.ts';
import { Refused } from '#lib/management/core/refused.ts';
import { readGroup } from '#lib/management/groups/groups.ts';
import { readPerson } from '#lib/management/people/people-view.ts';
import { listCatalogue, readApi } from '#lib/management/registry/apis.ts';
import { readClient } from '#lib/management/registry/clients.ts';
import { previewKeyRetirement } from '#lib/management/registry/keys.ts';
import { readAuthMethod } from '#lib/management/registry/methods.ts';
import { readDecidedApi } from '#lib/management/service/explanation.ts';
import { readSubscription } from '#lib/management/subscriptions/subscription-view.ts';

import { clientQuestion } from '../_forms/client-questions.ts';
import { personQuestion } from '../_forms/person-questions.ts';

/** Throws like the page itself. `anyone`: the page needs no sign-in. */
export type Check = 'anyone' | ((actor: Actor, params: PathParams) => Promise<unknown>);

type ClientCheck = Exclude<Check, string>;

const may =
  (action: Action): Check =>
  (actor) =>
    enter(actor, { action });

const client: ClientCheck = (actor, { clientId = '' }) => readClient(actor, { clientId });
const api: Check = (actor, { apiId = '' }) => readApi(actor, { id: apiId });
const decidedApi: Check = (actor, { apiId = '' }) => readDecidedApi(actor, { id: apiId });
const method: Check = (actor, { methodId = '' }) => readAuthMethod(actor, { id: methodId });
const group: Check = (actor, { groupId = '' }) => readGroup(actor, { id: groupId });
const person: Check = (actor, { personId = '' }) => readPerson(actor, { id: personId });
const personAsked: Check = async (actor, { personId = '', question = '' }) => {
  await readPerson(actor, { id: personId });
  personQuestion(question);
};
const event: Check = (actor, { eventId = '' }) => readAuditEvent(actor, { id: eventId });
const key: Check = (actor, { kid = '' }) => previewKeyRetirement(actor, { kid });

/** Developers may read their own clients, but not at the administrators' address. */
const anyClient: ClientCheck = async (actor, { clientId = '' }) => {
  await enter(actor, { action: 'clients.see-all' });
  await readClient(actor, { clientId });
};

/** A question about the client. */
const asked =
  (check: ClientCheck): Check =>
  async (actor, params) => {
    await check(actor, params);
    clientQuestion(params['question'] ?? '');
  };

const subscribed: Check = async (actor, { clientId = '', apiId = '' }) => {
  await enter(actor, { action: 'subscriptions.see-own' });
  await readSubscription(actor, { clientId, api: apiId });
};

const decidable: Check = async (actor, { clientId = '', apiId = '' }) => {
  await enter(actor, { action: 'subscriptions.decide' });
  await readSubscription(actor, { clientId, api: apiId });
};

const catalogueEntry: Check = async (actor, { clientId = '', apiId = '' }) => {
  const apis = await listCatalogue(actor, { clientId });
  if (!apis.some(({ id }) => id === apiId)) throw new Refused('api.unknown', { api: apiId });
};

export const ADDRESSES: Readonly<Record<string, Check>> = {
  '/account': (actor) => readMyProfile(actor),
  '/account/address': may('account.change'),
  '/account/again': may('account.read'),
  '/account/agents': may('account.read'),
  '/account/data': may('account.read'),
  '/account/delete': may('account.change'),
  '/account/device': may('account.change'),
  '/account/forgot-password': 'anyone',
  '/account/mail': 'anyone',
  '/account/new-password': 'anyone',
  '/account/password': may('account.change'),
  '/account/reset-password': 'anyone',
  '/account/security': may('account.read'),
  '/account/security/add': may('account.change'),
  '/account/security/app': may('account.change'),
  '/account/security/passkey': may('account.change'),
  '/account/security/replace': may('account.change'),
  '/account/sign-ins': may('account.read'),
  '/account/verify-email': 'anyone',
  '/account/links': may('account.read'),
  '/account/links/join': may('account.change'),

  '/developer': may('clients.see-own'),
  '/developer/catalogue': may('clients.see-own'),
  '/developer/clients/new': may('clients.create'),
  '/developer/clients/:clientId': client,
  '/developer/clients/:clientId/apis/:apiId': catalogueEntry,
  '/developer/clients/:clientId/apis/:apiId/cancel': subscribed,
  '/developer/clients/:clientId/code': client,
  '/developer/clients/:clientId/edit': client,
  '/developer/clients/:clientId/requests': client,
  '/developer/clients/:clientId/why': client,
  '/developer/clients/:clientId/:question': asked(client),
  '/developer/expiring': may('clients.see-own'),
  '/developer/find': may('clients.see-own'),
  '/developer/playground': may('clients.see-own'),

  // operations for administrators, the inbox for approvers
  '/admin': may('subscriptions.decide'),
  '/admin/approvals': may('subscriptions.decide'),
  '/admin/apis': may('registry.read'),
  '/admin/apis/new': may('registry.manage'),
  '/admin/apis/:apiId': api,
  '/admin/apis/:apiId/credential': api,
  '/admin/apis/:apiId/delete': api,
  '/admin/apis/:apiId/edit': api,
  '/admin/apis/:apiId/texts': api,
  '/admin/apis/:apiId/why': decidedApi,
  '/admin/audit': may('audit.read'),
  '/admin/audit/:eventId': event,
  '/admin/auth-methods': may('registry.read'),
  '/admin/auth-methods/new': may('registry.manage'),
  '/admin/auth-methods/:methodId': method,
  '/admin/auth-methods/:methodId/delete': method,
  '/admin/auth-methods/:methodId/edit': method,
  '/admin/auth-methods/:methodId/test': method,
  '/admin/clients': may('clients.see-all'),
  '/admin/clients/new': may('clients.manage-all'),
  '/admin/clients/:clientId': anyClient,
  '/admin/clients/:clientId/code': anyClient,
  '/admin/clients/:clientId/edit': anyClient,
  '/admin/clients/:clientId/requests': anyClient,
  '/admin/clients/:clientId/texts': anyClient,
  '/admin/clients/:clientId/why': anyClient,
  '/admin/clients/:clientId/:question': asked(anyClient),
  '/admin/connections': may('registry.manage'),
  '/admin/find': may('subscriptions.decide'),
  '/admin/groups': may('groups.read'),
  '/admin/groups/new': may('groups.manage'),
  '/admin/groups/:groupId': group,
  '/admin/groups/:groupId/delete': group,
  '/admin/groups/:groupId/edit': group,
  '/admin/keys': may('keys.read'),
  '/admin/keys/:kid/retire': key,
  '/admin/mails': may('registry.read'),
  '/admin/people': may('people.read'),
  '/admin/people/invitations': may('people.manage'),
  '/admin/people/new': may('people.manage'),
  '/admin/people/:personId': person,
  '/admin/people/:personId/:question': personAsked,
  '/admin/service': may('audit.read'),
  '/admin/sessions': may('sessions.read'),
  '/admin/subscriptions': may('subscriptions.decide'),
  '/admin/subscriptions/:clientId/:apiId': decidable,
};

/** The first pattern that matches: `new` precedes ids. */
export const findPage = compileEndpoints(
  Object.entries(ADDRESSES).map(([pattern, check]) => ({ pattern, check })),
);
