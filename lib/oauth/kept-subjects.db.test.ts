// Users imported with a subject keep it in tokens, responses and requests. Pairwise values and the management API use
// the user id instead.
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { subjectSalt } from '#lib/keys/keys.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { announceKept } from '#lib/store/keys.ts';
import { database } from '#lib/store/prisma.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, givenFixtures, jsonOf, locationOf } from '#testing/in-process/in-process.ts';
import { startLogoutReceivers } from '#testing/in-process/logout-receivers.ts';
import {
  givenTrustedClients,
  OPENID_PATH,
  openIdTokens,
  signInTo,
  type TrustedClient,
} from '#testing/in-process/openid.ts';
import { until } from '#testing/net/until.ts';
import { deliverLogouts } from './back-channel.ts';

const KEPT = 'auth0|5f7c8ec7c33c6c004bbafe82';
const TYPES = 'urn:ietf:params:oauth:token-type';
let [open, hidden] = [] as unknown as TrustedClient[] as [TrustedClient, TrustedClient];
let receivers: Awaited<ReturnType<typeof startLogoutReceivers>>;
let alice: Awaited<ReturnType<typeof signInTo>>;
let bob: Awaited<ReturnType<typeof signInTo>>;

beforeAll(async () => {
  loadSettings({ ...process.env, CLIENT_DOCUMENTS_PRIVATE_NETWORK: 'true' });
  await givenFixtures();
  receivers = await startLogoutReceivers();
  [open] = (await givenTrustedClients(['open'], {
    backchannelLogoutUri: `${receivers.url}/open`,
  })) as [TrustedClient];
  [hidden] = (await givenTrustedClients(['hidden'], { subjectType: 'pairwise' })) as [TrustedClient];
  await sql(`update people set subject = '${KEPT}' where email = 'alice@example.com'`);
  await subjectSalt(await currentSnapshot());
  await announceKept(database(), { subjects: true, usernames: false });
  [alice, bob] = [await signInTo('alice@example.com'), await signInTo('bob@example.com')];
});
afterAll(async () => {
  await receivers.close();
  loadSettings();
});

const claims = (token: unknown) => decodeJwt(String(token));
const post = async (path: string, form: Record<string, string>) => jsonOf(await ask(path, { form }));
const exchange = (subject: string, over: Record<string, string> = {}) =>
  post('/auth/token', {
    ...open,
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: subject,
    subject_token_type: `${TYPES}:access_token`,
    audience: 'orders',
    ...over,
  });
const authorize = async (over: Record<string, string>, cookie = alice.cookie) => {
  const query = { ...open, redirect_uri: 'https://open.example/cb', response_type: 'code', scope: 'openid' };
  const url = `${OPENID_PATH}/authorize?${new URLSearchParams({ ...query, prompt: 'none', ...over })}`;
  return new URL(locationOf(await ask(url, { headers: { cookie } }))).searchParams.get('error');
};
const named = (value: string) => ({ claims: JSON.stringify({ id_token: { sub: { value } } }) });

test('tokens and responses contain the imported subject, and for other users their id', async () => {
  const given = await openIdTokens(open, { cookie: alice.cookie, scope: 'openid read' });
  const token = { ...open, token: given['access_token'] ?? '' };
  const renewed = await post(`${OPENID_PATH}/token`, {
    ...open,
    grant_type: 'refresh_token',
    refresh_token: given['refresh_token'] ?? '',
  });
  const exchanged = await exchange(String(renewed['access_token']));
  const headers = { authorization: `Bearer ${given['access_token']}` };
  const heard = [
    claims(given['access_token']).sub,
    claims(given['id_token']).sub,
    claims(renewed['access_token']).sub,
    claims(renewed['id_token']).sub,
    claims(exchanged['access_token']).sub,
    jsonOf(await ask(`${OPENID_PATH}/userinfo`, { headers }))['sub'],
    (await post(`${OPENID_PATH}/introspect`, token))['sub'],
  ];
  expect([...new Set(heard)]).toEqual([KEPT]);
  const other = await openIdTokens(open, { cookie: bob.cookie, scope: 'openid read' });
  expect(claims(other['id_token']).sub).toBe(bob.personId);
  const acted = await exchange(String(other['access_token']), {
    actor_token: String(renewed['access_token']),
    actor_token_type: `${TYPES}:access_token`,
  });
  expect(claims(acted['access_token'])).toMatchObject({ sub: bob.personId, act: { sub: KEPT } });
});

test('a client with pairwise subjects receives a subject that is derived from the user id', async () => {
  const given = await openIdTokens(hidden, { cookie: alice.cookie, scope: 'openid read' });
  expect(claims(given['id_token']).sub).toMatch(/^[\w-]{43}$/);
});

test('id_token_hint and claims.sub match only the imported subject of a user', async () => {
  const hint = async (who: typeof alice) =>
    (await openIdTokens(open, { cookie: who.cookie, scope: 'openid' }))['id_token'] ?? '';
  expect(await authorize({ id_token_hint: await hint(alice) })).toBeNull();
  expect(await authorize({ id_token_hint: await hint(bob) })).toBe('login_required');
  expect(await authorize({ id_token_hint: await hint(bob) }, bob.cookie)).toBeNull();
  expect(await authorize(named(KEPT))).toBeNull();
  expect(await authorize(named(KEPT), bob.cookie)).toBe('login_required');
  expect(await authorize(named(alice.personId))).toBe('login_required');
  expect(await authorize(named(bob.personId), bob.cookie)).toBeNull();
  expect(await authorize(named('auth0|another'))).toBe('login_required');
});

test('logout tokens contain the imported subject of the user', async () => {
  const given = await openIdTokens(open, { cookie: alice.cookie, scope: 'openid read' });
  await deliverLogouts();
  receivers.received.length = 0;
  const headers = { cookie: alice.cookie };
  const out = await ask(`${OPENID_PATH}/logout?id_token_hint=${given['id_token']}`, { headers });
  expect(out.status).toBeLessThan(400);
  await until(async () => receivers.received.length === 1);
  const [{ form } = { form: new URLSearchParams() }] = receivers.received;
  expect(claims(form.get('logout_token')).sub).toBe(KEPT);
});
