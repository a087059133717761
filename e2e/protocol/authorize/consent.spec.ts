// Consent: stored per person, client and API, requested once, and given only by the person who saw the page (cases
// CN).
import { expect, test } from '@playwright/test';
import { type Client, fixtureClient } from '#testing/data/fixtures.ts';
import {
  authorizeParams,
  Browser,
  hiddenFields,
  isConsentPage,
  isSignInPage,
  signIn,
} from '#testing/service/browser.ts';
import { claimsOf, redeem, tokensOf } from '#testing/service/token.ts';
import { expectCode, expectErrorRedirect, expectPage } from '../../support/clients/expectations.ts';
import { makeClient, makePerson, rowsOf, sql } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';

const tru = fixtureClient('tru');

let browser: Browser;
let client: Client;
const person = () => makePerson();

test.beforeAll(async () => {
  browser = await signIn(door, await person(), tru);
});
test.beforeEach(async () => {
  client = await makeClient();
});

test('CN-01: the consent page names client, API, scopes and signed-in user', async () => {
  const someone = await person();
  const page = await (await signIn(door, someone, client)).start(client);
  expect(isConsentPage(page)).toBe(true);
  for (const words of [
    'Test confidential',
    'wants access to',
    'Orders',
    'See your orders',
    someone.email,
    'Allow',
    'Deny',
    'Not you?',
  ]) {
    expect(page.text).toContain(words);
  }
  expect(page.text).not.toContain('Place and change orders');
  expect(page.headers['cache-control']).toContain('no-store');
});

test('CN-02: a trusted subscription requires no consent', async () => {
  const trusted = await makeClient({ trusted: true });
  expectCode(await browser.ask(trusted), door, trusted);
  expect(await rowsOf(trusted.clientId)).toMatchObject({ consents: 0 });
});

test('CN-03: consent is stored per scope, and an additional scope requires consent', async () => {
  expectCode(await browser.finish(authorizeParams(client)), door, client);
  expectCode(await browser.ask(client), door, client);
  expectCode(await browser.ask(client, { prompt: 'none' }), door, client);
  const more = { scope: 'read write' };
  const silent = await browser.ask(client, { ...more, prompt: 'none' });
  expectErrorRedirect(silent, door, 'consent_required', client);
  expect(isConsentPage(await browser.start(client, more))).toBe(true);
  expectCode(await browser.finish(authorizeParams(client, more)), door, client);
  expectCode(await browser.ask(client), door, client);
  const consents = await sql('select scopes from consents where client_id = $1', [client.clientId]);
  expect(consents).toEqual([{ scopes: ['read', 'write'] }]);
  const again = await browser.start(client, { prompt: 'consent' });
  expectCode(await browser.onward(await browser.decideOn(again, 'allow')), door, client);
});

test('CN-04: Deny returns access_denied with the state, and nothing is stored', async () => {
  const page = await browser.start(client, { state: 'keep me' });
  const answer = await browser.onward(await browser.decideOn(page, 'deny'));
  expectErrorRedirect(answer, door, 'access_denied', { ...client, state: 'keep me' });
  expect(await rowsOf(client.clientId)).toMatchObject({ codes: 0, consents: 0 });
  expect(isConsentPage(await browser.start(client))).toBe(true);
});

test('CN-04: Cancel on the sign-in page returns access_denied without a session', async () => {
  const fresh = new Browser(door);
  const page = await fresh.start(client, { state: 'keep me' });
  const answer = await fresh.onward(
    await fresh.submit('/login/submit', { ...hiddenFields(page), cancel: '1' }),
  );
  expectErrorRedirect(answer, door, 'access_denied', { ...client, state: 'keep me' });
  expectErrorRedirect(await fresh.ask(client, { prompt: 'none' }), door, 'login_required', client);
});

test('CN-06: a consent form works only for its user, whatever cookies are sent', async () => {
  const mallory = await signIn(door, await person(), tru);
  const forms = {
    hers: hiddenFields(await browser.start(client)),
    his: hiddenFields(await mallory.start(client)),
  };
  expectPage(await browser.submit('/consent/submit', { ...forms.his, decision: 'allow' }), 403);
  expectPage(await mallory.submit('/consent/submit', { ...forms.hers, decision: 'allow' }), 403);
  const mixed = {
    interaction: forms.his['interaction'] ?? '',
    anti_forgery: forms.hers['anti_forgery'] ?? '',
  };
  expectPage(await browser.submit('/consent/submit', { ...mixed, decision: 'allow' }), 403);
  expect(await rowsOf(client.clientId)).toMatchObject({ consents: 0, codes: 0 });
});

