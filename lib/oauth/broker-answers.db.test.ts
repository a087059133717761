// Unusual answers of brokers: at the callback, in ID tokens and at their token endpoints.
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { log, setLogLevel } from '#lib/kit/log.ts';
import { arrive, clientTold, depart, givenBroker, signInAt } from '#testing/brokers/at-scripted-broker.ts';
import { type ScriptedBroker, startScriptedBroker } from '#testing/brokers/scripted-broker.ts';
import { ask, givenFixtures, jsonOf, locationOf } from '#testing/in-process/in-process.ts';

let broker: ScriptedBroker;
beforeAll(async () => {
  setLogLevel('silent');
  await givenFixtures();
  broker = await startScriptedBroker();
});
afterAll(() => broker.close());
beforeEach(async () => {
  Object.assign(broker.script, { metadata: {}, idToken: {}, userinfo: null, token: null });
  broker.asked.length = 0;
  await givenBroker(broker.config);
});

const warned = () => {
  const warn = vi.spyOn(log(), 'warn');
  return () =>
    warn.mock.calls.map(([facts, message]) => ({ ...(facts as object), message: String(message) }));
};
const TOKEN = { access_token: 'given', token_type: 'bearer' };

it.each([
  ['the one that the method names', 'https://github.example/login/oauth', 303],
  ['none', undefined, 303],
  ['the origin of the token address', 'origin', 400],
  ['the same with a slash', 'https://github.example/login/oauth/', 400],
  ['another', 'https://evil.example', 400],
])(
  'RFC 9207: the iss of a broker without discovery is compared with answer_issuer: %s',
  async (_, iss, status) => {
    await givenBroker({ ...broker.plain, answer_issuer: 'https://github.example/login/oauth' });
    broker.script.token = () => ({ body: TOKEN });
    broker.script.userinfo = { body: { id: 7, name: 'Ada' } };
    const { answer } = await signInAt(broker, {}, iss === 'origin' ? broker.issuer : iss);
    expect(answer.status, String(answer.body)).toBe(status);
    expect(broker.asked.some(({ path }) => path === '/token')).toBe(status === 303);
  },
);

it('RFC 9207: without answer_issuer, iss must be the token endpoint’s origin, and the log names both values', async () => {
  await givenBroker(broker.plain);
  broker.script.token = () => ({ body: TOKEN });
  broker.script.userinfo = { body: { id: 7 } };
  expect((await signInAt(broker, {}, broker.issuer)).answer.status).toBe(303);
  const warnings = warned();
  expect((await signInAt(broker, {}, 'https://github.example/login/oauth')).answer.status).toBe(400);
  expect(warnings()).toContainEqual(
    expect.objectContaining({
      expected_issuer: broker.issuer,
      sent_issuer: 'https://github.example/login/oauth',
      change: expect.stringContaining('answer_issuer'),
    }),
  );
});

const seconds = () => Math.floor(Date.now() / 1000);
it.each([
  ['no auth_time', () => undefined],
  ['0', () => 0],
  ['a text', () => String(seconds())],
  ['milliseconds', () => Date.now()],
  ['a time to come', () => seconds() + 600],
  ['a time before 2000', () => 946_684_799],
  ['null', () => null],
  ['a negative number', () => -seconds()],
])(
  'OpenID Connect Core §3.1.3.7: with max_age, the client receives an error if the broker returns %s',
  async (_, authTime) => {
    broker.script.idToken = { auth_time: authTime() };
    const { answer, cookie } = await signInAt(broker, { max_age: '3600' });
    expect(answer.status, String(answer.body)).toBe(303);
    expect(await clientTold(locationOf(answer), cookie)).toMatchObject({
      error: 'access_denied',
      error_description: 'The broker returned no auth_time, which max_age requires.',
      state: 'theirs',
    });
  },
);

