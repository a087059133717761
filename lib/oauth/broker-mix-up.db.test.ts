// Mix-up attack (RFC 9700 §4.4): an attacker's broker, trusted for its own users, leads a user to an honest broker. It
// tries to capture that broker's code and sign in as the user.
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { changeAuthMethod, createAuthMethod, readAuthMethod } from '#lib/catalogue/methods/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { settings } from '#lib/settings/settings.ts';
import { query } from '#lib/store/pool.ts';
import { startCodeCollector, throughBroker } from '#testing/brokers/broker.ts';
import { ask, jsonOf } from '#testing/in-process/in-process.ts';
import { type Broker, startBroker } from '../../demo/broker.ts';
import { startBrokerConsoleSignIn } from './broker.ts';

const SHARED = '/auth/callback/broker';
const at = (path: string) => `${settings().baseUrl}${path}`;

let honest: Broker;
let attacker: Awaited<ReturnType<typeof startCodeCollector>>;
beforeAll(async () => {
  honest = await startBroker({
    port: 0,
    clientId: 'gatehouse',
    clientSecret: 'secret-of-the-broker',
    // both redirect URIs: the shared callback stays registered
    redirectUris: [at('/auth/callback/honest'), at(SHARED)],
  });
  attacker = await startCodeCollector();
});
afterAll(async () => {
  await honest.close();
  await attacker.close();
});
beforeEach(async () => {
  await givenMethod('honest', honest.issuer);
  attacker.codes.length = 0;
});
afterEach(async () => {
  await query({ text: 'truncate auth_methods, people, sessions, broker_states cascade' });
});

async function givenMethod(id: string, issuer: string): Promise<void> {
  const config = { issuer, client_id: 'gatehouse', allow_private_network: true };
  await createAuthMethod(OPERATOR, {
    id,
    type: 'broker',
    name: id,
    config,
    secret: 'secret-of-the-broker',
  });
}

async function share(id: string): Promise<void> {
  await query({
    text: `update auth_methods set config = config || '{"shared_callback": true}' where id = $1`,
    values: [id],
  });
}

/** Starts a sign-in at a broker. Returns the redirect location and the browser's cookie. */
async function depart(authMethodId: string) {
  const departure = await startBrokerConsoleSignIn({
    authMethodId,
    cookieHeader: undefined,
    returnTo: '/',
    ip: null,
    requestId: 'test',
  });
  if (departure.kind !== 'depart') throw new Error(departure.kind);
  const location = new URL(departure.location);
  return { location, asked: location.searchParams, cookie: departure.cookie.split(';')[0] as string };
}

function visit(address: URL | string, cookie: string, accept = 'text/html') {
  const { pathname, search } = new URL(address);
  return ask(pathname + search, { headers: { cookie, accept }, address: '192.0.2.1' });
}
const statusOf = async (address: URL | string, cookie: string): Promise<unknown> =>
  jsonOf(await visit(address, cookie, 'application/json'))['status'];

/** Returns the address to which the broker redirects the browser. */
const answerOf = async ({ href: location }: URL, name: string): Promise<URL> =>
  new URL(await throughBroker({ location }, name));

const countSessions = async () =>
  (await query<{ n: number }>({ text: 'select count(*)::int as n from sessions' }))[0]?.n;

it.each([
  ['the address of the honest broker', '/auth/callback/honest', 'with'],
  ['the address of the honest broker', '/auth/callback/honest', 'without'],
  ['the address that both had', SHARED, 'with'],
  ['the address that both had', SHARED, 'without'],
])(
  'RFC 9700 §4.4: a broker that relays a person through %s (%s), %s iss, obtains no code and no sign-in',
  async (_, path, iss) => {
    await givenMethod('attacker', attacker.issuer);
    const criminal = await depart('honest');
    const victim = await depart('attacker');
    // redirect with which the attacker's authorization endpoint answers the victim's browser
    const relayed = new URL(criminal.location);
    relayed.searchParams.set('state', victim.asked.get('state') ?? '');
    if (criminal.asked.get('redirect_uri') !== at(SHARED)) relayed.searchParams.set('redirect_uri', at(path));
    const back = await answerOf(relayed, 'victim');
    expect(back.searchParams.get('state')).toBe(victim.asked.get('state'));
    // a broker older than RFC 9207 sends no iss
    if (iss === 'without') back.searchParams.delete('iss');
    const seen = await visit(back, victim.cookie);
    expect([seen.status, seen.headers['set-cookie']]).toEqual([400, undefined]);

    for (const code of attacker.codes) {
      const stolen = new URL(criminal.asked.get('redirect_uri') ?? '');
      stolen.search = `${new URLSearchParams({ code, state: criminal.asked.get('state') ?? '', iss: honest.issuer })}`;
      await visit(stolen, criminal.cookie);
    }
    expect(await countSessions()).toBe(0);
    expect(attacker.codes).toEqual([]);
  },
);

it('a response at another method’s callback is rejected and uses its state up, and the user must start again', async () => {
  await givenMethod('attacker', attacker.issuer);
  const { location, cookie } = await depart('honest');
  const back = await answerOf(location, 'brenda');
  const elsewhere = new URL(back);
  elsewhere.pathname = '/auth/callback/attacker';
  expect(await statusOf(elsewhere, cookie)).toBe('failed');
  expect(await statusOf(back, cookie)).toBe('received');
  expect(attacker.codes).toEqual([]);
  expect(await countSessions()).toBe(0);
});

