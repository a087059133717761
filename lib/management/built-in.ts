// The built-in API `management`: tokens of the management API are for it. It is in the registry like any other API,
// with every local method as a combination. The configuration file neither creates nor removes it.
import { ownValue } from '#lib/kit/wire.ts';
import { type ApiValues, api, BUILT_IN_API } from '#lib/registry/api.ts';
import { methodCan } from '#lib/registry/methods/questions.ts';
import { settings } from '#lib/settings/settings.ts';
import { findApi, upsertApi, upsertLocalCombinations } from '#lib/store/apis.ts';
import { type Db, inTransaction } from '#lib/store/prisma.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { MANAGEMENT_SCOPES } from './policy.ts';

export const MANAGEMENT_API = BUILT_IN_API;

const DESCRIPTIONS: Record<string, string> = {
  'account:read': 'See your profile, sessions and consents',
  'account:write': 'Change your profile, end sessions, withdraw consents',
  'people:read': 'See people and their roles',
  'people:write': 'Create, change and disable people, give and take roles',
  'people:decide': 'Approve and reject people who wait for an account',
  'groups:read': 'See groups and who is in them',
  'groups:write': 'Create, change and delete groups, put people in and take them out',
  'clients:read': 'See clients',
  'clients:write': 'Create and change clients and their secrets',
  'subscriptions:read': 'See subscriptions',
  'subscriptions:write': 'Ask for subscriptions and change them',
  'subscriptions:decide': 'Approve, reject, suspend, resume and revoke subscriptions',
  'registry:read': 'See APIs and authentication methods',
  'registry:write': 'Change APIs and authentication methods',
  'sessions:read': 'See where people are signed in',
  'sessions:write': 'End people’s sessions',
  'keys:read': 'See signing keys',
  'keys:write': 'Rotate and retire signing keys',
  'audit:read': 'Read the audit log',
};

/**
 * Creates or updates it with this version's scopes and the current local methods. Only a starting server sets its url
 * (`atStart`): a command line on another machine may have another BASE_URL.
 */
export async function ensureManagementApi(db?: Db, { atStart = false } = {}): Promise<void> {
  if (db) return write(db, atStart);
  const { apis, methods } = await currentSnapshot();
  const known = apis.get(MANAGEMENT_API);
  const locals = [...methods.values()].filter((method) => methodCan(method, 'hasAccounts'));
  const hasLocals = locals.every(({ id }) => known?.authMethods.includes(id));
  // most starts change nothing, and need not load Prisma's client: 60 MB
  if (!isCurrent(known, atStart) || !hasLocals) await inTransaction((inside) => write(inside, atStart));
}

async function write(db: Db, atStart: boolean): Promise<void> {
  const known = await findApi(db, MANAGEMENT_API);
  if (!isCurrent(known, atStart)) {
    const { authMethods = [] } = known ?? {};
    const values = { ...VALUES, url: urlOf(known, atStart), scopes: scopes(), authMethods };
    await upsertApi(db, api.parse(values));
  }
  await upsertLocalCombinations(db, MANAGEMENT_API);
}

type Known = Pick<ApiValues, 'url' | 'scopes'> | null | undefined;

const urlOf = (known: Known, atStart: boolean) => (known && !atStart ? known.url : managementUrl());

const scopes = () =>
  MANAGEMENT_SCOPES.map((name) => ({ name, description: ownValue(DESCRIPTIONS, name) ?? name }));

const isCurrent = (known: Known, atStart: boolean): boolean =>
  known?.url === urlOf(known, atStart) && JSON.stringify(known.scopes) === JSON.stringify(scopes());

const VALUES = {
  id: MANAGEMENT_API,
  name: 'Gatehouse management',
  description: 'The management API of this service itself.',
  accessTokenTtlSeconds: 900,
  refreshTokenTtlSeconds: 86_400,
  refreshFamilyTtlSeconds: 604_800,
  requireApproval: true,
};

export const managementUrl = () => `${settings().baseUrl}/api/v1`;
