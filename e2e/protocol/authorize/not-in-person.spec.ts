// Requests without a person's intent: prefetched links, and pages in frames.
import { expect, test } from '@playwright/test';
import { fixtureClient } from '#testing/data/fixtures.ts';
import type { Person } from '#testing/data/world.ts';
import { authorizeParams, authorizeUrl, Browser, isSignInPage, signIn } from '#testing/service/browser.ts';
import { expectCode, expectErrorRedirect, expectPage } from '../../support/clients/expectations.ts';
import { makePerson, sql } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';

const conf = fixtureClient('conf');
const FRAMES = ['iframe', 'frame', 'fencedframe', 'embed', 'object'];
const AHEAD: Record<string, string>[] = [
  { 'sec-purpose': 'prefetch' },
  { 'sec-purpose': 'prefetch;prerender' },
  { 'sec-purpose': 'prefetch;anonymous-client-ip' },
  { purpose: 'prefetch' },
  { purpose: 'Prefetch' },
  { 'x-purpose': 'preview' },
  { 'x-moz': 'prefetch' },
  { 'next-router-prefetch': '1' },
];

let browser: Browser;
let person: Person;
const codes = async () =>
  (await sql<{ n: number }>('select count(*)::int as n from codes where person_id = $1', [person.id]))[0]?.n;

test.beforeAll(async () => {
  person = await makePerson();
  browser = await signIn(door, person, conf);
  // stores a consent, so that later requests return codes immediately
  await browser.codeFor(conf);
});

test('a prefetched authorize link creates no code, and a click on it does', async () => {
  const before = await codes();
  for (const headers of AHEAD) {
    const answer = await browser.get(authorizeUrl(door, authorizeParams(conf)), { headers });
    expect(answer.status, JSON.stringify(headers)).toBe(403);
    expect(answer.location).toBe('');
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.headers['set-cookie']).toBeUndefined();
  }
  // Next first redirects requests of its router; the final response is equal
  const headers = { 'next-router-prefetch': '1', rsc: '1' };
  const first = await browser.get(authorizeUrl(door, authorizeParams(conf)), { headers });
  const last =
    first.status === 307 ? await browser.get(new URL(first.location, door.url).href, { headers }) : first;
  expect(last.status).toBe(403);
  expect(await codes()).toBe(before);
  expectCode(await browser.ask(conf), door, conf);
  expect(await codes()).toBe((before ?? 0) + 1);
});

test('framed authorize requests show neither sign-in nor consent', async () => {
  for (const dest of FRAMES) {
    const headers = { 'sec-fetch-dest': dest };
    const stranger = new Browser(door);
    const toSignIn = await stranger.get(authorizeUrl(door, authorizeParams(conf)), { headers });
    const again = authorizeParams(conf, { prompt: 'consent' });
    const toAgree = await browser.get(authorizeUrl(door, again), { headers });
    for (const answer of [toSignIn, toAgree]) {
      expectPage(answer, 403);
      expect(answer.text).toContain('This page cannot be shown in a frame');
    }
  }
});

test('silent renewal in a frame works', async () => {
  const headers = { 'sec-fetch-dest': 'iframe' };
  const url = authorizeUrl(door, authorizeParams(conf, { prompt: 'none' }));
  expectCode(await browser.get(url, { headers }), door, conf);
  expectErrorRedirect(await new Browser(door).get(url, { headers }), door, 'login_required', conf);
});

test('the sign-in and consent pages forbid framing', async () => {
  const stranger = new Browser(door);
  const signInPage = (await stranger.ask(conf)).location;
  const consentPage = (await browser.ask(conf, { prompt: 'consent' })).location;
  expect(consentPage).toContain('/consent?');
  const pages: [Browser, string][] = [
    [stranger, signInPage],
    [browser, consentPage],
    ...['/logout', '/account', '/developer', '/admin'].map((path): [Browser, string] => [
      stranger,
      `${door.url}${path}`,
    ]),
  ];
  for (const [who, url] of pages) {
    for (const dest of FRAMES) {
      const framed = await who.get(url, { headers: { 'sec-fetch-dest': dest } });
      expect(framed.status, `${url.slice(0, 60)} ${dest}`).toBe(403);
      expect(framed.text).toContain('This page cannot be shown in a frame');
      expect(framed.text).not.toContain('<form');
      expect(framed.headers['x-frame-options']).toBe('DENY');
    }
  }
  expect(isSignInPage(await stranger.get(signInPage))).toBe(true);
});