test('CN-06, CN-08: in one browser, the session of another user cannot submit the consent page', async () => {
  const mine = await signIn(door, await person(), tru);
  const page = await mine.start(client);
  const login = await mine.start(tru, { prompt: 'login' });
  expect(isSignInPage(login)).toBe(true);
  await mine.onward(await mine.signInOn(login, await person()));
  expectPage(await mine.decideOn(page, 'allow'), 403);
  expect(await rowsOf(client.clientId)).toMatchObject({ consents: 0, codes: 0 });
});

test('CN-08: a sign-out in another tab invalidates the open consent page', async () => {
  const mine = await signIn(door, await person(), tru);
  const page = await mine.start(client);
  const transaction = mine.jar.copy();
  const ask = await mine.get(`${door.url}/logout`);
  expect((await mine.submit('/logout/submit', hiddenFields(ask))).status).toBe(303);
  const refused = await mine.decideOn(page, 'allow');
  expectPage(refused, 403);
  expect(refused.text).toContain('This form is no longer valid');
  // the decision is also rejected if the browser has kept the deleted cookie
  expectPage(await new Browser(door, transaction).decideOn(page, 'allow'), 403);
  expect(await rowsOf(client.clientId)).toMatchObject({ consents: 0, codes: 0 });
});

test('CN-09: “Not you?” opens the sign-in page, and the next user gets a separate consent page', async () => {
  const mine = await signIn(door, await person(), tru);
  const page = await mine.start(client);
  const login = await mine.onward(
    await mine.submit('/consent/submit', { ...hiddenFields(page), switch: '1' }),
  );
  expect(isSignInPage(login)).toBe(true);
  const other = await person();
  const again = await mine.onward(await mine.signInOn(login, other));
  expect(isConsentPage(again)).toBe(true);
  expect(again.text).toContain(other.email);
  const code = expectCode(await mine.onward(await mine.decideOn(again, 'allow')), door, client);
  const { accessToken } = tokensOf(await redeem(door, client, { code }));
  expect(claimsOf(accessToken)['sub']).toBe(other.id);
  const consents = await sql('select person_id from consents where client_id = $1', [client.clientId]);
  expect(consents).toEqual([{ person_id: other.id }]);
});

test('CN-10: a native client requires consent each time, unless it is trusted', async () => {
  for (const redirectUri of ['com.example.test:/cb', 'http://127.0.0.1/cb']) {
    const kind = { kind: 'native' as const, redirectUris: [redirectUri] };
    const native = await makeClient(kind);
    expectCode(await browser.finish(authorizeParams(native)), door, native);
    expect(isConsentPage(await browser.start(native))).toBe(true);
    expectErrorRedirect(await browser.ask(native, { prompt: 'none' }), door, 'consent_required', native);
    const trusted = await makeClient({ ...kind, trusted: true });
    expectCode(await browser.ask(trusted), door, trusted);
  }
});

test('CN-11: client names are rendered as text', async () => {
  const name = '<img src=x onerror=alert(1)>\u202e"\'&';
  const odd = await makeClient({ name });
  const pages = [await browser.start(odd), await new Browser(door).start(odd)];
  for (const page of pages) {
    expect(page.status).toBe(200);
    expect(page.text).not.toContain('<img src=x');
    expect(page.text).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(page.text).toMatch(/<bdi[^>]*>&lt;img/);
  }
});

test('CN-12: a consent form older than ten minutes shows a message, and a modified form is rejected', async () => {
  const page = await browser.start(client);
  const fields = hiddenFields(page);
  const sealed = fields['interaction'] ?? '';
  const tampered = `${sealed.slice(0, 20)}${sealed[20] === 'A' ? 'B' : 'A'}${sealed.slice(21)}`;
  expectPage(
    await browser.submit('/consent/submit', { ...fields, interaction: tampered, decision: 'allow' }),
    403,
  );
  expectPage(await browser.submit('/consent/submit', { ...fields, decision: 'perhaps' }), 403);
  expectPage(await browser.submit('/consent/submit', fields), 403);
  expect(await rowsOf(client.clientId)).toMatchObject({ consents: 0 });
});

test('section 5: a client that is disabled or loses its subscription while the page is open receives no code', async () => {
  const page = await browser.start(client);
  await sql("update subscriptions set state = 'suspended' where client_id = $1", [client.clientId]);
  const answer = await browser.onward(await browser.decideOn(page, 'allow'));
  expect(answer.location).not.toContain('code=');
  expect(answer.status).toBeLessThan(500);
  expect(await rowsOf(client.clientId)).toMatchObject({ codes: 0 });
});
