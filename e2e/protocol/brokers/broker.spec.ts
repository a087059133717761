// Sign-in at a broker, a real OpenID Connect provider (contract sections 2 and 5; cases AA-09, AZ-18, SN-02, SU-09).
import { expect, test } from '@playwright/test';
import { throughBroker } from '#testing/brokers/broker.ts';
import { fixtureClient, fixturePerson } from '#testing/data/fixtures.ts';
import { sha256 } from '#testing/data/world.ts';
import { CookieJar } from '#testing/net/cookie-jar.ts';
import { issuerOf } from '#testing/net/door.ts';
import { authorizeParams, Browser, hiddenFields, isConsentPage } from '#testing/service/browser.ts';
import { claimsOf, redeem, tokensOf } from '#testing/service/token.ts';
import { brk, brokerVisits, somebody } from '../../support/brokers/broker-visits.ts';
import { startLiar } from '../../support/brokers/lying-broker.ts';
import {
  expectCode,
  expectErrorRedirect,
  expectPage,
  expectTokens,
} from '../../support/clients/expectations.ts';
import { makeClient, rowsOf, sql } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';

const conf = fixtureClient('conf');
const tru = fixtureClient('tru');

const issuer = issuerOf(door, 'brk');
const { comeBack, returnAddress, signInAtBroker, isSignedIn } = brokerVisits(door);

test('contract 5: the authorize request redirects the user directly to the broker and resumes afterwards', async () => {
  const browser = new Browser(door);
  const departure = await browser.ask(conf, { state: 'S' }, brk);
  expect([302, 303]).toContain(departure.status);
  const address = new URL(departure.location);
  expect(address.pathname).toBe('/auth');
  expect(Object.fromEntries(address.searchParams)).toMatchObject({
    client_id: 'gatehouse',
    response_type: 'code',
    redirect_uri: `${door.url}/auth/callback/brk`,
    scope: 'openid email profile',
    code_challenge_method: 'S256',
    state: expect.stringMatching(/^[\w-]{43}$/),
    nonce: expect.stringMatching(/^[\w-]{43}$/),
  });
  for (const ours of [conf.clientId, conf.redirectUri]) expect(departure.location).not.toContain(ours);

  const back = await browser.get(await throughBroker(departure, somebody()));
  expect(back.status).toBe(303);
  const consent = await browser.onward(back);
  expect(isConsentPage(consent)).toBe(true);
  const done = await browser.onward(await browser.decideOn(consent, 'allow'));
  const code = expectCode(done, door, { ...conf, issuer });
  const answer = await redeem(door, conf, { code }, { at: brk });
  expectTokens(answer);
  expect(claimsOf(tokensOf(answer).accessToken)['iss']).toBe(issuer);
});

test('contract 5: login_hint, max_age and prompt=login are forwarded, and Gatehouse adds none of them', async () => {
  const browser = new Browser(door);
  const changes = { login_hint: 'ann@partner.example', max_age: '60', prompt: 'login' };
  const asked = new URL((await browser.ask(tru, changes, brk)).location).searchParams;
  expect(Object.fromEntries(asked)).toMatchObject(changes);
  const plain = new URL((await browser.ask(tru, {}, brk)).location).searchParams;
  for (const name of Object.keys(changes)) expect(plain.has(name), name).toBe(false);
});

test('AZ-18: prompt=none with a broker method uses Gatehouse’s session without a request to the broker', async () => {
  const liar = await startLiar();
  const at = { method: liar.method };
  const answer = await new Browser(door).ask(tru, { prompt: 'none' }, at);
  expectErrorRedirect(answer, door, ['login_required'], {
    ...tru,
    issuer: issuerOf(door, liar.method),
  });
  expect(liar.asked('/.well-known/openid-configuration')).toBe(0);
  await liar.close();
});

test('SN-02, broker method: prompt=none returns a code after a sign-in', async () => {
  const { browser } = await signInAtBroker(somebody());
  const answer = await browser.ask(tru, { prompt: 'none' }, brk);
  expectCode(answer, door, { ...tru, issuer });
});

test('SU-09: the sessions of a broker and a local method are separate', async () => {
  const { browser } = await signInAtBroker(somebody());
  expect(await isSignedIn(browser)).toBe(true);
  expect(await isSignedIn(browser, { method: 'pw' })).toBe(false);
  const local = new Browser(door);
  await local.finish(authorizeParams(tru), fixturePerson('alice'));
  expect(await isSignedIn(local, { method: 'pw' })).toBe(true);
  expect(await isSignedIn(local)).toBe(false);
});

