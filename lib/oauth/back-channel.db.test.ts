// Back-channel logout with a real server on this machine. The test e2e/protocol/openid/openid-back-channel.spec.ts
// verifies the received tokens. The test back-channel-killed.spec.ts in the same folder has twenty clients, of which
// some are slow or unreachable, and kills a process.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { changeClient } from '#lib/catalogue/clients/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { claimLogoutDeliveries } from '#lib/store/logout-deliveries.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, givenFixtures } from '#testing/in-process/in-process.ts';
import { type ReceivedLogout, startLogoutReceivers } from '#testing/in-process/logout-receivers.ts';
import {
  givenTrustedClients,
  OPENID_PATH,
  openIdTokens,
  signInTo,
  type TrustedClient,
} from '#testing/in-process/openid.ts';
import { until } from '#testing/net/until.ts';
import { deliverLogouts } from './back-channel.ts';

const clients = new Map<string, TrustedClient>();
let receivers: Awaited<ReturnType<typeof startLogoutReceivers>>;
let received: ReceivedLogout[];

const LIVE = Array.from({ length: 10 }, (_, at) => `live${at}`);

beforeAll(async () => {
  loadSettings({ ...process.env, CLIENT_DOCUMENTS_PRIVATE_NETWORK: 'true' });
  await givenFixtures();
  receivers = await startLogoutReceivers();
  ({ received } = receivers);
  for (const name of [...LIVE, 'slow0']) {
    const [client] = await givenTrustedClients([name], {
      backchannelLogoutUri: `${receivers.url}/${name}?tenant=7`,
    });
    clients.set(name, client as TrustedClient);
  }
}, 120_000);
afterAll(async () => {
  await receivers.close();
  loadSettings();
});
beforeEach(async () => {
  await deliverLogouts();
  await sql('truncate sessions, token_families, codes, logout_deliveries, audit_events cascade');
  received.length = 0;
  receivers.answers.clear();
});

const tell = (name: string, answer: number | 'slow' | 'dead') => receivers.answers.set(name, answer);
const rows = () =>
  sql<{ client_id: string; attempts: number }>(
    'select client_id, attempts from logout_deliveries order by client_id',
  );
const makeDue = () => sql('update logout_deliveries set next_try_at = now()');
const undelivered = () =>
  sql(`select client_id, details from audit_events where event = 'logout.undelivered' order by client_id`);
const logout = (hint = '', cookie = '') =>
  ask(`${OPENID_PATH}/logout?id_token_hint=${hint}`, { headers: { cookie } });

/** Signs Alice in at each client with one browser; returns the ID tokens. */
async function signedInAt(names: readonly string[], scope = 'openid') {
  const { personId, cookie } = await signInTo('alice@example.com');
  const hints: Record<string, string> = {};
  for (const name of names) {
    const given = await openIdTokens(clients.get(name) as TrustedClient, { cookie, scope });
    hints[name] = given['id_token'] ?? '';
  }
  return { personId, cookie, hints };
}

test.each<[number | 'dead', 'later' | 'given up' | 'done']>([
  [200, 'done'],
  [204, 'done'],
  [400, 'given up'],
  [404, 'given up'],
  [302, 'given up'],
  [307, 'given up'],
  [429, 'later'],
  [500, 'later'],
  [503, 'later'],
  ['dead', 'later'],
])('after the response %s to a logout token, its delivery is: %s', async (answer, what) => {
  tell('live1', answer);
  const { cookie, hints } = await signedInAt(['live1']);
  await logout(hints['live1'], cookie);
  await deliverLogouts();
  expect((await rows()).length).toBe(what === 'later' ? 1 : 0);
  expect((await undelivered()).length).toBe(what === 'given up' ? 1 : 0);
  expect(received.some(({ client }) => client === 'elsewhere')).toBe(false);
});

test('the delay before a logout token is sent again doubles from two seconds to five minutes, and delivery ends after a day with an event', async () => {
  tell('live1', 503);
  const { cookie, hints } = await signedInAt(['live1']);
  await logout(hints['live1'], cookie);
  await deliverLogouts();
  for (const pause of [2, 4, 8, 16, 32, 64, 128, 256, 300, 300]) {
    const [row] = await sql<{ left: number }>(
      'select extract(epoch from next_try_at - now())::float8 as left from logout_deliveries',
    );
    expect(row?.left).toBeLessThanOrEqual(pause);
    // tolerance for the time that passed since the attempt
    expect(row?.left).toBeGreaterThan(pause * 0.75 - 1);
    await makeDue();
    await deliverLogouts();
  }
  await sql(`update logout_deliveries set created_at = now() - interval '1 day'`);
  await makeDue();
  await deliverLogouts();
  expect(await rows()).toEqual([]);
  expect(await undelivered()).toEqual([
    { client_id: 'live1', details: { reason: 'the client answered 503', status: 503, attempts: 12 } },
  ]);
});

test('if a logout token cannot be signed, signing is retried, and after a day the delivery ends with an event', async () => {
  // the sign-out itself delivers once, so the first attempt must fail
  tell('live1', 503);
  const { cookie, hints } = await signedInAt(['live1']);
  await logout(hints['live1'], cookie);
  await deliverLogouts();
  received.length = 0;
  // no key signs with this algorithm
  await sql("update clients set id_token_signed_response_alg = 'PS999' where client_id = 'live1'");
  await makeDue();
  await deliverLogouts();
  expect(await rows()).toMatchObject([{ client_id: 'live1' }]);
  await sql(`update logout_deliveries set created_at = now() - interval '1 day'`);
  await makeDue();
  await deliverLogouts();
  await sql("update clients set id_token_signed_response_alg = 'RS256' where client_id = 'live1'");
  await currentSnapshot();
  expect(await rows()).toEqual([]);
  expect(received).toEqual([]);
  expect(await undelivered()).toEqual([
    { client_id: 'live1', details: { reason: expect.stringContaining('not signed'), attempts: 3 } },
  ]);
});

