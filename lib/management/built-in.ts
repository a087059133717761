// The built-in API `management` is the audience of tokens for the management API. It is a normal entry of the
// registry that has every local method. The configuration file can neither create nor remove it.

import { type ApiValues, api, BUILT_IN_API } from '#lib/catalogue/apis/definition.ts';
import { findApi, upsertApi, upsertLocalCombinations } from '#lib/catalogue/apis/rows.ts';
import { findClient } from '#lib/catalogue/clients/rows.ts';
import { methodCan } from '#lib/catalogue/methods/questions.ts';
import { isHeldToSecondFactor } from '#lib/catalogue/people/definition.ts';
import { findPersonById } from '#lib/catalogue/people/rows.ts';
import { ownValue } from '#lib/kit/wire.ts';
import { settings } from '#lib/settings/settings.ts';
import {
  findLiveMachineToken,
  findLiveToken,
  type LiveMachineToken,
  type LiveToken,
  type LockedToken,
} from '#lib/store/hot/access-tokens.ts';
import { type Db, database, inTransaction } from '#lib/store/prisma.ts';
import { currentSnapshot, RegistryChanged } from '#lib/store/snapshot.ts';
import { type PresentedMachine, readAccessToken, readMachineToken } from '#lib/tokens/access-token.ts';
import {
  checkPresented,
  DPOP_ALGS,
  type PresentedToken,
  proofChallenge,
  type ResourceFault,
} from '#lib/tokens/dpop.ts';
import { type Actor, MANAGEMENT_SCOPES, type RequestFacts } from './policy.ts';

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
 * Creates or updates the built-in API with this version’s scopes and the current local methods. Its url is set only
 * when a server starts (`atStart`), because a command line on another machine may have another BASE_URL.
 */
export async function ensureManagementApi(db?: Db, { atStart = false } = {}): Promise<void> {
  if (db) return write(db, atStart);
  const { apis, methods } = await currentSnapshot();
  const snapshotApi = apis.get(MANAGEMENT_API);
  const locals = [...methods.values()].filter((method) => methodCan(method, 'hasAccounts'));
  const hasLocals = locals.every(({ id }) => snapshotApi?.authMethods.includes(id));
  // most starts change nothing, so Prisma's client, which takes 60 MB, is not loaded
  if (!isCurrent(snapshotApi, atStart) || !hasLocals) await inTransaction((inside) => write(inside, atStart));
}

async function write(db: Db, atStart: boolean): Promise<void> {
  const storedApi = await findApi(db, MANAGEMENT_API);
  if (!isCurrent(storedApi, atStart)) {
    const { authMethods = [] } = storedApi ?? {};
    const values = { ...VALUES, url: urlOf(storedApi, atStart), scopes: scopes(), authMethods };
    await upsertApi(db, api.parse(values));
  }
  await upsertLocalCombinations(db, MANAGEMENT_API);
}

type Known = Pick<ApiValues, 'url' | 'scopes'> | null | undefined;

const urlOf = (storedApi: Known, atStart: boolean) =>
  storedApi && !atStart ? storedApi.url : managementUrl();

const scopes = () =>
  MANAGEMENT_SCOPES.map((name) => ({ name, description: ownValue(DESCRIPTIONS, name) ?? name }));

const isCurrent = (storedApi: Known, atStart: boolean): boolean =>
  storedApi?.url === urlOf(storedApi, atStart) &&
  JSON.stringify(storedApi.scopes) === JSON.stringify(scopes());

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

// The actor of a token for the management API: its user, whose roles are read at each request, or its client. The
// token’s scopes limit both. A user’s token is accepted only if it is based on consent.

const ATTEMPTS = 5;

/** Thrown if the token is valid, but the roles of its user require a second factor. */
export class SignInTooWeak extends Error {
  override name = 'SignInTooWeak';
}