test('AA-09: a broker user with a local user’s email address is a different user, also under the local method', async () => {
  const alice = fixturePerson('alice');
  const { browser } = await signInAtBroker(alice.email);
  const [ours] = await sql<{ id: string }>('select id from people where email = $1', [alice.email]);
  const given = await browser.ask(tru, { prompt: 'none' }, brk);
  const code = expectCode(given, door, { ...tru, issuer });
  const tokens = tokensOf(await redeem(door, tru, { code }, { at: brk }));
  const sub = claimsOf(tokens.accessToken)['sub'];
  expect(sub).not.toBe(ours?.id);
  const again = await signInAtBroker(alice.email);
  const second = await again.browser.ask(tru, { prompt: 'none' }, brk);
  const next = { code: expectCode(second, door, { ...tru, issuer }) };
  const other = await redeem(door, tru, next, { at: brk });
  expect(claimsOf(tokensOf(other).accessToken)['sub']).toBe(sub);
});

test('a disabled user of a broker cannot sign in', async () => {
  const name = somebody();
  await signInAtBroker(name);
  await sql(
    `update people set disabled_at = now() where id =
      (select person_id from external_identities where auth_method_id = 'brk' and subject = $1)`,
    [name],
  );
  const browser = new Browser(door);
  expectPage(await browser.get(await returnAddress(browser, name)), 400);
  expect(await isSignedIn(browser)).toBe(false);
});

test('each request with prompt=login requires a new sign-in', async () => {
  const name = somebody();
  const jar = new CookieJar();
  const browser = new Browser(door);
  for (let round = 0; round < 2; round += 1) {
    const departure = await browser.ask(tru, { prompt: 'login' }, brk);
    expect(new URL(departure.location).searchParams.get('prompt')).toBe('login');
    const done = await browser.onward(await browser.get(await throughBroker(departure, name, jar)));
    expectCode(done, door, { ...tru, issuer });
  }
});

test('"Not you?" on the consent page redirects to the broker, which requires a sign-in', async () => {
  const client = await makeClient();
  const browser = new Browser(door);
  const departure = await browser.ask(client, {}, brk);
  const consent = await browser.onward(await browser.get(await throughBroker(departure, somebody())));
  expect(isConsentPage(consent)).toBe(true);
  const fields = { ...hiddenFields(consent), switch: '1' };
  const switched = await browser.onward(await browser.submit('/consent/submit', fields));
  const asked = new URL(switched.location);
  expect(asked.pathname).toBe('/auth');
  expect(asked.searchParams.get('prompt')).toBe('login');
  const other = await browser.onward(await browser.get(await throughBroker(switched, 'Somebody Else')));
  expect(isConsentPage(other)).toBe(true);
  expect(other.text).toContain('Somebody Else');
});

test('a plain OAuth 2.0 broker signs in the user from its userinfo response, also with a numeric id', async () => {
  const liar = await startLiar({ issuer: undefined });
  const endpoints = {
    authorization_endpoint: `${liar.issuer}/authorize?tenant=1`,
    token_endpoint: `${liar.issuer}/token`,
    userinfo_endpoint: `${liar.issuer}/user`,
    subject_claim: 'id',
    scopes: ['read:user'],
  };
  await sql('update auth_methods set config = config || $2::jsonb where id = $1', [
    liar.method,
    JSON.stringify(endpoints),
  ]);
  const at = { method: liar.method };
  liar.say('/token', (form) =>
    form.get('code') === 'c' && form.has('code_verifier')
      ? { body: { access_token: 'at', token_type: 'bearer', scope: 'read:user' } }
      : { body: { error: 'bad_verification_code' } },
  );
  liar.say('/user', () => ({ body: { id: 4711, login: 'octocat', name: null } }));
  const { answer, browser, asked } = await comeBack(liar);
  expect(asked.get('tenant')).toBe('1');
  expect(asked.get('scope')).toBe('read:user');
  expect(asked.has('nonce')).toBe(false);
  expect(answer.json()['status']).toBe('authenticated');
  expect(await isSignedIn(browser, at)).toBe(true);
  const [identity] = await sql('select subject, name from external_identities where auth_method_id = $1', [
    liar.method,
  ]);
  expect(identity).toEqual({ subject: '4711', name: 'octocat' });
  expect((await comeBack(liar, { code: 'd' })).answer.json()).toMatchObject({
    status: 'failed',
    error: 'invalid_grant',
  });
  liar.say('/user', () => ({ body: { login: 'octocat' } }));
  expect((await comeBack(liar)).answer.json()).toMatchObject({ status: 'failed' });
  await liar.close();
});

test('the state of a broker sign-in is never stored in plain text', async () => {
  const browser = new Browser(door);
  const departure = await browser.ask(tru, {}, brk);
  const state = new URL(departure.location).searchParams.get('state') ?? '';
  const [row] = await sql<{ sealed_request: string }>(
    'select sealed_request from broker_states where state_hash = $1',
    [sha256(state)],
  );
  const sealed = row?.sealed_request ?? '';
  expect(sealed).toMatch(/^v1\./);
  // texts too long to appear by chance
  for (const text of [sealed, ...sealed.split('.').map((part) => String(Buffer.from(part, 'base64url')))])
    for (const clear of ['client_id', 'redirect_uri', tru.redirectUri]) expect(text).not.toContain(clear);
  expect(await rowsOf('nobody')).toMatchObject({ codes: 0 });
});
