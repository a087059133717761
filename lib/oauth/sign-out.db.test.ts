// Sign-out by a client's request (OpenID Connect RP-Initiated Logout 1.0). The modules of the certification plan are in
// e2e/protocol/openid/openid-sign-out.spec.ts.
import { beforeAll, beforeEach, expect, test } from 'vitest';
import type { Answer } from '#lib/http/message.ts';
import { shiftClock } from '#lib/kit/clock.ts';
import { settings } from '#lib/settings/settings.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, cookieOf, givenFixtures, locationOf } from '#testing/in-process/in-process.ts';
import {
  givenTrustedClients,
  OPENID_PATH,
  openIdTokens,
  signInTo,
  type TrustedClient,
} from '#testing/in-process/openid.ts';
import { viewLogout } from './sign-out.ts';

const BYE = 'https://rp.example/bye?tenant=7';
let rp: TrustedClient;
let other: TrustedClient;
let cookie: string;
let hint: string;

beforeAll(async () => {
  await givenFixtures();
  [rp] = (await givenTrustedClients(['rp'], { postLogoutRedirectUris: [BYE] })) as [TrustedClient];
  [other] = (await givenTrustedClients(['other'], {
    postLogoutRedirectUris: ['https://other.example/bye'],
  })) as [TrustedClient];
});
beforeEach(async () => {
  await sql('truncate sessions, token_families, codes cascade');
  ({ cookie } = await signInTo('alice@example.com'));
  hint = (await openIdTokens(rp, { cookie, scope: 'openid' }))['id_token'] ?? '';
});

const logout = (query: Record<string, string>, browser = cookie) =>
  ask(`${OPENID_PATH}/logout?${new URLSearchParams(query)}`, { headers: { cookie: browser } });
const signedIn = async () => (await sql('select 1 from sessions where ended_at is null')).length === 1;
const page = (answer: Answer) => String(answer.body);

