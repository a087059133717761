// Callback addresses that the broker redirects users to (contract section 6; cases AA-02 and AA-06).
import { expect, test } from '@playwright/test';
import { fixtureClient } from '#testing/data/fixtures.ts';
import { sha256 } from '#testing/data/world.ts';
import { issuerOf } from '#testing/net/door.ts';
import { send } from '#testing/net/http.ts';
import { Browser } from '#testing/service/browser.ts';
import { brk, brokerVisits, countSessions, json, somebody } from '../../support/brokers/broker-visits.ts';
import { expectCode, expectErrorRedirect, expectPage } from '../../support/clients/expectations.ts';
import { sql } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';

const tru = fixtureClient('tru');

const issuer = issuerOf(door, 'brk');
const { returnAddress, isSignedIn } = brokerVisits(door);

test('AA-06: a reused code and state cannot sign a user in', async () => {
  const browser = new Browser(door);
  const name = somebody();
  const address = await returnAddress(browser, name);
  const jar = browser.jar.copy();
  expect((await browser.get(address)).status).toBe(303);
  expect(await countSessions('brk', name)).toBe(1);
  const replay = new Browser(door, jar);
  expect((await replay.get(address, { headers: json })).json()['status']).toBe('received');
  expect(await isSignedIn(replay)).toBe(false);
  expect(await countSessions('brk', name)).toBe(1);
});

test('AA-06: of twenty parallel uses of one state, exactly one returns the status "authenticated"', async () => {
  const browser = new Browser(door);
  const address = await returnAddress(browser, somebody());
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => send(address, { jar: browser.jar.copy(), headers: json })),
  );
  const states = answers.map((answer) => answer.json()['status']);
  expect(states.filter((status) => status === 'authenticated')).toHaveLength(1);
  expect(states.filter((status) => status === 'received')).toHaveLength(19);
});

test('contract 6: the callback’s JSON response contains the status "authenticated" and the URL to continue', async () => {
  const browser = new Browser(door);
  const answer = await browser.get(await returnAddress(browser, somebody()), { headers: json });
  expect(answer.status).toBe(200);
  expect(Object.keys(answer.json())).toEqual(['status', 'continue']);
  expect(answer.json()['status']).toBe('authenticated');
  expect(answer.headers['cache-control']).toContain('no-store');
  const next = await browser.onward(await browser.get(String(answer.json()['continue'])));
  expectCode(next, door, { ...tru, issuer });
});

test('contract 6: a code in the path also signs the user in, always with a JSON response, even if several brokers require iss', async () => {
  const browser = new Browser(door);
  const back = new URL(await returnAddress(browser, somebody())).searchParams;
  const path = `${door.url}/auth/callback/broker/${encodeURIComponent(back.get('code') ?? '')}`;
  const answer = await browser.get(`${path}?state=${back.get('state')}&iss=${back.get('iss')}`);
  expect(answer.json()['status']).toBe('authenticated');
  expect(await isSignedIn(browser)).toBe(true);
});

test('AA-02, contract 6: the state of another browser cannot sign the user in and remains valid', async () => {
  const browser = new Browser(door);
  const address = await returnAddress(browser, somebody());
  const stranger = new Browser(door);
  await stranger.ask(tru, {}, brk);
  for (const other of [stranger, new Browser(door)]) {
    expect((await other.get(address, { headers: json })).json()['status']).toBe('received');
    const page = await other.get(address);
    expectPage(page, 400);
    expect(page.text).toContain('another browser');
    expect(await isSignedIn(other)).toBe(false);
  }
  expect((await browser.get(address)).status).toBe(303);
});

test('contract 6: a state older than ten minutes is rejected', async () => {
  const browser = new Browser(door);
  const address = await returnAddress(browser, somebody());
  const state = new URL(address).searchParams.get('state') ?? '';
  await sql("update broker_states set expires_at = now() - interval '1 second' where state_hash = $1", [
    sha256(state),
  ]);
  expect((await browser.get(address, { headers: json })).json()['status']).toBe('received');
  expectPage(await browser.get(address), 400);
  expect(await isSignedIn(browser)).toBe(false);
});

test('the browser’s Back button to the callback shows a page that continues', async () => {
  const browser = new Browser(door);
  const address = await returnAddress(browser, somebody());
  await browser.get(address);
  const page = await browser.get(address);
  expectPage(page, 400);
  const href = /class="button" href="([^"]+)"/.exec(page.text)?.[1] ?? '';
  const done = await browser.onward(await browser.get(href.replaceAll('&amp;', '&')));
  expectCode(done, door, { ...tru, issuer });
});

test('contract 6: Cancel at the broker shows a page with two options, and starts no session', async () => {
  const browser = new Browser(door);
  const page = await browser.get(await returnAddress(browser, undefined));
  expectPage(page, 400);
  const [again, back] = [...page.text.matchAll(/class="button[^"]*" href="([^"]+)"/g)].map(
    (found) => found[1],
  );
  const retried = await browser.onward(await browser.get(again ?? ''));
  expect(new URL(retried.location).pathname).toBe('/auth');
  const given = await browser.onward(await browser.get(back ?? ''));
  expectErrorRedirect(given, door, 'access_denied', { ...tru, issuer });

  const other = new Browser(door);
  const answer = await other.get(await returnAddress(other, undefined), { headers: json });
  expect(answer.json()).toMatchObject({ status: 'failed', error: 'access_denied' });
  expect(await isSignedIn(other)).toBe(false);
});

test('contract 6: a code that the broker rejects returns the status "failed"', async () => {
  const browser = new Browser(door);
  const address = new URL(await returnAddress(browser, somebody()));
  address.searchParams.set('code', 'not-the-code');
  const answer = await browser.get(address.href, { headers: json });
  expect(answer.json()).toMatchObject({ status: 'failed', error: 'invalid_grant' });
  expect(await isSignedIn(browser)).toBe(false);
});

test('RFC 9207: a response with a wrong or missing iss is rejected', async () => {
  for (const iss of ['https://evil.example', null]) {
    const browser = new Browser(door);
    const address = new URL(await returnAddress(browser, somebody()));
    if (iss === null) address.searchParams.delete('iss');
    else address.searchParams.set('iss', iss);
    const answer = await browser.get(address.href, { headers: json });
    expect(answer.json()['status']).toBe('failed');
    expect(await isSignedIn(browser)).toBe(false);
  }
});
