// Pairwise subject identifiers (OpenID Connect Core §8.1): each recipient receives the `sub` of its client's sector,
// and Gatehouse identifies the user by that value.
import { decodeJwt } from 'jose';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { changeApi } from '#lib/catalogue/apis/operations.ts';
import { readTokenActor } from '#lib/management/built-in.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { givenToken, sql } from '#testing/data/registry.ts';
import { ask, givenFixtures, jsonOf, locationOf } from '#testing/in-process/in-process.ts';
import { bearer } from '#testing/in-process/management.ts';
import {
  givenTrustedClients,
  OPENID_PATH,
  openIdTokens,
  signInTo,
  type TrustedClient,
} from '#testing/in-process/openid.ts';

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
const PAIRWISE = /^[\w-]{43}$/;

let [open, one, two, twinA, twinB] = [] as unknown as TrustedClient[] as [
  TrustedClient,
  TrustedClient,
  TrustedClient,
  TrustedClient,
  TrustedClient,
];
let alice: string;
let cookie: string;
let bob: Awaited<ReturnType<typeof signInTo>>;

beforeAll(async () => {
  await givenFixtures();
  [open] = (await givenTrustedClients(['open'])) as [TrustedClient];
  [one, two] = (await givenTrustedClients(['one', 'two'], { subjectType: 'pairwise' })) as [
    TrustedClient,
    TrustedClient,
  ];
  [twinA, twinB] = (await givenTrustedClients(['twin-a', 'twin-b'], {
    subjectType: 'pairwise',
    sectorIdentifierUri: 'https://twins.example/sector.json',
  })) as [TrustedClient, TrustedClient];
});
beforeEach(async () => {
  await sql('truncate sessions, token_families, codes cascade');
  ({ personId: alice, cookie } = await signInTo('alice@example.com'));
  bob = await signInTo('bob@example.com');
});

const tokens = (client: TrustedClient, scope = 'openid read', browser = cookie) =>
  openIdTokens(client, { cookie: browser, scope });
const claims = (token: unknown) => decodeJwt(String(token));
const userinfo = async (token = '') =>
  jsonOf(await ask(`${OPENID_PATH}/userinfo`, { headers: { authorization: `Bearer ${token}` } }));
const introspect = async (client: TrustedClient, token = '') =>
  jsonOf(await ask(`${OPENID_PATH}/introspect`, { form: { ...client, token } }));
const refresh = (client: TrustedClient, token = '') =>
  ask(`${OPENID_PATH}/token`, { form: { ...client, grant_type: 'refresh_token', refresh_token: token } });
const exchange = async (client: TrustedClient, token = '', over: Record<string, string> = {}) =>
  jsonOf(
    await ask('/auth/token', {
      form: {
        ...client,
        grant_type: EXCHANGE,
        subject_token: token,
        subject_token_type: ACCESS_TOKEN,
        audience: 'orders',
        ...over,
      },
    }),
  );
