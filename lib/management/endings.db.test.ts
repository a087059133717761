// Whatever ends what tokens rest on ends the tokens, those in flight too, and what was ended stays ended when the ending is
// undone. Each ending runs beside eight loops that authorize, redeem and refresh as fast as they can.
import { randomBytes, randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { now } from '#lib/kit/index.ts';
import {
  authorize as authorizeRequest,
  createFamily,
  createMailToken,
  createSession,
  currentSnapshot,
  endSessions,
  findLiveToken,
  findOrCreateIdentity,
  grantConsent,
  RegistryChanged,
  redeemCode,
  rotateRefreshToken,
} from '#lib/store/index.ts';
import { mint } from '#lib/tokens/index.ts';
import {
  givenClient,
  givenEmptyRegistry,
  givenPerson,
  PASSWORD,
  type Person,
  SHOP,
  sql,
} from '#testing/registry.ts';
import { endMySessions } from './account.ts';
import { changeApi, readApi } from './apis.ts';
import { deleteClient } from './client-change.ts';
import { disableClient, enableClient } from './clients.ts';
import { listMyConsents, withdrawConsent } from './consents.ts';
import { decideSubscription } from './decisions.ts';
import { invalidateIssued } from './invalidate.ts';
import { resetPassword } from './mail-links.ts';
import { changeAuthMethod, readAuthMethod } from './methods.ts';
import { disablePerson, enablePerson, setPassword } from './people.ts';
import { OPERATOR } from './policy.ts';
import { endSessionsOf } from './sessions.ts';
import { requestSubscription } from './subscriptions.ts';

const LOOPS = 8;
const TRIES = 50;
const AUTH_METHOD = 'local';
const context = { requestId: 'test', ip: null };
const names = { clientId: 'shop', apiId: 'orders', authMethodId: AUTH_METHOD };
const hash = () => randomBytes(32);

let alice: Person;
let approver: Person;

beforeEach(async () => {
  await givenEmptyRegistry();
  await sql(`insert into auth_methods (id, type, name) values ('other', 'local', 'Another')`);
  await sql(`insert into combinations (auth_method_id, api_id) values ('other', 'orders')`);
  await givenClient(OPERATOR);
  await requestSubscription(OPERATOR, SHOP);
  alice = await givenPerson('alice');
  approver = await givenPerson('approver', 'administrator');
});

async function personEpoch(): Promise<string> {
  const [row] = await sql<{ epoch: string }>('select epoch from people where id = $1', [alice.id]);
  return row?.epoch ?? '0';
}

async function givenSession(): Promise<Buffer> {
  const idHash = hash();
  const created = await createSession({
    ...context,
    idHash,
    kind: 'sign-in',
    authMethodId: AUTH_METHOD,
    personId: alice.id,
    personEpoch: await personEpoch(),
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
    const session = { version, sessionHash: idHash, idleSeconds: 600, label: alice.email as string };
    expect(await grantConsent({ ...context, ...names, ...session, scopes: ['read'] })).toBe('granted');
  });
  return idHash;
}

type Basis = 'consent' | 'trust';

/** Null: refused. */
async function authorize(session: Buffer, basis: Basis): Promise<Buffer | null> {
  const code = hash();
  const { version } = await currentSnapshot();
  const { issued } = await authorizeRequest({
    ...context,
    ...names,
    version,
    signIn: { kind: 'session', idHash: session, idleSeconds: 600 },
    codeChallenge: null,
    freshChallenge: false,
    code: {
      hash: code,
      redirectUri: 'https://shop.example/cb',
      scopes: ['read'],
      scopeAsked: true,
      basis,
      maxAgeSeconds: null,
    },
  });
  return issued ? code : null;
}

type Given = { familyId: string; refreshHash: Buffer };

async function redeem(codeHash: Buffer): Promise<Given | null> {
  const { version } = await currentSnapshot();
  const given = { familyId: randomUUID(), refreshHash: hash() };
  const facts = { redirectUri: null, codeChallenge: null, opaqueHash: null };
  const redeemed = await redeemCode({ ...context, ...names, ...facts, ...given, version, codeHash });
  return redeemed && given;
}

async function refresh(given: Given): Promise<Given | null> {
  const { version } = await currentSnapshot();
  const newHash = hash();
  const rotation = { oldHash: given.refreshHash, newHash, opaqueHash: null, scopes: null, ceiling: ['read'] };
  const rotated = await rotateRefreshToken({ ...context, ...names, ...rotation, version });
  return rotated && { ...given, refreshHash: newHash };
}

async function isLiving({ familyId }: Given): Promise<boolean> {
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

/** Asked again where the registry moved meanwhile, as every handler is. */
async function settled<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof RegistryChanged)) throw error;
    }
  }
}

