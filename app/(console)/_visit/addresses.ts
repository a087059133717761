// The pages of the console, and what each shows first: asked before the page runs, so that a refusal has its status.
// An address that is not here is no page of the console.
import {
  type Action,
  type Actor,
  enter,
  listCatalogue,
  previewKeyRetirement,
  Refused,
  readApi,
  readAuthMethod,
  readClient,
  readMyProfile,
  readPerson,
  readSubscription,
} from '#lib/management/index.ts';

type Params = Readonly<Record<string, string>>;
/** Throws what the page would throw. `anyone`: for people who are not signed in, too. */
export type Gate = 'anyone' | ((actor: Actor, params: Params) => Promise<unknown>);

const may =
  (action: Action): Gate =>
  (actor) =>
    enter(actor, { action });

const client: Gate = (actor, { clientId = '' }) => readClient(actor, { clientId });
const api: Gate = (actor, { apiId = '' }) => readApi(actor, { id: apiId });
const method: Gate = (actor, { methodId = '' }) => readAuthMethod(actor, { id: methodId });
const person: Gate = (actor, { personId = '' }) => readPerson(actor, { id: personId });
const key: Gate = (actor, { kid = '' }) => previewKeyRetirement(actor, { kid });

/** A developer may read their own, but not at an administrator's address. */
const anyClient: Gate = async (actor, { clientId = '' }) => {
  await enter(actor, { action: 'clients.see-all' });
  await readClient(actor, { clientId });
};

const decidable: Gate = async (actor, { clientId = '', apiId = '' }) => {
  await enter(actor, { action: 'subscriptions.decide' });
  await readSubscription(actor, { clientId, api: apiId });
};

const catalogueEntry: Gate = async (actor, { clientId = '', apiId }) => {
  const apis = await listCatalogue(actor, { clientId });
  if (!apis.some(({ id }) => id === apiId)) throw new Refused(`there is no API ${apiId}`, 'not-found');
};

export const ADDRESSES: Readonly<Record<string, Gate>> = {
  '/account': (actor) => readMyProfile(actor),
  '/account/again': may('account.read'),
  '/account/forgot-password': 'anyone',
  '/account/mail': 'anyone',
  '/account/password': may('account.change'),
  '/account/reset-password': 'anyone',
  '/account/sign-ins': may('account.read'),
  '/account/verify-email': 'anyone',

  '/developer': may('clients.see-own'),
  '/developer/catalogue': may('clients.see-own'),
  '/developer/clients/new': may('clients.create'),
  '/developer/clients/:clientId': client,
  '/developer/clients/:clientId/apis/:apiId': catalogueEntry,
  '/developer/clients/:clientId/code': client,
  '/developer/clients/:clientId/delete': client,
  '/developer/clients/:clientId/edit': client,
  '/developer/clients/:clientId/requests': client,
  '/developer/playground': may('clients.see-own'),

  '/admin': may('subscriptions.decide'),
  '/admin/apis': may('registry.read'),
  '/admin/apis/new': may('registry.manage'),
  '/admin/apis/:apiId': api,
  '/admin/apis/:apiId/delete': api,
  '/admin/apis/:apiId/edit': api,
  '/admin/audit': may('audit.read'),
  '/admin/auth-methods': may('registry.read'),
  '/admin/auth-methods/new': may('registry.manage'),
  '/admin/auth-methods/:methodId': method,
  '/admin/auth-methods/:methodId/delete': method,
  '/admin/auth-methods/:methodId/edit': method,
  '/admin/clients': may('clients.see-all'),
  '/admin/clients/new': may('clients.manage-all'),
  '/admin/clients/:clientId': anyClient,
  '/admin/clients/:clientId/code': anyClient,
  '/admin/clients/:clientId/delete': anyClient,
  '/admin/clients/:clientId/edit': anyClient,
  '/admin/clients/:clientId/requests': anyClient,
  '/admin/keys': may('keys.read'),
  '/admin/keys/:kid/retire': key,
  '/admin/people': may('people.read'),
  '/admin/people/new': may('people.manage'),
  '/admin/people/:personId': person,
  '/admin/people/:personId/delete': person,
  '/admin/sessions': may('sessions.read'),
  '/admin/subscriptions': may('subscriptions.decide'),
  '/admin/subscriptions/:clientId/:apiId': decidable,
};

const patterns = Object.entries(ADDRESSES).map(([pattern, gate]) => ({ gate, parts: pattern.split('/') }));

/** The first that fits: `new` stands before what is named by an id. */
export function findGate(pathname: string): { gate: Gate; params: Params } | null {
  const given = pathname.split('/');
  for (const { gate, parts } of patterns) {
    const params = bind(parts, given);
    if (params) return { gate, params };
  }
  return null;
}

function bind(parts: readonly string[], given: readonly string[]): Params | null {
  if (parts.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [at, part] of parts.entries()) {
    const value = given[at] ?? '';
    if (!part.startsWith(':')) {
      if (part !== value) return null;
    } else {
      params[part.slice(1)] = decode(value);
    }
  }
  return params;
}

/** As Next decodes the segment for the page; what is malformed names nothing. */
function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return '\u0000';
  }
}