/** Thrown if the token is bound to a key, and this request has no valid proof (RFC 9449 §7). */
export class KeyNotProved extends Error {
  override name = 'KeyNotProved';
  /** parameters of the challenge in the response */
  readonly challenge: { error: string; nonce: string | null; algs: string };
  constructor(fault: ResourceFault) {
    super(fault);
    this.challenge = { ...proofChallenge(fault, settings().secrets), algs: DPOP_ALGS.join(' ') };
  }
}

type Sent = Omit<PresentedToken, 'nonce' | 'secrets'>;

/**
 * A function that returns the token if the request proves possession of its key, and throws KeyNotProved
 * otherwise.
 */
type Open = <Token extends LiveToken | LiveMachineToken>(locked: LockedToken<Token>) => Token | null;

/**
 * Returns the actor of a token; null: the token is missing, expired or revoked, or belongs to another API.
 * Throws SignInTooWeak or KeyNotProved.
 */
export async function readTokenActor(token: Sent, request: RequestFacts, attempt = 1): Promise<Actor | null> {
  try {
    return await actorOf(token, request);
  } catch (error) {
    if (error instanceof RegistryChanged && attempt < ATTEMPTS)
      return readTokenActor(token, request, attempt + 1);
    throw error;
  }
}

async function actorOf(sent: Sent, request: RequestFacts): Promise<Actor | null> {
  const snapshot = await currentSnapshot();
  const openLocked: Open = (lockedToken) => {
    const nonce = snapshot.apis.get(MANAGEMENT_API)?.dpopNonce ?? 'off';
    const { fault, proof } = checkPresented({ ...sent, nonce, secrets: settings().secrets }, lockedToken.jkt);
    if (fault !== null) throw new KeyNotProved(fault);
    return lockedToken.open(proof);
  };
  const access = readAccessToken(sent.token, snapshot);
  const machine = access ? null : readMachineToken(sent.token, snapshot);
  if (machine) return machineOf(machine, { version: snapshot.version, opened: openLocked }, request);
  const tokenQuery = { version: snapshot.version, askedBy: null, refreshHash: null };
  const locked = access && (await findLiveToken({ ...tokenQuery, access }));
  const live = locked?.place.apiId === MANAGEMENT_API ? openLocked(locked) : null;
  // a client that acts for a user has different permissions
  if (live?.basis !== 'consent' || live.act !== null) return null;
  const person = await findPersonById(database(), live.personId);
  if (!person || person.disabled) return null;
  const method = snapshot.methods.get(live.authMethodId);
  // as in the console, only users of a local method have roles
  const roles = method && methodCan(method, 'hasAccounts') ? person.roles : [];
  if (isHeldToSecondFactor(roles) && (live.acrLevel ?? 1) < 2 && asksForFactor(person))
    throw new SignInTooWeak('this person proves a second factor, and the token is of a password alone');
  return {
    kind: 'person',
    id: person.id,
    email: person.email,
    name: person.name,
    locale: person.locale,
    roles,
    signedInAt: new Date(live.authTime * 1000),
    scopes: live.scopes,
    request,
  };
}

/**
 * True if a second factor is required, by the same rule as in the console: a user who has a factor must use it.
 * With `required`, every user with a role must have a factor.
 */
function asksForFactor({ factors }: { factors: readonly string[] }): boolean {
  const policy = settings().consoleSecondFactor;
  return policy === 'required' || (policy === 'optional' && factors.length > 0);
}

async function machineOf(
  { hash }: PresentedMachine,
  { version, opened }: { version: string; opened: Open },
  request: RequestFacts,
): Promise<Actor | null> {
  const liveMachineToken = await findLiveMachineToken({ version, askedBy: null, tokenHash: hash });
  const live = liveMachineToken?.place.apiId === MANAGEMENT_API ? opened(liveMachineToken) : null;
  if (!live) return null;
  const { clientId, scopes } = live;
  const client = await findClient(database(), clientId);
  return client && { kind: 'machine', clientId, ownerId: client.ownerId, scopes, request };
}