it('a broker sign-in sends the callback address of its method, and only broker methods have callback addresses', async () => {
  const { location, asked, cookie } = await depart('honest');
  expect(asked.get('redirect_uri')).toBe(at('/auth/callback/honest'));
  expect((await visit(await answerOf(location, 'brenda'), cookie)).status).toBe(200);
  expect(await countSessions()).toBe(1);
  await query({
    text: `insert into auth_methods (id, type, name) values ('pw', 'local', 'Pw')`,
  });
  for (const id of ['nobody', 'pw'])
    expect((await visit(at(`/auth/callback/${id}?code=c&state=s`), cookie)).status).toBe(404);
});

it.each([
  ['its own address, alone', [], 'authenticated', 'authenticated'],
  ['the shared address, alone', ['honest'], 'authenticated', 'authenticated'],
  ['its own address, beside another broker', ['attacker-own'], 'failed', 'authenticated'],
  [
    'the shared address, beside a broker with its own',
    ['honest', 'attacker-own'],
    'authenticated',
    'authenticated',
  ],
  ['the shared address, beside a broker that uses it too', ['honest', 'attacker'], 'failed', 'authenticated'],
])(
  'specification 4.2: at the shared callback, only a response with the right iss can sign in, after a sign-in that started with %s',
  async (_, given, without, withIss) => {
    if (given.some((one) => one.startsWith('attacker'))) await givenMethod('attacker', attacker.issuer);
    if (given.includes('honest')) await share('honest');
    if (given.includes('attacker')) await share('attacker');
    for (const [iss, expected] of [
      [null, without],
      [honest.issuer, withIss],
      [attacker.issuer, 'failed'],
    ] as const) {
      const { location, cookie } = await depart('honest');
      const { searchParams } = await answerOf(location, 'brenda');
      const address = new URL(at(`${SHARED}/${searchParams.get('code')}`));
      address.searchParams.set('state', searchParams.get('state') ?? '');
      if (iss !== null) address.searchParams.set('iss', iss);
      expect(await statusOf(address, cookie), String(iss)).toBe(expected);
    }
    expect(attacker.codes).toEqual([]);
  },
);

it('a method with the id "broker" has the shared callback as its own address, and other methods can share it', async () => {
  await givenMethod('broker', honest.issuer);
  await share('honest');
  for (const [iss, expected] of [
    [null, 'failed'],
    [honest.issuer, 'authenticated'],
  ] as const) {
    const { location, asked, cookie } = await depart('broker');
    expect(asked.get('redirect_uri')).toBe(at(SHARED));
    const { searchParams } = await answerOf(location, 'brenda');
    const back = new URL(at(`${SHARED}/${searchParams.get('code')}`));
    back.searchParams.set('state', searchParams.get('state') ?? '');
    if (iss !== null) back.searchParams.set('iss', iss);
    expect(await statusOf(back, cookie)).toBe(expected);
  }
});

it('RFC 9207: if a broker announces iss, it is required and must match, and a repeated iss is rejected', async () => {
  for (const iss of [null, 'not-sent', attacker.issuer]) {
    const { location, cookie } = await depart('honest');
    const back = await answerOf(location, 'brenda');
    if (iss === null) back.searchParams.delete('iss');
    else back.searchParams.set('iss', iss);
    expect(await statusOf(back, cookie), String(iss)).toBe('failed');
  }
  const { location, cookie } = await depart('honest');
  const back = await answerOf(location, 'brenda');
  const twice = new URL(back);
  twice.searchParams.append('iss', attacker.issuer);
  const answer = await visit(twice, cookie);
  expect(answer.status).toBe(422);
  expect(JSON.parse(String(answer.body)).detail[0].loc).toEqual(['query', 'iss']);
  expect((await visit(back, cookie)).status).toBe(200);
});

it('if the callback changes during a sign-in, the user returns to the callback that was sent to the broker', async () => {
  await share('honest');
  const early = await depart('honest');
  const { version, config } = await readAuthMethod(OPERATOR, { id: 'honest' });
  const own = { ...config, shared_callback: false };
  await changeAuthMethod(OPERATOR, { id: 'honest', version, config: own });
  const late = await depart('honest');
  expect(late.asked.get('redirect_uri')).toBe(at('/auth/callback/honest'));
  for (const { location, cookie } of [early, late])
    expect(await statusOf(await answerOf(location, 'brenda'), cookie)).toBe('authenticated');
});

it('if the broker changes during a sign-in, the new broker never receives the old broker’s code', async () => {
  const { location, cookie } = await depart('honest');
  const back = await answerOf(location, 'brenda');
  back.searchParams.delete('iss');
  const { version, config } = await readAuthMethod(OPERATOR, { id: 'honest' });
  const other = { ...config, issuer: attacker.issuer };
  await changeAuthMethod(OPERATOR, { id: 'honest', version, config: other });
  expect(await statusOf(back, cookie)).toBe('failed');
  expect(attacker.codes).toEqual([]);
});