/** Expects the confirmation page, submits it, and returns the final response. */
async function confirm(asked: Answer, browser = cookie): Promise<Answer> {
  const to = new URL(locationOf(asked));
  expect([asked.status, to.pathname]).toEqual([303, '/logout']);
  const both = [browser, cookieOf(asked)].filter(Boolean).join('; ');
  const interaction = to.searchParams.get('interaction') ?? '';
  const view = await viewLogout({ cookie: both, interaction });
  expect(view.interaction).toBe(interaction);
  const submitted = await ask('/logout/submit', {
    form: { interaction, anti_forgery: view.antiForgery },
    headers: { cookie: both, origin: settings().authUrl },
  });
  const moving = await ask(locationOf(submitted).replace(settings().authUrl, ''), {
    headers: { cookie: both },
  });
  const next = /url=([^"]+)"/.exec(page(moving))?.[1] ?? '';
  return ask(next.replace(settings().authUrl, ''), { headers: { cookie: both } });
}

test.each([
  ['an address of another client', 'https://other.example/bye'],
  ['no address at all', 'javascript:alert(1)'],
])(
  'post_logout_redirect_uri with %s: the session still ends, the browser is not redirected, and the page names the fault',
  async (_, uri) => {
    const answer = await logout({ id_token_hint: hint, post_logout_redirect_uri: uri, state: 'x' });
    expect([answer.status, locationOf(answer)]).toEqual([200, '']);
    expect(page(answer)).toContain('You are signed out');
    expect(page(answer)).toContain('post_logout_redirect_uri is not exactly one of');
    expect(page(answer)).not.toContain(uri);
    expect(await signedIn()).toBe(false);
  },
);

test('client_id and the user’s confirmation suffice for the redirect; without confirmation the session continues', async () => {
  const asked = await logout({ client_id: 'rp', post_logout_redirect_uri: BYE, state: 'x' });
  expect(await signedIn()).toBe(true);
  expect(locationOf(await confirm(asked))).toBe(`${BYE}&state=x`);
  expect(await signedIn()).toBe(false);
  // the session has already ended. Even so, a sign-out that another site starts shows the confirmation page
  // first
  expect(locationOf(await confirm(await logout({ client_id: 'rp', post_logout_redirect_uri: BYE })))).toBe(
    BYE,
  );
});

test.each([
  [
    'an access token',
    async () => (await openIdTokens(rp, { cookie, scope: 'openid' }))['access_token'] ?? '',
  ],
  ['no token', async () => 'x'],
])(
  'id_token_hint with %s: the user is asked for confirmation, and the browser is not redirected',
  async (_, bad) => {
    const asked = await logout({ id_token_hint: await bad(), post_logout_redirect_uri: BYE });
    expect(await signedIn()).toBe(true);
    const answer = await confirm(asked);
    expect([answer.status, locationOf(answer)]).toEqual([200, '']);
    expect(page(answer)).toContain('id_token_hint is not an ID token of this issuer');
  },
);

test('an id_token_hint that is expired, or signed by a retired key, is accepted', async () => {
  shiftClock(7_200_000);
  await sql('update signing_keys set retired_at = now()');
  await sql('update directory_version set version = version + 1');
  expect(locationOf(await logout({ id_token_hint: hint, post_logout_redirect_uri: BYE }))).toBe(BYE);
  expect(await signedIn()).toBe(false);
  shiftClock(0);
});

test('an id_token_hint of another user, session or issuer signs nobody out', async () => {
  const bob = await signInTo('bob@example.com');
  const elsewhere = await signInTo('alice@example.com');
  const foreign = (await openIdTokens(other, { ...elsewhere, scope: 'openid' }))['id_token'] ?? '';
  await confirm(await logout({ id_token_hint: hint, post_logout_redirect_uri: BYE }, bob.cookie), bob.cookie);
  const asked = await logout({ id_token_hint: foreign });
  expect(asked.status).toBe(303);
  const living = await sql('select 1 from sessions where ended_at is null');
  expect(living).toHaveLength(2);
  const here = await ask(`/auth/ext/api/orders/logout?id_token_hint=${hint}`, { headers: { cookie } });
  expect(here.status).toBe(303);
});

test('without a session, a valid id_token_hint redirects the browser immediately', async () => {
  const answer = await logout({ id_token_hint: hint, post_logout_redirect_uri: BYE, state: 'x' }, '');
  expect([answer.status, locationOf(answer)]).toEqual([302, `${BYE}&state=x`]);
  expect(await signedIn()).toBe(true);
});

test('a client_id mismatch or a repeated parameter shows an error page and ends no session', async () => {
  for (const query of [
    `client_id=other&id_token_hint=${hint}`,
    `id_token_hint=${hint}&id_token_hint=${hint}`,
  ]) {
    const answer = await ask(`${OPENID_PATH}/logout?${query}`, { headers: { cookie } });
    expect([answer.status, locationOf(answer)]).toEqual([400, '']);
    expect(page(answer)).toContain('This sign-out link does not work');
  }
  expect(await signedIn()).toBe(true);
});

test('a POST to the sign-out redirects to a GET with equal parameters, and a body that is not a form is rejected', async () => {
  const form = { id_token_hint: hint, post_logout_redirect_uri: BYE, state: 'x#y' };
  const posted = await ask(`${OPENID_PATH}/logout`, { form });
  expect(posted.status).toBe(303);
  const answer = await ask(locationOf(posted).replace(settings().authUrl, ''), { headers: { cookie } });
  expect(locationOf(answer)).toBe(`${BYE}&state=x%23y`);
  const json = await ask(`${OPENID_PATH}/logout`, { form, headers: { 'content-type': 'application/json' } });
  expect(json.status).toBe(400);
});

test('the sign-out form works once in its browser, and another browser, form token or origin is rejected', async () => {
  const asked = await logout({ client_id: 'rp', post_logout_redirect_uri: BYE });
  const interaction = new URL(locationOf(asked)).searchParams.get('interaction') ?? '';
  const both = `${cookie}; ${cookieOf(asked)}`;
  const { antiForgery } = await viewLogout({ cookie: both, interaction });
  const send = (browser: string, origin: string, anti_forgery = antiForgery) =>
    ask('/logout/submit', { form: { interaction, anti_forgery }, headers: { cookie: browser, origin } });
  expect((await send(cookie, settings().authUrl)).status).toBe(403);
  expect((await send(both, 'https://evil.example')).status).toBe(403);
  expect((await send(both, settings().authUrl, 'x')).status).toBe(403);
  expect((await viewLogout({ cookie, interaction })).interaction).toBeNull();
  // sends the request without the confirmation step
  const early = await ask(`${OPENID_PATH}/logout?interaction=${interaction}`, { headers: { cookie: both } });
  expect(early.status).toBe(400);
  expect(await signedIn()).toBe(true);
});

test('a sign-out ends the session of the issuer’s method, and the browser’s other sessions remain', async () => {
  const asked = await logout({});
  const { sessions } = await viewLogout({
    cookie: `${cookie}; ${cookieOf(asked)}`,
    interaction: new URL(locationOf(asked)).searchParams.get('interaction') ?? undefined,
  });
  expect(sessions).toEqual([{ method: 'Password', label: 'alice@example.com' }]);
  const ext = await ask('/auth/ext/api/orders/logout', { headers: { cookie } });
  await confirm(ext);
  expect(await signedIn()).toBe(true);
});