test('after a client’s sector changes, earlier sign-outs are not delivered with subjects of the new sector', async () => {
  const [client] = await givenTrustedClients(['sector'], {
    backchannelLogoutUri: `${receivers.url}/sector`,
    subjectType: 'pairwise',
  });
  clients.set('sector', client as TrustedClient);
  tell('sector', 503);
  const { cookie, hints } = await signedInAt(['sector']);
  await logout(hints['sector'], cookie);
  await deliverLogouts();
  expect(await rows()).toMatchObject([{ client_id: 'sector' }]);
  await changeClient(OPERATOR, { clientId: 'sector', redirectUris: ['https://shop.example/cb'] });
  expect(await rows()).toEqual([]);
  receivers.answers.clear();
  received.length = 0;
  await makeDue();
  await deliverLogouts();
  expect(received).toEqual([]);
});

test('a private or plain http logout address requires CLIENT_DOCUMENTS_PRIVATE_NETWORK, otherwise an event records the failure', async () => {
  const { cookie, hints } = await signedInAt(['live1', 'live2']);
  await changeClient(OPERATOR, { clientId: 'live2', backchannelLogoutUri: 'https://127.0.0.1:1/bcl' });
  await currentSnapshot();
  loadSettings();
  await logout(hints['live1'], cookie);
  await deliverLogouts();
  loadSettings({ ...process.env, CLIENT_DOCUMENTS_PRIVATE_NETWORK: 'true' });
  await changeClient(OPERATOR, {
    clientId: 'live2',
    backchannelLogoutUri: `${receivers.url}/live2?tenant=7`,
  });
  expect(received).toEqual([]);
  expect(await undelivered()).toMatchObject([
    { client_id: 'live1', details: { reason: 'only https addresses are called' } },
    { client_id: 'live2', details: { reason: 'the address is not a public one' } },
  ]);
});

test('concurrent workers claim each logout delivery once, and deliveries of a killed worker become due again', async () => {
  for (const name of LIVE) tell(name, 503);
  const { cookie, hints } = await signedInAt(LIVE);
  await logout(hints['live0'], cookie);
  await deliverLogouts();
  await makeDue();
  const claims = await Promise.all(
    Array.from({ length: 8 }, () => claimLogoutDeliveries({ limit: 3, ofEach: 1, underWay: [] })),
  );
  const ids = claims.flat().map(({ id }) => id);
  ids.push(...(await claimLogoutDeliveries({ limit: 64, ofEach: 1, underWay: [] })).map(({ id }) => id));
  expect([ids.length, new Set(ids).size]).toEqual([10, 10]);
  const soon = await sql(
    `select 1 from logout_deliveries where next_try_at <= now() + interval '30 seconds'`,
  );
  expect(soon).toHaveLength(10);
});

test('a slow client with many sign-outs uses at most four calls, and other clients are served before it', async () => {
  tell('slow0', 'slow');
  const browsers = [];
  for (let at = 0; at < 6; at++) browsers.push(await signedInAt(['slow0']));
  const other = await signedInAt(['live1']);
  await Promise.all(browsers.map(({ cookie, hints }) => logout(hints['slow0'], cookie)));
  await until(async () => received.filter(({ client }) => client === 'slow0').length >= 4);
  await logout(other.hints['live1'], other.cookie);
  expect(await until(() => received.some(({ client }) => client === 'live1'), { seconds: 4 })).toBe(true);
  expect(received.filter(({ client }) => client === 'slow0').length).toBe(4);
  receivers.release();
  receivers.answers.clear();
  await deliverLogouts();
  expect(await rows()).toEqual([]);
});

test('the next logout call goes to the client with the fewest open calls, whatever the length and age of its queue', async () => {
  const many = LIVE.slice(0, 8);
  const { personId } = await signedInAt([]);
  await sql(
    `insert into logout_deliveries (client_id, api_id, auth_method_id, person_id, sid, next_try_at)
     select client, 'orders', 'pw', $2::uuid, gen_random_uuid(), now() - interval '1 hour'
     from unnest($1::text[]) as client, generate_series(1, 20) as n
     union all select 'live9', 'orders', 'pw', $2::uuid, gen_random_uuid(), now()`,
    [many, personId],
  );
  // each busy client has three running calls, and has just finished a fourth one
  const underWay = many.flatMap((name) => [name, name, name]);
  const claim = (of: readonly string[]) => claimLogoutDeliveries({ limit: 1, ofEach: 4, underWay: of });
  expect((await claim(underWay)).map(({ clientId }) => clientId)).toEqual(['live9']);
  expect(many).toContain((await claim([...underWay, 'live9']))[0]?.clientId);
});

test('a client that removed its logout address receives nothing, and its deliveries are deleted', async () => {
  const { cookie, hints } = await signedInAt(['live3']);
  tell('live3', 503);
  await logout(hints['live3'], cookie);
  await deliverLogouts();
  await changeClient(OPERATOR, { clientId: 'live3', backchannelLogoutUri: null });
  await makeDue();
  received.length = 0;
  await deliverLogouts();
  expect([await rows(), received]).toEqual([[], []]);
});