it('if a plain OAuth 2.0 broker returns no auth_time, a request with max_age fails, and a program receives the error too', async () => {
  await givenBroker(broker.plain);
  broker.script.token = () => ({ body: TOKEN });
  broker.script.userinfo = { body: { id: 7 } };
  const { state, cookie } = await depart(broker, { max_age: '60' });
  const warnings = warned();
  const answer = await arrive(`code=c&state=${state}`, cookie, 'application/json');
  expect(jsonOf(answer)).toMatchObject({ status: 'failed', error: 'access_denied' });
  expect(warnings().some(({ message }) => message.includes('the broker gave no auth_time'))).toBe(true);
});

it.each([
  ['a time that max_age covers', 10, 303],
  ['a time that is too long ago', 600, 400],
])('max_age is checked for a broker that returns %s', async (_, age, status) => {
  broker.script.idToken = { auth_time: seconds() - age };
  expect((await signInAt(broker, { max_age: '60' })).answer.status).toBe(status);
});

it('without max_age, auth_time in milliseconds is ignored and the user is signed in', async () => {
  broker.script.idToken = { auth_time: Date.now() };
  expect((await signInAt(broker)).answer.status).toBe(303);
});

it.each([
  ['Latin-1', 'error=access_denied&error_description=introducci%F3n'],
  [
    'the old JavaScript escape',
    'error=access_denied&error_description=El+usuario+ha+cancelado+la+introducci%u00f3n',
  ],
  ['a bare percent sign', 'error=access_denied&error_description=100%'],
  ['an error_uri that is no UTF-8', 'error=access_denied&error_uri=https%3A%2F%2Fa.example%2F%E9'],
  ['a parameter that nothing reads', 'error=access_denied&%E9=%zz'],
  ['an error code that is no UTF-8', 'error=acc%E8s&error_description=x'],
  ['an error code of its own', 'error=consent_dialog_closed%00%22'],
  ['a code beside the error', 'error=access_denied&code=c'],
  ['the error twice', 'error=access_denied&error=server_error'],
])('RFC 6749 §4.1.2.1: a broker’s error %s shows a page that links back to the client', async (_, query) => {
  const { state, cookie } = await depart(broker);
  const page = await arrive(`${query}&state=${state}`, cookie);
  expect(page.status, String(page.body)).toBe(400);
  expect(String(page.body)).toContain('You are not signed in');
  const back = [...String(page.body).matchAll(/href="([^"]*\/continue[^"]*)"/g)].at(-1)?.[1] ?? '';
  expect(await clientTold(back.replaceAll('&amp;', '&'), cookie)).toMatchObject({
    error: 'access_denied',
    state: 'theirs',
  });
  expect(String((await arrive(`${query}&state=${state}`, cookie)).body)).toContain('already done');
  expect(broker.asked.some(({ path }) => path === '/token')).toBe(false);
});

it.each([
  ['no state', 'error=access_denied&error_description=%E9', 400, 'does not work'],
  ['a state that is no UTF-8', 'error=access_denied&state=%E9', 400, ''],
  ['a code that is no UTF-8', 'code=%E9&state=s', 400, ''],
])(
  'a broker’s rejection with error %s signs nobody in, and shows a page',
  async (_, query, status, words) => {
    const { cookie } = await depart(broker);
    const answer = await arrive(query, cookie);
    expect([answer.status, String(answer.body).includes(words)]).toEqual([status, true]);
  },
);

it('OAuth 2.0 Form Post Response Mode §2: a cross-site form without Gatehouse’s cookie redirects to a GET with the cookie', async () => {
  await givenBroker({ ...broker.config, answer: 'form_post' });
  const { asked, state, cookie } = await depart(broker);
  expect(asked.get('response_mode')).toBe('form_post');
  const user = '{"name":{"firstName":"Ada"}}';
  const form = new URLSearchParams({ code: 'c', state, iss: broker.issuer, id_token: 'x', user });
  const posted = await ask('/auth/callback/brk', { form, headers: { accept: 'text/html' } });
  expect([posted.status, posted.headers['set-cookie']]).toEqual([303, undefined]);
  const [path, query] = locationOf(posted).split('?');
  expect(path).toBe('/auth/callback/brk');
  expect([...new URLSearchParams(query).keys()].sort()).toEqual(['code', 'iss', 'state']);
  expect((await arrive(String(query), cookie)).status).toBe(303);
});

