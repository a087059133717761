// Access to console pages. The proxy calls this module before it renders a page. The module returns the status and,
// without a session, the cookie that binds the sign-in form to the browser. Addresses that are not in the table
// return 404.
import { factsOfHeaders } from '#app/_doors/plain.ts';
import { listCatalogue, readApi } from '#lib/catalogue/apis/operations.ts';
import { readClient } from '#lib/catalogue/clients/operations.ts';
import { readGroup } from '#lib/catalogue/groups/operations.ts';
import { readAuthMethod } from '#lib/catalogue/methods/operations.ts';
import { ROLES, type Role } from '#lib/catalogue/people/definition.ts';
import { readPerson } from '#lib/catalogue/people/operations.ts';
import { readSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import { compileEndpoints } from '#lib/http/endpoint.ts';
import type { PathParams } from '#lib/http/message.ts';
import type { Plain, Told } from '#lib/language/message.ts';
import { readAuditEvent } from '#lib/management/audit.ts';
import { readDecidedApi } from '#lib/management/explanation.ts';
import { previewKeyRetirement } from '#lib/management/keys.ts';
import { readMyProfile } from '#lib/management/my-account.ts';
import { enter } from '#lib/management/operations.ts';
import { type Action, type Actor, mayDo } from '#lib/management/policy.ts';
import { Refused } from '#lib/management/refused.ts';
import { type ConsoleActor, readConsoleActor } from '#lib/sessions/console.ts';
import { openTransaction } from '#lib/sessions/transaction.ts';
import type { PageWords } from '../_texts/page-words.ts';
import { refusedInWords } from './in-words.ts';
import type { QuestionName } from './questions.ts';

// Pages with a question about a client, keyed by the last part of the path.

const CLIENT_QUESTIONS: ReadonlyMap<string, QuestionName> = new Map<string, QuestionName>([
  ['delete', 'client-delete'],
  ['revoke', 'client-revoke'],
  ['disable', 'client-disable'],
  ['end-secret', 'secret-drop'],
]);

/** Throws if no page asks this question. */
export function clientQuestion(step: string): QuestionName {
  const name = CLIENT_QUESTIONS.get(step);
  if (name === undefined) throw new Refused('question.unknown');
  return name;
}

// Pages with a question about a user, keyed by the last part of the path.

type PersonQuestion = { name: QuestionName; role: Role | null };

const PERSON_QUESTIONS: ReadonlyMap<string, PersonQuestion> = new Map<string, PersonQuestion>([
  ['delete', { name: 'person-delete', role: null }],
  ['disable', { name: 'person-disable', role: null }],
  ['sign-out', { name: 'person-sessions-end', role: null }],
  ['reset-factors', { name: 'person-reset-factors', role: null }],
  ...ROLES.flatMap((role): [string, PersonQuestion][] => [
    [`grant-${role}`, { name: 'person-grant', role }],
    [`revoke-${role}`, { name: 'person-revoke', role }],
  ]),
]);

/** Throws if no page asks this question. */
export function personQuestion(step: string): PersonQuestion {
  const question = PERSON_QUESTIONS.get(step);
  if (!question) throw new Refused('question.unknown');
  return question;
}

// Console pages, each with the check that determines its status. Addresses that are not in the table return 404.

/** The check throws the same error as the page itself. `anyone`: the page needs no sign-in. */
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

/**
 * Check for the administrators' pages about a client. Developers cannot open these pages, not even for their own
 * clients.
 */
const anyClient: ClientCheck = async (actor, { clientId = '' }) => {
  await enter(actor, { action: 'clients.see-all' });
  await readClient(actor, { clientId });
};

/** Check for a page that asks a question about a client. */
const withClientQuestion =
  (check: ClientCheck): Check =>
  async (actor, params) => {
    await check(actor, params);
    clientQuestion(params['question'] ?? '');
  };

const ownSubscription: Check = async (actor, { clientId = '', apiId = '' }) => {
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
  '/developer/clients/:clientId/apis/:apiId/cancel': ownSubscription,
  '/developer/clients/:clientId/brand': client,
  '/developer/clients/:clientId/code': client,
  '/developer/clients/:clientId/edit': client,
  '/developer/clients/:clientId/requests': client,
  '/developer/clients/:clientId/why': client,
  '/developer/clients/:clientId/:question': withClientQuestion(client),
  '/developer/expiring': may('clients.see-own'),
  '/developer/find': may('clients.see-own'),
  '/developer/playground': may('clients.see-own'),

  // administrators see the usage page at this address, approvers see the inbox
  '/admin': may('subscriptions.decide'),
  '/admin/approvals': may('subscriptions.decide'),
  '/admin/apis': may('registry.read'),
  '/admin/apis/new': may('registry.manage'),
  '/admin/apis/:apiId': api,
  '/admin/apis/:apiId/brand': api,
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
  '/admin/clients/:clientId/brand': anyClient,
  '/admin/clients/:clientId/code': anyClient,
  '/admin/clients/:clientId/edit': anyClient,
  '/admin/clients/:clientId/requests': anyClient,
  '/admin/clients/:clientId/texts': anyClient,
  '/admin/clients/:clientId/why': anyClient,
  '/admin/clients/:clientId/:question': withClientQuestion(anyClient),
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
  '/admin/people/:personId/access': person,
  '/admin/people/:personId/sign-in': person,
  '/admin/people/:personId/:question': personAsked,
  '/admin/service': may('audit.read'),
  '/admin/sessions': may('sessions.read'),
  '/admin/subscriptions': may('subscriptions.decide'),
  '/admin/subscriptions/:clientId/:apiId': decidable,
};

/** Returns the first pattern that matches, so patterns with `new` must precede patterns with an id. */
const findPage = compileEndpoints(Object.entries(ADDRESSES).map(([pattern, check]) => ({ pattern, check })));

export type RefusedAccess = {
  kind: 'refused';
  status: number;
  heading: Plain;
  message: Told;
  cause?: Refused;
  /** null: nobody is signed in */
  visitor: { locale: string | null } | null;
};
export type Access =
  | { kind: 'allowed'; personId: string; locale: string | null }
  /** the page shows the sign-in form; the cookie is added to the request and set in the browser */
  | { kind: 'signed-out'; cookie: string }
  /** administrators have a separate page about the object */
  | { kind: 'elsewhere'; href: string }
  | RefusedAccess;

const CONSOLE = /^\/(?:account|developer|admin)(?:\/|$)/;

/** Returns null if the address is not a console page. */
export async function checkAccess(pathname: string, headers: Headers): Promise<Access | null> {
  if (!CONSOLE.test(pathname)) return null;
  const page = findPage(pathname);
  const cookieHeader = headers.get('cookie') ?? undefined;
  const actor = await readConsoleActor(cookieHeader, factsOfHeaders(headers));
  if (!page) return { ...{ kind: 'refused', status: 404, visitor: actor }, ...NO_PAGE };
  if (!actor) return { kind: 'signed-out', cookie: openTransaction(cookieHeader).cookie };
  const { check } = page.endpoint;
  const administered = await administeredPage(actor, pathname, page.params);
  if (administered !== null) return { kind: 'elsewhere', href: administered };
  const { id: personId, locale } = actor;
  if (check === 'anyone') return { kind: 'allowed', personId, locale };
  try {
    await check(actor, page.params);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const refused = refusedAccess(error);
    if (refused.status !== 200) return { ...refused, visitor: actor };
  }
  return { kind: 'allowed', personId, locale };
}

/** Returns the administrators' page if an administrator opens the developers' page of another owner's client. */
async function administeredPage(
  actor: ConsoleActor,
  pathname: string,
  { clientId }: Record<string, string | undefined>,
): Promise<string | null> {
  if (!pathname.startsWith('/developer/clients/') || clientId === undefined) return null;
  if (!mayDo(actor, 'clients.see-all')) return null;
  const client = await readClient(actor, { clientId }).catch((error: unknown) => {
    if (error instanceof Refused) return null;
    throw error;
  });
  if (client === null || client.ownerId === actor.id) return null;
  const [, , , , ...below] = pathname.split('/');
  const [part = '', api = ''] = below;
  if (part === 'apis') return `/admin/subscriptions/${encodeURIComponent(clientId)}/${api}`;
  return `/admin/clients/${[encodeURIComponent(clientId), ...below].join('/')}`;
}

/** Status and text of a page that rejects the user. Status 200: the page itself explains the rejection. */
export function refusedAccess(cause: Refused, words: PageWords | null = null): RefusedAccess {
  const [status, heading] = STATUS_AND_HEADING[cause.kind] ?? [200, 'console.cannot_show'];
  const message = { text: refusedInWords(words, cause) };
  return { kind: 'refused', status, heading, message, cause, visitor: null };
}

const NO_PAGE = { heading: 'errors.no_page', message: 'errors.mistyped' } as const;

const STATUS_AND_HEADING: Partial<Record<Refused['kind'], [number, Plain]>> = {
  forbidden: [403, 'console.you_may_not'],
  'not-found': [404, 'account.not_there'],
  'slow-down': [200, 'console.too_fast'],
};
