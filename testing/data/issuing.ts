// Sessions, codes and tokens by the statements of lib/store, without HTTP: one at a time, or in eight loops that run
// while a test removes the grant that they depend on.
import { randomBytes, randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { requestSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import { now } from '#lib/kit/clock.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { findLiveToken } from '#lib/store/hot/access-tokens.ts';
import { authorize as authorizeRequest, grantConsent } from '#lib/store/hot/authorize.ts';
import { redeemCode } from '#lib/store/hot/codes.ts';
import { createFamily, rotateRefreshToken } from '#lib/store/hot/refresh-tokens.ts';
import { createSession } from '#lib/store/hot/sessions.ts';
import { currentSnapshot, RegistryChanged } from '#lib/store/snapshot.ts';
import { givenClient, givenEmptyRegistry, givenPerson, type Person, SHOP, sql } from './registry.ts';

export const LOOPS = 8;
export const TRIES = 50;
export const AUTH_METHOD = 'local';
export const context = { requestId: 'test', ip: null, issuerHost: null };
export const names = { clientId: 'shop', apiId: 'orders', authMethodId: AUTH_METHOD };
export const hash = () => randomBytes(32);
const ANY = { level: null, secondFactor: 'off', graceSeconds: 0, trustedDays: 30 } as const;

/**
 * Creates the client `shop` with a subscription to `orders`, which has a second method. Returns a user with a
 * password.
 */
export async function givenSubscribedShop(): Promise<Person> {
  await givenEmptyRegistry();
  await sql(`insert into auth_methods (id, type, name) values ('other', 'local', 'Another')`);
  await sql(`insert into combinations (auth_method_id, api_id) values ('other', 'orders')`);
  await givenClient(OPERATOR);
  await requestSubscription(OPERATOR, SHOP);
  return givenPerson('alice');
}

export async function personEpoch({ id }: Person): Promise<string> {
  const [row] = await sql<{ epoch: string }>('select epoch from people where id = $1', [id]);
  return row?.epoch ?? '0';
}

/** Creates a session for this user, with consent for the client. Returns the session id's hash. */
export async function givenSession(person: Person): Promise<Buffer> {
  const idHash = hash();
  const created = await createSession({
    ...context,
    idHash,
    kind: 'sign-in',
    authMethodId: AUTH_METHOD,
    personId: person.id,
    personEpoch: await personEpoch(person),
    authTime: null,
    maxSeconds: 600,
    replaces: null,
    userAgent: null,
    methodEpoch: null,
    attempts: [],
  });
  expect(created).toBe(true);
  await settled(async () => {
    const { version } = await currentSnapshot();
    const session = {
      version,
      sessionHash: idHash,
      idleSeconds: 600,
      label: person.email as string,
      strength: ANY,
    };
    expect(await grantConsent({ ...context, ...names, ...session, scopes: ['read'] })).toBe('granted');
  });
  return idHash;
}

export type Basis = 'consent' | 'trust';

/** Creates a code and returns its hash; null: the request was rejected. */
export async function authorize(session: Buffer, basis: Basis): Promise<Buffer | null> {
  const code = hash();
  const { version } = await currentSnapshot();
  const { issued } = await authorizeRequest({
    ...context,
    ...names,
    restricted: false,
    version,
    signIn: { kind: 'session', idHash: session, idleSeconds: 600 },
    codeChallenge: null,
    freshChallenge: false,
    strength: ANY,
    code: {
      hash: code,
      redirectUri: 'https://shop.example/cb',
      scopes: ['read'],
      scopeAsked: true,
      basis,
      maxAgeSeconds: null,
      consentScopes: ['read'],
      openid: null,
      expectedPersonId: null,
    },
  });
  return issued ? code : null;
}

export type Given = { familyId: string; refreshHash: Buffer };

export async function redeem(codeHash: Buffer): Promise<Given | null> {
  const { version } = await currentSnapshot();
  const given = { familyId: randomUUID(), refreshHash: hash() };
  const facts = { redirectUri: null, codeChallenge: null, opaqueHash: null, strictScopes: false };
  const redeemed = await redeemCode({ ...context, ...names, ...facts, ...given, version, codeHash });
  return redeemed && given;
}

export async function refresh(given: Given): Promise<Given | null> {
  const { version } = await currentSnapshot();
  const newHash = hash();
  const rotation = { oldHash: given.refreshHash, newHash, opaqueHash: null, scopes: null, ceiling: ['read'] };
  const asked = { ...rotation, strictScopes: false, version };
  const rotated = await rotateRefreshToken({ ...context, ...names, ...asked });
  return rotated && { ...given, refreshHash: newHash };
}

export async function isLiving({ familyId }: Given): Promise<boolean> {
  const { version } = await currentSnapshot();
  const at = Math.floor(now().getTime() / 1000);
  const access = {
    opaqueHash: null,
    familyId,
    jti: randomUUID(),
    scopes: ['read'],
    issuedAt: at,
    expiresAt: at + 60,
  };
  return (await findLiveToken({ version, askedBy: null, refreshHash: null, access })) !== null;
}

/** Repeats the work if the registry changed meanwhile, as every request handler does. */
export async function settled<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof RegistryChanged)) throw error;
    }
  }
}

/**
 * Runs the statement of the password grant for a person whose password was checked at this revocation counter
 * (epoch); null: rejected.
 */
export async function byPassword(person: Person, epoch: string): Promise<Given | null> {
  const { version, methods } = await currentSnapshot();
  const methodEpoch = methods.get(AUTH_METHOD)?.epoch ?? '';
  const given = { familyId: randomUUID(), refreshHash: hash() };
  const proved = { personId: person.id, personEpoch: epoch, methodEpoch, scopes: ['read'] };
  const rest = { opaqueHash: null, attempts: [], keepsStrength: false };
  const created = await createFamily({ ...context, ...names, ...proved, ...rest, ...given, version });
  return created && created !== 'has-factor' ? given : null;
}

type Loops = { given: Given[]; stop: () => Promise<void> };

/** Starts eight loops that request tokens until they are stopped. Resolves after the first tokens. */
export async function startLoops(person: Person, basis: Basis): Promise<Loops> {
  const given: Given[] = [];
  const session = await givenSession(person);
  const epoch = await personEpoch(person);
  let stopped = false;
  let busy = () => {};
  const underWay = new Promise<void>((resolve) => {
    busy = resolve;
  });
  const loop = async (at: number) => {
    while (!stopped) {
      const one = await settled(async () => {
        if (basis === 'trust' && at % 2 === 0) return byPassword(person, epoch);
        const code = await authorize(session, basis);
        return code && redeem(code);
      });
      if (one) {
        given.push(one);
        const next = await settled(() => refresh(one));
        if (next) given.push(next);
      }
      if (given.length >= LOOPS) busy();
    }
  };
  const loops = Array.from({ length: LOOPS }, (_, at) => loop(at));
  await underWay;
  return {
    given,
    stop: async () => {
      stopped = true;
      await Promise.all(loops);
    },
  };
}

/** Counts the active or renewable grants. */
export async function countSurvivors(given: Given[]): Promise<number> {
  // token and successor share a family
  const families = [...new Map(given.map((one) => [one.familyId, one])).values()];
  const living = await Promise.all(families.map((one) => settled(() => isLiving(one))));
  const renewed = await Promise.all(given.map((one) => settled(() => refresh(one))));
  return living.filter(Boolean).length + renewed.filter(Boolean).length;
}