const authorize = (client: TrustedClient, over: Record<string, string>, browser = cookie) =>
  ask(
    `${OPENID_PATH}/authorize?${new URLSearchParams({
      client_id: client.client_id,
      redirect_uri: `https://${client.client_id}.example/cb`,
      response_type: 'code',
      scope: 'openid',
      ...over,
    })}`,
    { headers: { cookie: browser } },
  );
const errorOf = async (answer: ReturnType<typeof ask>) =>
  new URL(locationOf(await answer)).searchParams.get('error');
const subOf = async (client: TrustedClient, browser = cookie) =>
  String(claims((await tokens(client, 'openid', browser))['id_token']).sub);

/** Collects the client's sub from every response that contains one. */
async function subsHeard(client: TrustedClient) {
  const given = await tokens(client);
  const renewed = jsonOf(await refresh(client, given['refresh_token']));
  const other = jsonOf(await refresh(client, String(renewed['refresh_token'])));
  const exchanged = await exchange(client, given['access_token']);
  const by = { client_id: 'orders', client_secret: 'fixture-orders-introspection-secret' };
  const basic = Buffer.from(`${by.client_id}:${by.client_secret}`).toString('base64');
  const forApi = await ask(`${OPENID_PATH}/introspect`, {
    form: { token: given['access_token'] ?? '' },
    headers: { authorization: `Basic ${basic}` },
  });
  return [
    claims(given['access_token']).sub,
    claims(given['id_token']).sub,
    claims(renewed['access_token']).sub,
    claims(renewed['id_token']).sub,
    claims(exchanged['access_token']).sub,
    (await userinfo(given['access_token']))['sub'],
    (await introspect(client, given['access_token']))['sub'],
    (await introspect(client, String(other['refresh_token'])))['sub'],
    (await introspect(client, String(exchanged['access_token'])))['sub'],
    jsonOf(forApi)['sub'],
  ];
}

test('a client with public subjects receives the user id everywhere, and a client with pairwise subjects its pairwise sub', async () => {
  expect(new Set(await subsHeard(open))).toEqual(new Set([alice]));
  const heard = new Set(await subsHeard(one));
  expect([...heard]).toEqual([expect.stringMatching(PAIRWISE)]);
});

test('§8.1: for one person, clients of one sector receive equal subs, and clients of different sectors different subs', async () => {
  const [a, b] = [await subOf(twinA), await subOf(twinB)];
  expect(a).toBe(b);
  expect(new Set([a, await subOf(one), await subOf(two), alice]).size).toBe(4);
  expect(await subOf(twinA, bob.cookie)).not.toBe(a);
});

test('clients with pairwise subjects in one sector receive the same sid, which ends with its session', async () => {
  const sids = await Promise.all(
    [one, two, twinA, twinB, open].map(async (client) => {
      const { id_token } = await tokens(client, 'openid');
      return claims(id_token)['sid'];
    }),
  );
  expect(new Set(sids).size).toBe(4);
  expect(sids[2]).toBe(sids[3]);
});

test('token exchange: subject and actors have the subs of the receiving client', async () => {
  const subject = await tokens(open);
  const actor = await tokens(open, 'openid read', bob.cookie);
  const acting = { actor_token: actor['access_token'] ?? '', actor_token_type: ACCESS_TOKEN };
  const given = await exchange(one, subject['access_token'], acting);
  const expected = { sub: await subOf(one), act: { sub: await subOf(one, bob.cookie), client_id: 'open' } };
  expect(claims(given['access_token'])).toMatchObject(expected);
  expect(await introspect(one, String(given['access_token']))).toMatchObject(expected);
  // a subject token with a pairwise `sub` identifies its user, whichever client receives the new token
  const back = await exchange(open, String(given['access_token']));
  expect(claims(back['access_token'])).toMatchObject({ sub: alice, act: { sub: bob.personId } });
});

test('an id_token_hint identifies the user for clients of its sector, and a hint of another sector returns login_required', async () => {
  const { id_token: hint = '' } = await tokens(one, 'openid');
  const silent = { prompt: 'none', id_token_hint: hint };
  expect(await errorOf(authorize(one, silent))).toBeNull();
  expect(await errorOf(authorize(one, silent, bob.cookie))).toBe('login_required');
  expect(await errorOf(authorize(one, silent, ''))).toBe('login_required');
  expect(locationOf(await authorize(one, { id_token_hint: hint }, bob.cookie))).toContain('/login?');
  expect(await errorOf(authorize(two, silent))).toBe('login_required');
  expect(await errorOf(authorize(open, silent))).toBe('login_required');
  const { id_token: twin = '' } = await tokens(twinA, 'openid');
  expect(await errorOf(authorize(twinB, { prompt: 'none', id_token_hint: twin }))).toBeNull();
});

test('§5.5.1: a client with pairwise subjects selects a user by the pairwise sub, and the user id returns login_required', async () => {
  const named = (sub: unknown) => ({
    prompt: 'none',
    claims: JSON.stringify({ id_token: { sub: { value: sub } } }),
  });
  expect(await errorOf(authorize(one, named(await subOf(one))))).toBeNull();
  for (const sub of [alice, await subOf(two), 'x', 7])
    expect(await errorOf(authorize(one, named(sub))), String(sub)).toBe('login_required');
  expect(await errorOf(authorize(open, named(alice)))).toBeNull();
  expect(await errorOf(authorize(open, named(await subOf(one))))).toBe('login_required');
});

test('RP-Initiated Logout: a hint with a pairwise sub ends its session without confirmation, and ends no other session', async () => {
  const { id_token: hint = '' } = await tokens(one, 'openid');
  const logout = (browser: string) =>
    ask(`${OPENID_PATH}/logout?id_token_hint=${hint}`, { headers: { cookie: browser } });
  const living = () => sql('select 1 from sessions where ended_at is null');
  expect((await logout(bob.cookie)).status).toBe(303);
  expect(await living()).toHaveLength(2);
  expect((await logout(cookie)).status).toBe(200);
  expect(await living()).toHaveLength(1);
});

test('the management API always has public subjects: its tokens contain the person’s id', async () => {
  await expect(changeApi(OPERATOR, { id: 'management', pairwiseSubjects: true })).rejects.toThrow('built in');
  await sql(`update apis set pairwise_subjects = true where id = 'management'`);
  await sql(`insert into clients (client_id, name, confidential, application_type, subject_type)
    values ('ops', 'Ops', true, 'web', 'pairwise') on conflict do nothing`);
  await sql(`insert into subscriptions (client_id, api_id, state) values ('ops', 'management', 'approved')
    on conflict do nothing`);
  const person = {
    kind: 'person',
    id: alice,
    email: 'alice@example.com',
    roles: [],
    signedInAt: null,
    request: null,
  };
  const token = await givenToken(person as never, { authMethodId: 'pw' });
  expect(await readTokenActor(bearer(token), { requestId: 'r', ip: null } as never)).toMatchObject({
    id: alice,
  });
  const metadata = await ask('/auth/pw/api/management/.well-known/openid-configuration');
  expect(jsonOf(metadata)['subject_types_supported']).toEqual(['public']);
});
