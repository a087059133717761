// Tokens from an ID-JAG: single use, and revocation when any basis of the token ends, even during issuance.
import { randomUUID } from 'node:crypto';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { changeApi } from '#lib/catalogue/apis/operations.ts';
import { disableClient, enableClient } from '#lib/catalogue/clients/operations.ts';
import { changeAuthMethod } from '#lib/catalogue/methods/operations.ts';
import { changeSubscription, decideSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { expectReason } from '#testing/clients/asserted.ts';
import {
  CONF,
  giveMachine,
  granted,
  type IdentityProvider,
  makeIdJag,
  outcome,
  startIdentityProvider,
  trustForMachines,
} from '#testing/clients/id-jag.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, givenFixtures, jsonOf } from '#testing/in-process/in-process.ts';

const TRU = { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures' };
const OURS = { clientId: 'conf', api: 'orders' };
let idp: IdentityProvider;

beforeAll(async () => {
  await givenFixtures();
  idp = await startIdentityProvider();
  await trustForMachines(idp, 'conf');
});
afterAll(() => idp.close());
beforeEach(() => sql('delete from refused_requests'));

/** Introspects with the API's credential, at an issuer that the test never deletes. */
async function isActive(token: string): Promise<unknown> {
  const basic = Buffer.from('orders:fixture-orders-introspection-secret').toString('base64');
  const headers = { authorization: `Basic ${basic}` };
  const answer = await ask('/auth/pw/api/orders/introspect', { form: { token }, headers });
  if (answer.status !== 200) throw new Error(String(answer.body));
  return jsonOf(answer)['active'];
}

describe('single use', () => {
  test('of ten concurrent requests with one ID-JAG, exactly one receives a token', async () => {
    for (let round = 0; round < 5; round += 1) {
      const assertion = await makeIdJag(idp, { claims: { sub: `racer ${round}` } });
      const outcomes = await Promise.all(Array.from({ length: 10 }, () => outcome(assertion)));
      expect(outcomes.filter((one) => one === '200')).toHaveLength(1);
      expect(outcomes.filter((one) => one === '400 invalid_grant')).toHaveLength(9);
    }
    await expectReason('conf', 'jag-used');
  });

  test('a used jti with different exp, sub and scope counts as reused', async () => {
    const jti = randomUUID();
    expect(await outcome(await makeIdJag(idp, { claims: { jti } }))).toBe('200');
    const again = { jti, sub: 'somebody else', scope: 'read', exp: Math.floor(Date.now() / 1000) + 200 };
    expect(await outcome(await makeIdJag(idp, { claims: again }))).toBe('400 invalid_grant');
  });

  test('eight concurrent first ID-JAGs of one user create one user', async () => {
    const made = await Promise.all(
      Array.from({ length: 8 }, async () => granted(await makeIdJag(idp, { claims: { sub: 'many' } }))),
    );
    const people = new Set(made.map((one) => decodeJwt(one['access_token'] ?? '').sub));
    expect(people.size).toBe(1);
  });
});

const person = "(select person_id from external_identities where subject = 'U019488227')";
const withoutBroker = { id: 'orders', authMethods: ['pw', 'ext'] };
const withBroker = { id: 'orders', authMethods: ['pw', 'ext', 'brk'] };
const suspend = { ...OURS, action: 'suspend', reason: 'a test' } as const;
const ENDINGS: Record<string, { end: () => Promise<unknown>; undo: () => Promise<unknown> }> = {
  'machine is taken away': {
    end: () => changeSubscription(OPERATOR, { ...OURS, machine: false }),
    undo: () => giveMachine('conf', 'orders'),
  },
  'the person is disabled': {
    end: () => sql(`update people set disabled_at = now() where id = ${person}`),
    undo: () => sql(`update people set disabled_at = null where id = ${person}`),
  },
  'the client is disabled': {
    end: () => disableClient(OPERATOR, { clientId: 'conf' }),
    undo: () => enableClient(OPERATOR, { clientId: 'conf' }),
  },
  'the API drops the method': {
    end: () => changeApi(OPERATOR, withoutBroker),
    undo: () => changeApi(OPERATOR, withBroker),
  },
  'the method is handed to another broker': {
    end: () => handOver('https://login.example'),
    undo: () => handOver(idp.issuer),
  },
};

async function handOver(issuer: string): Promise<void> {
  const config = { issuer, client_id: 'gatehouse', allow_private_network: true };
  await changeAuthMethod(OPERATOR, { id: 'brk', config });
}

describe('revocation of tokens from an ID-JAG', () => {
  test.each(Object.entries(ENDINGS))(
    '%s revokes the token from an ID-JAG immediately and permanently',
    async (_, { end, undo }) => {
      const { access_token: token = '' } = await granted(await makeIdJag(idp));
      expect(await isActive(token)).toBe(true);
      await end();
      expect(await isActive(token)).toBe(false);
      expect(await outcome(await makeIdJag(idp))).toMatch(/^40[014] /);
      await undo();
      expect(await isActive(token)).toBe(false);
      const { access_token: next = '' } = await granted(await makeIdJag(idp));
      expect(await isActive(next)).toBe(true);
    },
  );

  test('subscription suspension blocks the ID-JAG grant, and resumption restores it', async () => {
    const { access_token: token = '' } = await granted(await makeIdJag(idp));
    await decideSubscription(OPERATOR, suspend);
    expect(await isActive(token)).toBe(false);
    expect(await outcome(await makeIdJag(idp))).toBe('400 unauthorized_client');
    await decideSubscription(OPERATOR, { ...OURS, action: 'resume' });
    expect(await outcome(await makeIdJag(idp))).toBe('200');
  });

  test('removing the machine permission does not affect user-granted tokens', async () => {
    await giveMachine('tru', 'orders');
    await sql("update subscriptions set trusted = true where client_id = 'tru'");
    const form = {
      ...TRU,
      grant_type: 'password',
      username: 'alice@example.com',
      password: 'alice-password-1',
    };
    const { access_token: trusted } = jsonOf(await ask('/auth/pw/api/orders/token', { form }));
    const asserted = await granted(await makeIdJag(idp, { claims: { client_id: 'tru' } }), { form: TRU });
    await sql("update subscriptions set machine = false where client_id = 'tru'");
    expect(await isActive(String(trusted))).toBe(true);
    expect(await isActive(asserted['access_token'] ?? '')).toBe(false);
  });

  test('a disabled user’s ID-JAG is rejected, and only the developer sees the reason', async () => {
    await sql(`update people set disabled_at = now() where id = ${person}`);
    expect(await outcome(await makeIdJag(idp))).toBe('400 invalid_grant');
    await expectReason('conf', 'jag-person');
    await sql(`update people set disabled_at = null where id = ${person}`);
  });
});

describe('changes while the broker’s keys are fetched', () => {
  /** Sends an ID-JAG of a broker whose keys are unknown; `happens` runs before the broker returns its keys. */
  async function during(happens: () => Promise<unknown>, scope?: string): Promise<string> {
    const other = await startIdentityProvider();
    other.state.beforeKeys = async () => {
      other.state.beforeKeys = async () => {};
      await happens();
    };
    await handOver(other.issuer);
    const claims = { sub: 'in flight', ...(scope ? { scope } : {}) };
    const result = await outcome(await makeIdJag(other, { claims }), { form: CONF });
    await handOver(idp.issuer);
    await other.close();
    return result;
  }
  const families = async () => (await sql("select from token_families where basis = 'assertion'")).length;

  test('a changed broker, a disabled client or a lost machine permission while keys are fetched: no token is issued', async () => {
    const before = await families();
    expect(await during(() => handOver('https://login.example'))).toBe('400 invalid_grant');
    expect(await during(() => changeSubscription(OPERATOR, { ...OURS, machine: false }))).toBe(
      '400 unauthorized_client',
    );
    await giveMachine('conf', 'orders');
    expect(await during(() => disableClient(OPERATOR, { clientId: 'conf' }))).toBe('401 invalid_client');
    await enableClient(OPERATOR, { clientId: 'conf' });
    expect(await families()).toBe(before);
  });

  test('if the scope ceiling is lowered while the broker’s keys are fetched, the token contains only the remaining scopes', async () => {
    const lower = () =>
      sql("update subscriptions set scopes = '{read}' where client_id = 'conf' and api_id = 'orders'");
    expect(await during(lower)).toBe('200');
    const [family] = await sql('select scopes from token_families order by created_at desc limit 1');
    expect(family).toEqual({ scopes: ['read'] });
    await sql("update subscriptions set scopes = '{}' where client_id = 'conf'");
  });
});
