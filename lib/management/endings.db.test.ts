// An event that ends the basis of tokens (an ending) also revokes the tokens, even tokens of requests in progress.
// Undoing the ending does not restore them. Each ending runs at the same time as eight loops that authorize, redeem
// and refresh continuously.
import { beforeEach, describe, expect, it } from 'vitest';
import { changeApi, readApi } from '#lib/catalogue/apis/operations.ts';
import {
  deleteClient,
  disableClient,
  enableClient,
  revokeClient,
} from '#lib/catalogue/clients/operations.ts';
import { disablePerson, enablePerson, endSessionsOf, setPassword } from '#lib/catalogue/people/operations.ts';
import { decideSubscription, requestSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import { now } from '#lib/kit/clock.ts';
import { createMailToken } from '#lib/store/hot/registrations.ts';
import { createSession, endSessions } from '#lib/store/hot/sessions.ts';
import { mint } from '#lib/tokens/formats.ts';
import {
  AUTH_METHOD,
  authorize,
  type Basis,
  byPassword,
  context,
  countSurvivors,
  type Given,
  givenSession,
  givenSubscribedShop,
  hash,
  isLiving,
  LOOPS,
  personEpoch,
  redeem,
  refresh,
  startLoops,
  TRIES,
} from '#testing/data/issuing.ts';
import { givenClient, givenPerson, PASSWORD, type Person, SHOP, sql } from '#testing/data/registry.ts';
import { resetPassword } from './mail-links.ts';
import { endMySessions, listMyConsents, withdrawConsent } from './my-account.ts';
import { OPERATOR } from './policy.ts';
import { invalidateIssued } from './service.ts';

let alice: Person;
let approver: Person;

beforeEach(async () => {
  alice = await givenSubscribedShop();
  approver = await givenPerson('approver', 'administrator');
});

type Ending = { end: () => Promise<unknown>; undo?: () => Promise<unknown>; basis?: Basis };
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
  },
  'a reset password': {
    end: async () => {
      const token = mint('mail');
      const email = alice.email as string;
      await createMailToken({ tokenHash: token.hash, purpose: 'password-reset', email, seconds: 60 });
      await resetPassword({ token: token.value, password: `${PASSWORD}-new`, ...context });
    },
  },
  'a disabled person': {
    end: () => disablePerson(OPERATOR, { id: alice.id }),
    undo: () => enablePerson(OPERATOR, { id: alice.id }),
  },
  'a disabled client': {
    end: () => disableClient(OPERATOR, { clientId: 'shop' }),
    undo: () => enableClient(OPERATOR, { clientId: 'shop' }),
  },
  'a client whose tokens were all revoked': {
    end: () => revokeClient(OPERATOR, { clientId: 'shop' }),
  },
  'a withdrawn consent': {
    end: async () => {
      const [consent] = await listMyConsents(alice);
      await withdrawConsent(alice, { id: consent?.id as string });
    },
  },
  'a sign-out everywhere': { end: () => endMySessions(alice, { keepCurrent: false }) },
  'a sign-out everywhere by an administrator': {
    end: () => endSessionsOf(OPERATOR, { personId: alice.id }),
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
  'an invalidation': { end: () => invalidateIssued(OPERATOR, { before: now() }) },
};

describe.each(Object.entries(ENDINGS))('ending: %s', (_, { end, undo, basis = 'consent' }) => {
  it(`every token is revoked permanently, in ${TRIES} tries while ${LOOPS} loops request tokens`, async () => {
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      // simulates autovacuum: without statistics, queries on this growing table take ten times as long
      if (attempt % 5 === 0) await sql('analyze token_families, refresh_tokens');
      if (basis === 'trust') await sql(`update subscriptions set trusted = true, state = 'approved'`);
      const loops = await startLoops(alice, basis);
      await end();
      await loops.stop();
      expect(await countSurvivors(loops.given), `attempt ${attempt}: after the ending`).toBe(0);
      if (!undo) continue;
      await undo();
      expect(await countSurvivors(loops.given), `attempt ${attempt}: after it was undone`).toBe(0);
    }
  }, 240_000);
});

it('a sign-out invalidates unredeemed codes, and earlier tokens remain valid', async () => {
  const session = await givenSession(alice);
  const code = (await authorize(session, 'consent')) as Buffer;
  const given = (await redeem((await authorize(session, 'consent')) as Buffer)) as Given;
  await endSessions([session], context);
  expect(await redeem(code)).toBeNull();
  expect(await authorize(session, 'consent')).toBeNull();
  expect(await isLiving(given)).toBe(true);
  expect(await refresh(given)).not.toBeNull();
});

it('a sign-in creates no session or token if the password was changed after it was checked', async () => {
  const before = await personEpoch(alice);
  await setPassword(OPERATOR, { id: alice.id, password: `${PASSWORD}-new` });
  await sql('update subscriptions set trusted = true');
  expect(await byPassword(alice, before)).toBeNull();
  const session = { idHash: hash(), kind: 'sign-in', authMethodId: AUTH_METHOD, personId: alice.id } as const;
  const proved = { methodEpoch: null, attempts: [], authTime: null };
  const rest = { ...proved, maxSeconds: 600, replaces: null, userAgent: null };
  expect(await createSession({ ...context, ...session, ...rest, personEpoch: before })).toBe(false);
});
