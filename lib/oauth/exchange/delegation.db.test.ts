// Delegation: a user lets an agent act for them (RFC 8693 §1.1, §4.1, §4.4), tested by requests to the protocol core.
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { createApi } from '#lib/catalogue/apis/operations.ts';
import { disableClient, enableClient } from '#lib/catalogue/clients/operations.ts';
import { disablePerson } from '#lib/catalogue/people/operations.ts';
import {
  changeSubscription,
  decideSubscription,
  requestSubscription,
} from '#lib/catalogue/subscriptions/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { deleteExpired } from '#lib/store/cleanup.ts';
import { sql } from '#testing/data/registry.ts';
import {
  type Alice,
  CONF,
  endAct,
  exchangeAs,
  givenAlice,
  inDays,
  introspect,
  letAct,
} from '#testing/in-process/delegations.ts';
import { ask, givenFixtures, jsonOf } from '#testing/in-process/in-process.ts';

let alice: Alice;

beforeAll(givenFixtures);
beforeEach(async () => {
  await sql('delete from delegations');
  alice = await givenAlice();
});

const alive = async (token: string | undefined, api = 'billing') => (await introspect(token, api))['active'];
const refused = { status: 400, error: 'unauthorized_client' };

test('RFC 8693 §4.1: the agent receives a token for the target API that names the user, and the agent in act', async () => {
  await letAct(alice, 'billing', ['read', 'pay']);
  const given = await exchangeAs(alice);
  expect(given).toMatchObject({ status: 200, scope: 'read pay', token_type: 'bearer' });
  expect(given).not.toHaveProperty('refresh_token');
  const told = await introspect(given['access_token'], 'billing');
  expect(told).toMatchObject({
    active: true,
    sub: alice.personId,
    client_id: 'conf',
    scope: 'read pay',
    act: { sub: 'conf', client_id: 'conf' },
  });
  expect(told).not.toHaveProperty('may_act');
  const [event] = await sql<{ details: object }>(
    "select details from audit_events where event = 'token.exchanged' order by id desc limit 1",
  );
  expect(event?.details).toMatchObject({ by: 'delegation', act: { client_id: 'conf' } });
});

test('a delegated token has the scopes that ceiling and delegation permit, and at the token’s own API also the token’s scopes', async () => {
  await letAct(alice, 'orders', ['read', 'write']);
  const atOrders = { audience: 'orders' };
  expect((await exchangeAs(alice, atOrders))['scope']).toBe('read');
  expect(await exchangeAs(alice, { ...atOrders, scope: 'write' })).toMatchObject({ error: 'invalid_scope' });
  const both = await givenAlice('read write');
  expect((await exchangeAs(both, atOrders))['scope']).toBe('read write');
  await letAct(alice, 'orders', ['write']);
  expect((await exchangeAs(both, atOrders))['scope']).toBe('write');
  expect(await exchangeAs(alice, atOrders)).toMatchObject({ error: 'invalid_scope' });
  await letAct(alice, 'billing', ['read', 'pay']);
  await changeSubscription(OPERATOR, { clientId: 'conf', api: 'billing', scopes: ['read'] });
  expect((await exchangeAs(alice))['scope']).toBe('read');
  await changeSubscription(OPERATOR, { clientId: 'conf', api: 'billing', scopes: [] });
});

test('the agent’s client_credentials token can be the actor token, and results in the same act claim', async () => {
  await sql("update subscriptions set machine = true where client_id = 'conf' and api_id = 'orders'");
  await letAct(alice, 'billing');
  const form = { ...CONF, grant_type: 'client_credentials' };
  const actor = String(jsonOf(await ask('/auth/pw/api/orders/token', { form }))['access_token']);
  const { access_token } = await exchangeAs({ ...alice, actor });
  expect((await introspect(access_token, 'billing'))['act']).toEqual({ sub: 'conf', client_id: 'conf' });
  expect(await exchangeAs({ subject: actor, actor })).toMatchObject({ error: 'invalid_request' });
});

test('a delegated exchange requires a confidential client and a delegation for exactly this API, user and actor', async () => {
  expect(await exchangeAs(alice)).toMatchObject(refused);
  await letAct(alice, 'billing');
  expect(await exchangeAs(alice, { audience: 'orders' })).toMatchObject(refused);
  expect(await exchangeAs({ ...alice, actor: alice.subject })).toMatchObject(refused);
  expect(await exchangeAs(alice, { actor_token: '', actor_token_type: '' })).toMatchObject(refused);
  expect(await exchangeAs({ ...alice, actor: 'made-up' })).toMatchObject({ error: 'invalid_request' });
  const conf2 = { client_id: 'conf2', client_secret: 'S2-conf2-secret-of-the-fixtures', audience: 'orders' };
  expect(await exchangeAs(alice, conf2)).toMatchObject(refused);
  expect(await exchangeAs(alice, { client_secret: 'wrong' })).toMatchObject({ status: 401 });
  await sql("update delegations set person_id = (select id from people where email = 'bob@example.com')");
  expect(await exchangeAs(alice)).toMatchObject(refused);
  await sql("update delegations set person_id = $1, client_id = 'nat', api_id = 'orders'", [alice.personId]);
  const nat = { client_id: 'nat', client_secret: '', audience: 'orders' };
  expect(await exchangeAs(alice, nat)).toMatchObject(refused);
});

test('a delegation cannot name the management API: the database table rejects the row', async () => {
  await expect(
    sql(
      `insert into delegations (person_id, client_id, api_id, scopes, until)
       values ($1, 'conf', 'management', '{people:write}', now() + interval '1 day')`,
      [alice.personId],
    ),
  ).rejects.toThrow('delegations_not_management');
});

