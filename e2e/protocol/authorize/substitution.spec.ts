// Codes, tokens, sessions and consents of one client, API, method or person do not work for another (cases SU).
import { expect, test } from '@playwright/test';
import { fixtureApi, fixtureClient } from '#testing/data/fixtures.ts';
import { issuerOf } from '#testing/net/door.ts';
import { send } from '#testing/net/http.ts';
import { authorizeParams, Browser, isConsentPage, isSignInPage, signIn } from '#testing/service/browser.ts';
import {
  basic,
  credentialsOf,
  introspect,
  isActive,
  passwordGrant,
  redeem,
  refresh,
  revoke,
  tokensFor,
  tokensOf,
} from '#testing/service/token.ts';
import {
  expectCode,
  expectError,
  expectErrorRedirect,
  expectTokens,
} from '../../support/clients/expectations.ts';
import { makeClient, makePerson, rowsOf } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';

const conf2 = fixtureClient('conf2');
const nat = fixtureClient('nat');
const trunat = fixtureClient('trunat');
const orders = fixtureApi('orders');
const billing = fixtureApi('billing');

let browser: Browser;
let conf: Awaited<ReturnType<typeof makeClient>>;

test.beforeAll(async () => {
  conf = await makeClient({ apis: ['orders', 'billing'] });
  browser = await signIn(door, await makePerson(), conf);
});

test('SU-01: another client can neither redeem nor invalidate codes', async () => {
  const given = await browser.codeFor(conf);
  expectError(await redeem(door, conf2, given), 'invalid_grant');
  expectTokens(await redeem(door, conf, given));
});

test('SU-03, SU-04: a code works only at the issuer that issued it', async () => {
  const given = await browser.codeFor(conf);
  const before = await rowsOf(conf.clientId);
  expectError(await redeem(door, conf, given, { at: { api: 'billing' } }), 'invalid_grant');
  expectError(await redeem(door, conf, given, { at: { method: 'ext' } }), 'invalid_grant');
  expectError(await redeem(door, conf, given, { at: { method: 'brk' } }), 'invalid_grant');
  expect(await rowsOf(conf.clientId)).toEqual(before);
  expectTokens(await redeem(door, conf, given));
});

test('SU-05: a refresh token sent by another client leaves its token family active', async () => {
  const tokens = await tokensFor(browser, conf);
  expectError(await refresh(door, conf2, tokens.refreshToken), 'invalid_grant');
  const native = await tokensFor(browser, nat);
  expectError(await refresh(door, trunat, native.refreshToken), 'invalid_grant');
  expectTokens(await refresh(door, conf, tokens.refreshToken));
  expectTokens(await refresh(door, nat, native.refreshToken));
});

test('SU-06: a refresh token, used or unused, works only at the issuer that issued it', async () => {
  const tokens = await tokensFor(browser, conf);
  const at = [{ api: 'billing' }, { method: 'ext' }];
  for (const there of at)
    expectError(await refresh(door, conf, tokens.refreshToken, {}, there), 'invalid_grant');
  const next = tokensOf(await refresh(door, conf, tokens.refreshToken));
  for (const there of at)
    expectError(await refresh(door, conf, tokens.refreshToken, {}, there), 'invalid_grant');
  expectTokens(await refresh(door, conf, next.refreshToken));
});

test('SU-07: an API cannot introspect a token for another API', async () => {
  const forOrders = await tokensFor(browser, conf);
  const given = await browser.codeFor(conf, { at: { api: 'billing' } });
  const forBilling = tokensOf(await redeem(door, conf, given, { at: { api: 'billing' } }));
  expect(await isActive(door, forOrders.accessToken)).toBe(true);
  expect(await isActive(door, forBilling.accessToken, billing)).toBe(true);
  for (const presented of Object.values(forOrders)) {
    expect((await introspect(door, presented, billing)).json()).toEqual({ active: false });
  }
  for (const presented of Object.values(forBilling)) {
    expect((await introspect(door, presented, orders)).json()).toEqual({ active: false });
  }
});

test('SU-09: a session works only for its own method', async () => {
  for (const method of ['ext', 'brk']) {
    const answer = await browser.ask(conf, { prompt: 'none' }, { method });
    const issuer = issuerOf(door, method);
    expectErrorRedirect(answer, door, ['login_required'], { ...conf, issuer });
  }
  expect(isSignInPage(await browser.start(conf, {}, { method: 'ext' }))).toBe(true);
});

test('SU-10: a consent applies only to its own API', async () => {
  const client = await makeClient({ apis: ['orders', 'billing'] });
  expectCode(await browser.finish(authorizeParams(client)), door, client);
  expect(isConsentPage(await browser.start(client, {}, { api: 'billing' }))).toBe(true);
});

test('SU-11: introspection requires a subscription to the API, and revocation requires the token’s client', async () => {
  const tokens = await tokensFor(browser, conf);
  const stranger = await makeClient({ apis: ['billing'] });
  const asked = { form: { ...credentialsOf(stranger), token: tokens.accessToken } };
  expect((await send(`${issuerOf(door)}/introspect`, asked)).json()).toEqual({ active: false });
  for (const presented of Object.values(tokens))
    expect([200, 400]).toContain((await revoke(door, conf2, presented)).status);
  expect(await isActive(door, tokens.accessToken)).toBe(true);
  expectTokens(await refresh(door, conf, tokens.refreshToken));
});

test('section 6: a subscriber can introspect, and a public client, a wrong secret or no credential cannot', async () => {
  const tokens = await tokensFor(browser, conf);
  const url = `${issuerOf(door)}/introspect`;
  const subscriber = await send(url, { form: { ...credentialsOf(conf2), token: tokens.accessToken } });
  expect(subscriber.json()).toMatchObject({ active: true, client_id: conf.clientId, aud: orders.url });
  expectError(await send(url, { form: { client_id: 'spa', token: tokens.accessToken } }), 'invalid_client');
  const wrong = { form: { token: tokens.accessToken }, headers: basic('orders', 'wrong') };
  expectError(await send(url, wrong), 'invalid_client');
  const nobody = await send(url, { form: { token: tokens.accessToken } });
  expectError(nobody, 'invalid_client');
  expect(nobody.headers['www-authenticate']).toMatch(/^Basic /);
});

test('SU-02: a client’s trusted subscription does not apply to another client', async () => {
  const alice = await makePerson();
  expectError(await passwordGrant(door, conf2, alice), 'unauthorized_client');
  const fresh = new Browser(door);
  expect(isSignInPage(await fresh.start(conf2))).toBe(true);
});
