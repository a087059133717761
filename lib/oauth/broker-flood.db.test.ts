// Unfinished sign-ins at brokers fill no table, and do not block other users.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { settings } from '#lib/settings/settings.ts';
import { query } from '#lib/store/pool.ts';
import { startFixtureBroker, throughBroker } from '#testing/brokers/broker.ts';
import { ask, cookieOf, givenFixtures, locationOf } from '#testing/in-process/in-process.ts';
import type { Broker } from '../../demo/broker.ts';

let broker: Broker;
beforeAll(async () => {
  await givenFixtures();
  broker = await startFixtureBroker(process.env['DATABASE_URL'] as string, [settings().baseUrl]);
});
afterAll(() => broker.close());

const sql = <Row = { n: number }>(text: string) => query<Row>({ text, values: [] });
const count = async (from: string) => (await sql(`select count(*)::int as n from ${from}`))[0]?.n;
beforeEach(async () => {
  await sql('truncate attempts, broker_states, refusals, audit_events');
});

const ASKED = {
  client_id: 'conf',
  redirect_uri: 'https://conf.example/cb',
  response_type: 'code',
  state: 's',
};
const start = (address: string | undefined, more: Record<string, string> = {}) =>
  ask(`/auth/brk/api/orders/authorize?${new URLSearchParams({ ...ASKED, ...more })}`, {
    address,
    headers: { accept: 'text/html' },
  });
/** Simulates this number of unfinished sign-ins from every known address. */
const already = (kind: string, times: number) =>
  sql(`update attempts set count = ${times} where key like '%${kind}:%'
    and (expires_at > now() + interval '5 seconds' or '${kind}' = 'all')`);
/** Makes the global five-second limit and the limits of address blocks last an hour from now. */
const slowClock = () => sql("update attempts set expires_at = now() + interval '1 hour'");

test('LG-04: an IP address above the limit of unfinished broker sign-ins receives a page with a retry time, and creates no row', async () => {
  expect((await start('192.0.2.1')).status).toBe(303);
  await already('address', 2_990);
  const answers = [];
  for (let times = 0; times < 10; times += 1)
    answers.push(...(await Promise.all(Array.from({ length: 20 }, () => start('192.0.2.1')))));
  expect(answers.filter(({ status }) => status === 303)).toHaveLength(10);
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(190);
  for (const { headers, body } of refused) {
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(600);
    expect(headers['content-type']).toContain('text/html');
    expect(String(body)).toContain('One moment, please');
  }
  expect(await count('broker_states')).toBe(11);
  expect(await count("audit_events where event = 'attempts.limited'")).toBeLessThanOrEqual(2);
  expect((await start('192.0.2.2')).status).toBe(303);
});

test('LG-04: an IPv6 network cannot multiply its limit, because every /48 network is limited too', async () => {
  expect((await start('2001:db8:5:1::1')).status).toBe(303);
  await already('wide', 29_995);
  const flood = (from: number) =>
    Promise.all(Array.from({ length: 30 }, (_, net) => start(`2001:db8:5:${from + net}::1`)));
  const answers = await flood(100);
  expect(answers.filter(({ status }) => status === 303)).toHaveLength(5);
  const rows = await count('attempts');
  await flood(1_000);
  await flood(2_000);
  expect(await count('attempts'), 'a refused one has no row').toBe(rows);
  expect(await count('broker_states')).toBe(6);
  expect(await count("audit_events where event = 'attempts.limited'")).toBeLessThanOrEqual(2);
  expect((await start('2001:db8:6::1')).status).toBe(303);
});

test('one IP address cannot exhaust the global limit, even if attempts expire an hour late, and other users can sign in', async () => {
  expect((await start('192.0.2.1')).status).toBe(303);
  await slowClock();
  const junk = { state: 's'.repeat(1_500), junk: 'x'.repeat(8_000) };
  const answers = [];
  for (let times = 0; times < 20; times += 1)
    answers.push(...(await Promise.all(Array.from({ length: 30 }, () => start('192.0.2.1', junk)))));
  expect(answers.filter(({ status }) => status === 303)).toHaveLength(124);
  expect((await start('192.0.2.2')).status).toBe(303);
});

test('a flood of sign-ins from many IP addresses is limited globally for five seconds', async () => {
  expect((await start(undefined)).status).toBe(303);
  await already('all', 500);
  const refused = await start(undefined);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(5);
  expect(await count('broker_states')).toBe(1);
});

test('successful broker sign-ins do not count toward the limit', async () => {
  for (let times = 0; times < 3; times += 1) {
    const departed = await start('192.0.2.3');
    const back = new URL(await throughBroker({ location: locationOf(departed) }, 'brenda'));
    const answer = await ask(back.pathname + back.search, {
      address: '192.0.2.3',
      headers: { cookie: cookieOf(departed), accept: 'text/html' },
    });
    expect(answer.status).toBe(303);
  }
  expect(await sql("select max(count) as n from attempts where key like '3address:%'")).toEqual([{ n: 0 }]);
});

test('a stored authorize request contains only needed parameters, and at most 8,192 characters', async () => {
  const sizeOf = async (more: Record<string, string>) => {
    await sql('truncate broker_states');
    expect((await start('192.0.2.4', more)).status).toBe(303);
    return (await sql('select length(sealed_request) as n from broker_states'))[0]?.n ?? 0;
  };
  const plain = await sizeOf({});
  expect(await sizeOf({ junk: 'x'.repeat(12_000) })).toBe(plain);
  expect(await sizeOf({ state: 's'.repeat(2_048) })).toBeLessThan(plain + 3_000);
  const tooLong = await start('192.0.2.4', { login_hint: 'x'.repeat(9_000) });
  expect(tooLong.status).toBe(302);
  expect(String(tooLong.headers['location'])).toContain('error=invalid_request');
});
