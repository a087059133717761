// Conformance of the kinds of sign-in methods: local accounts, an external verifier, an LDAP directory and a broker
// return the same verdicts for the same facts.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAuthMethod } from '#lib/catalogue/methods/operations.ts';
import { METHOD_TYPES } from '#lib/catalogue/methods/questions.ts';
import {
  createPerson,
  disablePerson,
  enablePerson,
  endSessionsOf,
} from '#lib/catalogue/people/operations.ts';
import { setLogLevel } from '#lib/kit/log.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { startScriptedBroker } from '#testing/brokers/scripted-broker.ts';
import { RIGHT_PASSWORD, startVerifier, VERIFY_TOKEN } from '#testing/brokers/verifier.ts';
import {
  BASE,
  DIRECTORY_PASSWORD,
  hasSlapd,
  personEntry,
  SEARCHER,
  startSlapd,
} from '#testing/directories/slapd.ts';
import { givenFixtures } from '#testing/in-process/in-process.ts';
import { asStranger, typed } from '#testing/in-process/typed.ts';
import { authMethodOf } from './auth-method.ts';
import type { Verdict } from './method.ts';

type Kind = {
  /** null: the kind has no outage, because Gatehouse verifies the user */
  stop: (() => Promise<unknown>) | null;
  close: () => Promise<unknown>;
  signIn: (name: string) => Promise<Verdict>;
  /** known user, wrong proof */
  wrong: (name: string) => Promise<Verdict>;
};

async function method(id: string) {
  const row = (await currentSnapshot()).methods.get(id);
  if (!row) throw new Error(`no method ${id}`);
  return authMethodOf(row);
}
async function byPassword(id: string, name: string, password: string): Promise<Verdict> {
  const verdict = await (await method(id)).verifyPassword?.(name, typed(password), asStranger);
  if (!verdict) throw new Error(`${id} checks no passwords`);
  if (verdict.kind === 'must-change') throw new Error(`${id} requires a new password of ${name}`);
  return verdict;
}

const KINDS: Record<string, (id: string) => Promise<Kind>> = {
  async local(id) {
    const config = { registration: 'open' };
    await createAuthMethod(OPERATOR, { id, type: 'local', name: id, config });
    for (const name of NAMES)
      await createPerson(OPERATOR, { email: `${name}@kinds.example`, roles: [], password: RIGHT_PASSWORD });
    const at = (name: string) => `${name}@kinds.example`;
    return {
      stop: null,
      close: async () => {},
      signIn: (name) => byPassword(id, at(name), RIGHT_PASSWORD),
      wrong: (name) => byPassword(id, at(name), 'wrong'),
    };
  },
  async external(id) {
    const verifier = await startVerifier();
    const config = { verify_url: verifier.url, timeout_ms: 2_000, allow_private_network: true };
    await createAuthMethod(OPERATOR, { id, type: 'external', name: id, config, secret: VERIFY_TOKEN });
    return {
      stop: () => verifier.close(),
      close: async () => {},
      signIn: (name) => byPassword(id, name, RIGHT_PASSWORD),
      wrong: (name) => byPassword(id, name, 'wrong'),
    };
  },
  async ldap(id) {
    const slapd = await startSlapd();
    slapd.add(...NAMES.map((name) => personEntry(name)));
    const config = {
      ...{ urls: [`ldap://127.0.0.1:${slapd.port}`], server_kind: 'openldap', bind_dn: SEARCHER.dn },
      ...{ base_dn: BASE, allow_private_network: true },
    };
    await createAuthMethod(OPERATOR, { id, type: 'ldap', name: id, config, secret: SEARCHER.password });
    return {
      stop: () => slapd.stop(),
      close: () => slapd.close(),
      signIn: (name) => byPassword(id, name, DIRECTORY_PASSWORD),
      wrong: (name) => byPassword(id, name, 'wrong'),
    };
  },
  async broker(id) {
    const broker = await startScriptedBroker();
    await createAuthMethod(OPERATOR, {
      id,
      type: 'broker',
      name: id,
      config: broker.config,
      secret: 'a secret',
    });
    async function signIn(name: string, nonce = NONCE): Promise<Verdict> {
      broker.script.idToken = { sub: name };
      const { startSignIn, finishSignIn } = await method(id);
      const departure = await startSignIn?.({
        origin: 'http://localhost:3000',
        state: 'a state',
        loginHint: null,
        maxAgeSeconds: null,
        again: false,
      });
      if (departure?.kind === 'unavailable') return departure;
      if (departure?.kind !== 'depart') throw new Error(`${id} does not depart`);
      const { expectation } = departure;
      broker.script.nonce = NONCE;
      const arrivedAt = new URL(expectation.redirectUri).pathname;
      const answer = { code: 'c', iss: broker.issuer, arrivedAt, whole: true };
      const verdict = await finishSignIn?.(answer, { ...expectation, nonce });
      if (!verdict) throw new Error(`${id} does not finish`);
      return verdict;
    }
    return {
      stop: () => broker.close(),
      close: async () => {},
      signIn,
      wrong: (name) => signIn(name, 'another nonce'),
    };
  },
};
/** nonce of each ID token of the broker */
const NONCE = 'a-nonce';
const NAMES = ['ada', 'ben', 'eve'];

