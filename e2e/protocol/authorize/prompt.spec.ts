// `prompt` of an authorize request: none, login, consent (contract section 5, cases AZ).
import { expect, test } from '@playwright/test';
import { fixtureClient } from '#testing/data/fixtures.ts';
import { issuerOf } from '#testing/net/door.ts';
import { authorizeParams, Browser, isConsentPage, isSignInPage, signIn } from '#testing/service/browser.ts';
import { expectErrorRedirect } from '../../support/clients/expectations.ts';
import { makeClient, makePerson } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';

const conf = fixtureClient('conf');

let browser: Browser;

test.beforeAll(async () => {
  const alice = await makePerson();
  browser = await signIn(door, alice, conf);
  await browser.finish(authorizeParams(conf));
});

test('AZ-16, SPEC 7: prompt=none without a session returns login_required immediately, for every method', async () => {
  for (const method of ['pw', 'ext', 'brk']) {
    const answer = await new Browser(door).ask(conf, { prompt: 'none' }, { method });
    expectErrorRedirect(answer, door, 'login_required', { ...conf, issuer: issuerOf(door, method) });
    expect(answer.text).toBe('');
  }
});

test('section 5: prompt=none without consent returns consent_required', async () => {
  const client = await makeClient();
  const answer = await browser.ask(client, { prompt: 'none' });
  expectErrorRedirect(answer, door, 'consent_required', client);
});

test('AZ-19: prompt=none with another value, or an unknown prompt, returns invalid_request', async () => {
  for (const changes of [
    { prompt: 'none login' },
    { prompt: 'bogus' },
    { prompt: 'NONE' },
    { max_age: '-1' },
    { max_age: 'x' },
  ]) {
    expectErrorRedirect(await browser.ask(conf, changes), door, 'invalid_request', conf);
  }
});

test('section 5: prompt=login requires a new sign-in, and prompt=consent a new consent', async () => {
  const copy = new Browser(door, browser.jar.copy());
  expect(isSignInPage(await copy.start(conf, { prompt: 'login' }))).toBe(true);
  expect(isConsentPage(await copy.start(conf, { prompt: 'consent' }))).toBe(true);
  expectErrorRedirect(await copy.ask(conf, { prompt: 'none', max_age: '0' }), door, 'login_required', conf);
});