/** Signs in by password, as far as the store sees it. */
async function byPassword(epoch: string): Promise<Given | null> {
  const { version, methods } = await currentSnapshot();
  const methodEpoch = methods.get(AUTH_METHOD)?.epoch ?? '';
  const given = { familyId: randomUUID(), refreshHash: hash() };
  const person = { personId: alice.id, personEpoch: epoch, methodEpoch, scopes: ['read'] };
  const rest = { opaqueHash: null, attempts: [] };
  const created = await createFamily({ ...context, ...names, ...person, ...rest, ...given, version });
  return created && given;
}

type Loops = { given: Given[]; stop: () => Promise<void> };

/** Eight that ask for tokens until they are stopped; gives back once tokens have been given. */
async function startLoops(basis: Basis): Promise<Loops> {
  const given: Given[] = [];
  const session = await givenSession();
  const epoch = await personEpoch();
  let stopped = false;
  let busy = () => {};
  const underWay = new Promise<void>((resolve) => {
    busy = resolve;
  });
  const loop = async (at: number) => {
    while (!stopped) {
      const one = await settled(async () => {
        if (basis === 'trust' && at % 2 === 0) return byPassword(epoch);
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

async function survivors(given: Given[]): Promise<number> {
  const living = await Promise.all(given.map((one) => settled(() => isLiving(one))));
  const renewed = await Promise.all(given.map((one) => settled(() => refresh(one))));
  return living.filter(Boolean).length + renewed.filter(Boolean).length;
}

type Ending = { end: () => Promise<unknown>; undo: () => Promise<unknown>; basis?: Basis };
const nothing = async () => {};
const approve = async () => {
  await decideSubscription(approver, { ...SHOP, action: 'approve' }).catch(() => {});
};

async function setMethods(authMethods: string[]): Promise<void> {
  const { version } = await readApi(OPERATOR, { id: 'orders' });
  await changeApi(OPERATOR, { id: 'orders', authMethods, version });
}

const ENDINGS: Record<string, Ending> = {
  'a changed password': {
    end: () => setPassword(OPERATOR, { id: alice.id, password: `${PASSWORD}-new` }),
    undo: nothing,
  },
  'a reset password': {
    end: async () => {
      const token = mint('mail');
      const email = alice.email as string;
      await createMailToken({ tokenHash: token.hash, purpose: 'password-reset', email, seconds: 60 });
      await resetPassword({ token: token.value, password: `${PASSWORD}-new`, ...context });
    },
    undo: nothing,
  },
  'a disabled person': {
    end: () => disablePerson(OPERATOR, { id: alice.id }),
    undo: () => enablePerson(OPERATOR, { id: alice.id }),
  },
  'a disabled client': {
    end: () => disableClient(OPERATOR, { clientId: 'shop' }),
    undo: () => enableClient(OPERATOR, { clientId: 'shop' }),
  },
  'a withdrawn consent': {
    end: async () => {
      const [consent] = await listMyConsents(alice);
      await withdrawConsent(alice, { id: consent?.id as string });
    },
    undo: nothing,
  },
  'a sign-out everywhere': { end: () => endMySessions(alice, { keepCurrent: false }), undo: nothing },
  'a sign-out everywhere by an administrator': {
    end: () => endSessionsOf(OPERATOR, { personId: alice.id }),
    undo: nothing,
  },
  'a revoked subscription': {
    end: () => decideSubscription(OPERATOR, { ...SHOP, action: 'revoke' }),
    undo: async () => {
      await requestSubscription(OPERATOR, SHOP);
      await approve();
    },
  },
  'trust taken away': {
    basis: 'trust',
    end: () => sql(`update subscriptions set trusted = false`),
    undo: () => sql(`update subscriptions set trusted = true, state = 'approved'`),
  },
  'a deleted client': {
    end: async () => {
      await deleteClient(OPERATOR, { clientId: 'shop' });
    },
    undo: async () => {
      await givenClient(OPERATOR);
      await requestSubscription(OPERATOR, SHOP);
      await approve();
    },
  },
  'a combination taken away': {
    end: () => setMethods(['other']),
    undo: () => setMethods(['other', AUTH_METHOD]),
  },
  'an invalidation': { end: () => invalidateIssued(OPERATOR, { before: now() }), undo: nothing },
};

describe.each(Object.entries(ENDINGS))('%s', (_, { end, undo, basis = 'consent' }) => {
  it(`ends every token, in ${TRIES} tries beside ${LOOPS} loops, and for good`, async () => {
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      if (basis === 'trust') await sql(`update subscriptions set trusted = true, state = 'approved'`);
      const loops = await startLoops(basis);
      await end();
      await loops.stop();
      expect(await survivors(loops.given), `attempt ${attempt}: after the ending`).toBe(0);
      await undo();
      expect(await survivors(loops.given), `attempt ${attempt}: after it was undone`).toBe(0);
    }
  }, 240_000);
});

it('a single sign-out stops the codes in flight; tokens given before live on', async () => {
  const session = await givenSession();
  const code = (await authorize(session, 'consent')) as Buffer;
  const given = (await redeem((await authorize(session, 'consent')) as Buffer)) as Given;
  await endSessions([session], context);
  expect(await redeem(code)).toBeNull();
  expect(await authorize(session, 'consent')).toBeNull();
  expect(await isLiving(given)).toBe(true);
  expect(await refresh(given)).not.toBeNull();
});

it('a sign-in whose password was changed since it was checked begins nothing', async () => {
  const before = await personEpoch();
  await setPassword(OPERATOR, { id: alice.id, password: `${PASSWORD}-new` });
  await sql('update subscriptions set trusted = true');
  expect(await byPassword(before)).toBeNull();
  const session = { idHash: hash(), kind: 'sign-in', authMethodId: AUTH_METHOD, personId: alice.id } as const;
  const proved = { methodEpoch: null, attempts: [], authTime: null };
  const rest = { ...proved, maxSeconds: 600, replaces: null, userAgent: null };
  expect(await createSession({ ...context, ...session, ...rest, personEpoch: before })).toBe(false);
});

type Proof = { epoch: string; subject: string; personId: string; personEpoch: string };
type Begun = { epoch: string; session: Buffer | null; family: Given | null };

/** The broker confirms somebody, as far as the store sees it; null: the method has been handed over meanwhile. */
async function confirmed(subject: string): Promise<Proof | null> {
  const epoch = (await currentSnapshot()).methods.get('campus')?.epoch ?? '';
  const identity = { authMethodId: 'campus', methodEpoch: epoch, subject, email: null, name: null };
  const person = await findOrCreateIdentity(identity);
  return person && { epoch, subject, ...person };
}

/** Begins a session and a password grant's family with what the broker has confirmed. */
async function begin({ epoch, personId, personEpoch }: Proof): Promise<Begun> {
  const session = hash();
  const person = { personId, personEpoch, methodEpoch: epoch, authMethodId: 'campus', attempts: [] };
  const rest = { kind: 'sign-in', authTime: null, maxSeconds: 600, replaces: null, userAgent: null } as const;
  const created = await createSession({ ...context, ...person, ...rest, idHash: session });
  const given = { familyId: randomUUID(), refreshHash: hash() };
  const { version } = await currentSnapshot();
  const family = { ...context, ...names, ...person, ...given, version, scopes: ['read'], opaqueHash: null };
  return { epoch, session: created ? session : null, family: (await createFamily(family)) && given };
}

const BROKER = { issuer: 'https://login.example', client_id: 'gatehouse', scopes: ['openid'] };

async function handOver(port: number): Promise<string> {
  const { version } = await readAuthMethod(OPERATOR, { id: 'campus' });
  const config = { ...BROKER, issuer: `https://login.example:${port}` };
  await changeAuthMethod(OPERATOR, { id: 'campus', version, config });
  return (await currentSnapshot()).methods.get('campus')?.epoch ?? '';
}

describe('a method that is handed to another broker', () => {
  beforeEach(async () => {
    await sql(`insert into auth_methods (id, type, name, config) values ('campus', 'broker', 'Campus', $1)`, [
      JSON.stringify(BROKER),
    ]);
    await sql(`insert into combinations (auth_method_id, api_id) values ('campus', 'orders')`);
    await sql(`update subscriptions set trusted = true, state = 'approved'`);
  });

  it('a sign-in that the broker before confirmed begins nothing', async () => {
    const proof = (await confirmed('ada')) as Proof;
    await handOver(8443);
    expect(await begin(proof)).toMatchObject({ session: null, family: null });
  });

  it(`nothing that rests on the broker before survives, in ${TRIES} tries beside ${LOOPS} loops`, async () => {
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const begun: Begun[] = [];
      let stopped = false;
      let at = 0;
      const loops = Array.from({ length: LOOPS }, async () => {
        while (!stopped) {
          const proof = await confirmed(`person ${at++ % 20}`);
          if (proof) begun.push(await begin(proof));
        }
      });
      while (begun.length < LOOPS) await Promise.race([Promise.all(loops), confirmed('waits')]);
      const epoch = await handOver(9_000 + attempt);
      stopped = true;
      await Promise.all(loops);
      const old = begun.filter((one) => one.epoch !== epoch);
      expect(old.length).toBeGreaterThan(0);
      const sessions = old.flatMap(({ session }) => (session ? [session] : []));
      const living = await sql('select from sessions where id_hash = any ($1) and ended_at is null', [
        sessions,
      ]);
      expect(living, `attempt ${attempt}: sessions`).toHaveLength(0);
      const families = old.flatMap(({ family }) => (family ? [family] : []));
      expect(
        await Promise.all(families.map((one) => settled(() => isLiving(one)))),
        `attempt ${attempt}`,
      ).not.toContain(true);
      // the identities that are left were confirmed by the new broker
      const identities = await sql<{ n: number }>(
        `select count(*)::int as n from external_identities i join people p on p.id = i.person_id
          where i.auth_method_id = 'campus' and p.created_at < (select updated_at from auth_methods where id = 'campus')`,
      );
      expect(identities[0]?.n, `attempt ${attempt}: identities`).toBe(0);
    }
  }, 240_000);
});