it.each([
  ['brk', 'error=user_cancelled_authorize&error_description=%E9', 303],
  ['broker', 'code=c', 303],
  ['pw', 'code=c', 404],
  ['brk', 'state=s', 422],
])('a form at /auth/callback/%s with %s returns %d and signs nobody in', async (id, form, status) => {
  const answer = await ask(`/auth/callback/${id}`, { form: new URLSearchParams(form), method: 'POST' });
  expect([answer.status, answer.headers['set-cookie']]).toEqual([status, undefined]);
});

const GUID = '6e74172b-be56-4843-9ff4-e66a39bb12e3';
const basicOf = () => broker.asked.find(({ path }) => path === '/token')?.authorization;
it('RFC 6749 §2.3.1, Appendix B: letters, digits, - . and _ of a client’s id and secret are sent unencoded, and all other characters encoded', async () => {
  await givenBroker({ ...broker.config, client_id: GUID }, 'a-b.c_d~e:f+g');
  broker.script.idToken = { aud: GUID };
  expect((await signInAt(broker)).answer.status).toBe(303);
  expect(atob(basicOf()?.slice(6) ?? '')).toBe(`${GUID}:a-b.c_d%7Ee%3Af%2Bg`);
});

it.each([
  ['nothing in the metadata', undefined, {}, 'basic'],
  ['both in the metadata', ['client_secret_post', 'client_secret_basic'], {}, 'basic'],
  ['the body alone in the metadata', ['client_secret_post'], {}, 'body'],
  ['the body by the method', undefined, { token_endpoint_auth_method: 'client_secret_post' }, 'body'],
  [
    'Basic by the method',
    ['client_secret_post'],
    { token_endpoint_auth_method: 'client_secret_basic' },
    'basic',
  ],
])('the client secret of a broker is sent by the expected method: %s', async (_, offered, config, way) => {
  broker.script.metadata = { token_endpoint_auth_methods_supported: offered };
  await givenBroker({ ...broker.config, ...config, scopes: [`s${Math.random()}`] });
  expect((await signInAt(broker)).answer.status).toBe(303);
  const sent = broker.asked.find(({ path }) => path === '/token');
  expect([sent?.authorization !== undefined, sent?.form.get('client_secret')]).toEqual(
    way === 'basic' ? [true, null] : [false, 'a secret'],
  );
});

it.each([{}, { 'www-authenticate': 'Basic realm="x"' }])(
  'if the broker rejects the client secret, the log suggests to set token_endpoint_auth_method',
  async (headers) => {
    broker.script.token = () => ({ status: 401, headers, body: { error: 'invalid_client' } });
    const warnings = warned();
    expect((await signInAt(broker)).answer.status).toBe(503);
    expect(warnings()).toContainEqual(
      expect.objectContaining({
        change: expect.stringContaining('token_endpoint_auth_method: client_secret_post'),
      }),
    );
  },
);

it('Discovery §4.3: if a broker’s metadata contain another issuer, the log names both issuers', async () => {
  broker.script.metadata = { issuer: 'https://login.example/{tenantid}/v2.0' };
  await givenBroker({ ...broker.config, scopes: ['another'] });
  const warnings = warned();
  expect(
    (
      await ask(
        '/auth/brk/api/orders/authorize?client_id=tru&response_type=code&redirect_uri=https://tru.example/cb',
      )
    ).status,
  ).toBe(503);
  expect(warnings()).toContainEqual(
    expect.objectContaining({
      expected_issuer: expect.stringContaining(broker.issuer),
      sent_issuer: 'https://login.example/{tenantid}/v2.0',
    }),
  );
});
