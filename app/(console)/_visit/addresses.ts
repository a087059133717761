// The pages of the console, and what each shows first: asked before the page runs, so that a refusal has its status.
// An address that is not here is no page of the console.
import {
  type Action,
  type Actor,
  enter,
  listCatalogue,
  Refused,
  readClient,
  readMyProfile,
} from '#lib/management/index.ts';

type Params = Readonly<Record<string, string>>;
/** Throws what the page would throw. `anyone`: for people who are not signed in, too. */
export type Gate = 'anyone' | ((actor: Actor, params: Params) => Promise<unknown>);

const may =
  (action: Action): Gate =>
  (actor) =>
    enter(actor, { action });

const client: Gate = (actor, { clientId = '' }) => readClient(actor, { clientId });

const anyClient: Gate = async (actor, { clientId = '' }) => {
  await enter(actor, { action: 'clients.see-all' });
  await readClient(actor, { clientId });
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
  '/admin/clients/new': may('clients.manage-all'),
  '/admin/clients/:clientId': anyClient,
  '/admin/clients/:clientId/code': anyClient,
  '/admin/clients/:clientId/delete': anyClient,
  '/admin/clients/:clientId/edit': anyClient,
  '/admin/clients/:clientId/requests': anyClient,
};

const patterns = Object.entries(ADDRESSES).map(([pattern, gate]) => ({ gate, parts: pattern.split('/') }));

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