test('a delegation ends at its date: exchanges fail, and earlier tokens expire', async () => {
  const { id } = await letAct(alice, 'billing', ['read'], new Date(Date.now() + 60_000));
  const given = await exchangeAs(alice);
  expect(Number(given['expires_in'])).toBeLessThanOrEqual(60);
  await sql("update delegations set until = now() - interval '1 second' where id = $1", [id]);
  expect(await exchangeAs(alice)).toMatchObject(refused);
  await deleteExpired();
  expect(await sql('select from delegations where id = $1', [id])).toEqual([]);
});

test('if a delegation is revoked during fifty exchanges, no token remains valid', async () => {
  for (let round = 0; round < 3; round += 1) {
    const { id } = await letAct(alice, 'billing');
    const asked = Array.from({ length: 50 }, () => exchangeAs(alice));
    // some exchanges have finished, and others are still running
    await Promise.any(asked);
    await endAct(alice, id);
    const tokens = (await Promise.all(asked)).flatMap(({ access_token }) => access_token || []);
    expect(tokens.length).toBeGreaterThan(0);
    for (const token of tokens) expect(await alive(token)).toBe(false);
    expect(await exchangeAs(alice)).toMatchObject(refused);
  }
});

test('a new delegation revokes tokens of the previous one, and a renewal makes none of them valid again', async () => {
  await letAct(alice, 'billing', ['read', 'pay']);
  const before = await exchangeAs(alice);
  const { id } = await letAct(alice, 'billing', ['read']);
  expect(await alive(before['access_token'])).toBe(false);
  const after = await exchangeAs(alice);
  expect(after['scope']).toBe('read');
  await endAct(alice, id);
  await letAct(alice, 'billing', ['read']);
  expect(await alive(after['access_token'])).toBe(false);
});

test('delegated tokens end with their user, agent, subscription or subject token', async () => {
  await letAct(alice, 'billing');
  const endings: [string, () => Promise<unknown>, () => Promise<unknown>][] = [
    [
      'the agent is blocked',
      () => disableClient(OPERATOR, { clientId: 'conf' }),
      () => enableClient(OPERATOR, { clientId: 'conf' }),
    ],
    [
      'its subscription is revoked',
      () => decideSubscription(OPERATOR, { clientId: 'conf', api: 'billing', action: 'revoke' }),
      () =>
        sql("update subscriptions set state = 'approved' where client_id = 'conf' and api_id = 'billing'"),
    ],
    [
      'the subject token is revoked',
      async () => {
        const tru = { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures' };
        await ask('/auth/pw/api/orders/revoke', { form: { ...tru, token: alice.subject } });
      },
      async () => {},
    ],
    ['the person is disabled', () => disablePerson(OPERATOR, { id: alice.personId }), async () => {}],
  ];
  for (const [what, end, undo] of endings) {
    alice = await givenAlice();
    const { access_token } = await exchangeAs(alice);
    expect(await alive(access_token), what).toBe(true);
    await end();
    expect(await alive(access_token), what).toBe(false);
    expect((await exchangeAs(alice)).status, what).toBeGreaterThanOrEqual(400);
    await undo();
    expect(await alive(access_token), what).toBe(false);
  }
  await sql('update people set disabled_at = null');
});

test('changes of a client’s trust do not change a user’s delegation', async () => {
  await letAct(alice, 'billing');
  const { access_token } = await exchangeAs(alice);
  const trusted = (value: boolean) =>
    sql("update subscriptions set trusted = $1 where client_id = 'conf' and api_id = 'billing'", [value]);
  await trusted(true);
  await trusted(false);
  expect(await alive(access_token)).toBe(true);
});

test('RFC 8693 §4.4: may_act names the agent at delegated APIs, and is absent at other APIs', async () => {
  const told = async (token = alice.subject) => (await introspect(token, 'orders'))['may_act'];
  const asked = async (client: Record<string, string>) =>
    jsonOf(await ask('/auth/pw/api/orders/introspect', { form: { ...client, token: alice.subject } }))[
      'may_act'
    ];
  expect(await told()).toBeUndefined();
  await letAct(alice, 'billing');
  expect(await told()).toBeUndefined();
  const { id } = await letAct(alice, 'orders');
  const conf = { sub: 'conf', client_id: 'conf' };
  expect(await told()).toEqual(conf);
  await sql(
    `insert into delegations (person_id, client_id, api_id, scopes, until)
     values ($1, 'conf2', 'orders', '{read}', $2)`,
    [alice.personId, inDays(1)],
  );
  // may_act contains one agent: if there are several, each agent sees only itself
  expect(await told()).toBeUndefined();
  expect(await asked(CONF)).toEqual(conf);
  await endAct(alice, id);
  expect(await asked(CONF)).toEqual({ sub: 'conf2', client_id: 'conf2' });
});

test('a delegated exchange grants no scope that was deleted from the API', async () => {
  await letAct(alice, 'billing', ['read', 'pay']);
  await sql("delete from api_scopes where api_id = 'billing' and name = 'pay'");
  expect((await exchangeAs(alice))['scope']).toBe('read');
});

test('the parameter for the target accepts every valid API id, including unusual names', async () => {
  const api = 'constructor';
  const scopes = [{ name: 'read', description: 'Read' }];
  await createApi(OPERATOR, {
    id: api,
    name: api,
    url: 'https://api.example/constructor',
    authMethods: ['pw'],
    scopes,
  });
  await requestSubscription(OPERATOR, { clientId: 'conf', api });
  await letAct(alice, api);
  expect(await exchangeAs(alice, { audience: api })).toMatchObject({ status: 200, scope: 'read' });
});
