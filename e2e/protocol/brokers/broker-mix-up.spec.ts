// Mix-up attack (RFC 9700 §4.4; contract section 8, `callback`): a malicious broker redirects a user to another
// broker, to obtain the code that the other broker returns. Each rule is tested separately in
// lib/oauth/broker-mix-up.db.test.ts.
import { randomUUID } from 'node:crypto';
import { expect, test } from '@playwright/test';
import { throughBroker } from '#testing/brokers/broker.ts';
import { fixtureClient } from '#testing/data/fixtures.ts';
import { send } from '#testing/net/http.ts';
import { Browser } from '#testing/service/browser.ts';
import { credentialsOf } from '#testing/service/token.ts';
import { brk, brokerVisits, json, somebody } from '../../support/brokers/broker-visits.ts';
import { type Liar, startLiar } from '../../support/brokers/lying-broker.ts';
import {
  expectError,
  expectPage,
  expectTokens,
  expectValidationError,
} from '../../support/clients/expectations.ts';
import { makeClient } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';

const tru = fixtureClient('tru');

const { isSignedIn, returnAddress } = brokerVisits(door);
let liar: Liar;
let stolen: string[];

test.beforeEach(async () => {
  liar = await startLiar();
  stolen = [];
  liar.say('/token', (form) => {
    stolen.push(form.get('code') ?? '');
    return { status: 400, body: { error: 'invalid_grant' } };
  });
});
test.afterEach(() => liar.close());

/**
 * Simulates a victim who signs in at a malicious broker, which forwards the victim to the honest broker
 * with the attacker's request. Returns the honest broker's redirect to Gatehouse.
 */
async function relay(victim: Browser, criminal: Browser, redirectUri?: string) {
  const wanted = new URL((await criminal.ask(tru, {}, brk)).location);
  const departure = await victim.ask(tru, {}, { method: liar.method });
  const state = new URL(departure.location).searchParams.get('state') ?? '';
  const relayed = new URL(wanted);
  relayed.searchParams.set('state', state);
  if (redirectUri) relayed.searchParams.set('redirect_uri', redirectUri);
  liar.say('/authorize', () => ({ status: 302, headers: { location: relayed.href } }));
  const sent = await send(departure.location);
  const back = new URL(await throughBroker(sent, somebody()));
  expect(back.searchParams.get('state')).toBe(state);
  return { back, wanted };
}

for (const path of ['/auth/callback/brk', '/auth/callback/broker'])
  for (const iss of ['with', 'without'])
    test(`RFC 9700 §4.4: a broker that relays a user to another broker through ${path} ${iss} iss obtains no code`, async () => {
      const [victim, criminal] = [new Browser(door), new Browser(door)];
      const { back, wanted } = await relay(victim, criminal, `${door.url}${path}`);
      if (iss === 'without') back.searchParams.delete('iss');
      expectPage(await victim.get(back.href), 400);
      for (const code of stolen) {
        const home = new URL(wanted.searchParams.get('redirect_uri') ?? '');
        home.searchParams.set('code', code);
        home.searchParams.set('state', wanted.searchParams.get('state') ?? '');
        home.searchParams.set('iss', wanted.origin);
        await criminal.get(home.href);
      }
      for (const browser of [victim, criminal])
        for (const at of [brk, { method: liar.method }]) expect(await isSignedIn(browser, at)).toBe(false);
      expect(liar.asked('/token')).toBe(0);
    });

test('a response to another method’s callback cannot sign the user in and uses up its state', async () => {
  const browser = new Browser(door);
  const back = new URL(await returnAddress(browser, somebody()));
  const elsewhere = new URL(back);
  elsewhere.pathname = `/auth/callback/${liar.method}`;
  const answer = await browser.get(elsewhere.href, { headers: json });
  expect(answer.json()).toMatchObject({ status: 'failed', error: 'invalid_grant' });
  expect((await browser.get(back.href, { headers: json })).json()['status']).toBe('received');
  expect(await isSignedIn(browser)).toBe(false);
});

test('only broker methods have callbacks, and a duplicate iss is rejected', async () => {
  for (const id of ['none', 'pw', 'ext'])
    expect((await send(`${door.url}/auth/callback/${id}?code=c&state=s`)).status, id).toBe(404);
  expectValidationError(await send(`${door.url}/auth/callback/brk`), ['query', 'code']);
  const twice = await send(`${door.url}/auth/callback/brk?code=c&state=s&iss=a&iss=b`);
  expectValidationError(twice, ['query', 'iss']);
});

test('the shared callback address requires iss if several brokers use it', async () => {
  const shared = await startLiar({ shared_callback: true });
  const other = await startLiar({ shared_callback: true });
  for (const [iss, expected] of [
    [undefined, 'failed'],
    [other.issuer, 'failed'],
    [shared.issuer, 'authenticated'],
  ] as const) {
    const browser = new Browser(door);
    const departure = await browser.ask(tru, {}, { method: shared.method });
    const asked = new URL(departure.location).searchParams;
    expect(asked.get('redirect_uri')).toBe(`${door.url}/auth/callback/broker`);
    shared.gives(await shared.idToken({ nonce: asked.get('nonce') }));
    const address = new URL(asked.get('redirect_uri') ?? '');
    address.search = `${new URLSearchParams({ code: 'c', state: asked.get('state') ?? '', ...(iss && { iss }) })}`;
    expect((await browser.get(address.href, { headers: json })).json()['status'], iss).toBe(expected);
  }
  await shared.close();
  await other.close();
});

test('contract 6: an application that mixes one broker’s code with another broker’s state is rejected', async () => {
  const app = await makeClient({ trusted: true });
  const start = async (method: string) =>
    new URL((await new Browser(door).ask(app, {}, { method })).location).searchParams.get('state') ?? '';
  const redeem = (form: Record<string, string>) =>
    send(`${door.url}/auth/token`, {
      form: { grant_type: 'authorization_code', ...credentialsOf(app), ...form },
    });
  const departure = await new Browser(door).ask(app, {}, brk);
  const received = new URL(await throughBroker(departure, randomUUID())).searchParams;
  const [code, iss] = [received.get('code') ?? '', received.get('iss') ?? ''];
  const at = (id: string) => ({ redirect_uri: `${door.url}/auth/callback/${id}` });

  expectError(await redeem({ code, state: await start(liar.method) }), 'invalid_request');
  expectError(await redeem({ code, state: await start(liar.method), iss }), 'invalid_grant');
  expectError(await redeem({ code, state: await start(liar.method), ...at('brk') }), 'invalid_grant');
  expect(liar.asked('/token')).toBe(0);
  // the code remains valid after both rejections; redirect_uri identifies the broker like iss
  expectTokens(await redeem({ code, state: received.get('state') ?? '', ...at('brk') }));
});