beforeAll(async () => {
  setLogLevel('silent');
  await givenFixtures();
});

test('the table has a row for each kind of sign-in method', () => {
  expect(Object.keys(KINDS).toSorted()).toEqual([...METHOD_TYPES].toSorted());
});

describe.each(Object.entries(KINDS))('%s', (type, start) => {
  const id = `kind-${type}`;
  let kind: Kind;
  const skipped = type === 'ldap' && !hasSlapd;
  beforeAll(async () => {
    if (!skipped) kind = await start(id);
  });
  afterAll(() => kind?.close());

  async function identity(name: string) {
    const verdict = await kind.signIn(name);
    if (verdict.kind !== 'identity') throw new Error(`${name}: ${verdict.kind}`);
    return verdict;
  }

  test.skipIf(skipped)('one user, two sign-ins: one person. Two users: two persons', async () => {
    const [first, again, other] = [await identity('ada'), await identity('ada'), await identity('ben')];
    expect(again.personId).toBe(first.personId);
    expect(other.personId).not.toBe(first.personId);
  });

  test.skipIf(skipped)('concurrent first sign-ins of one user return one person', async () => {
    const verdicts = await Promise.all(Array.from({ length: 4 }, () => identity('eve')));
    expect(new Set(verdicts.map(({ personId }) => personId)).size).toBe(1);
  });

  test.skipIf(skipped)('a wrong proof is refused, and reveals no person', async () => {
    const verdict = await kind.wrong('ada');
    expect(verdict.kind).toBe('refused');
    expect(verdict).not.toHaveProperty('personId');
  });

  test.skipIf(skipped)(
    'a disabled person is refused until an administrator enables the account',
    async () => {
      const { personId } = await identity('ada');
      await disablePerson(OPERATOR, { id: personId });
      expect((await kind.signIn('ada')).kind).toBe('refused');
      await enablePerson(OPERATOR, { id: personId });
      expect((await identity('ada')).personId).toBe(personId);
    },
  );

  test.skipIf(skipped)('the end of all sign-ins gives the next verdict another epoch', async () => {
    const before = await identity('ben');
    await endSessionsOf(OPERATOR, { personId: before.personId });
    expect((await identity('ben')).personEpoch).not.toBe(before.personEpoch);
  });

  test.skipIf(skipped || type === 'local')(
    'an outage of the external service returns `unavailable`, not `refused`',
    async () => {
      await kind.stop?.();
      expect((await kind.signIn('ada')).kind).toBe('unavailable');
    },
  );
});
