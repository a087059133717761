// The conformance suite's plan RP-Initiated Logout OP, each test named after its module. If the suite takes a
// screenshot, the test reads the text of the page instead.
import { generateKeyPairSync } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, SignJWT, UnsecuredJWT } from 'jose';
import type { Person } from '#testing/data/world.ts';
import type { Answer } from '#testing/net/sent.ts';
import { authorizeUrl, Browser, hiddenFields, type Params } from '#testing/service/browser.ts';
import { RelyingParty } from '../../support/clients/openid.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { allow, signIn } from '../../support/pages/visit.ts';
import { makeClient, makePerson } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';

const BYE = 'https://rp.example/bye?tenant=7';

/** Signs the hint's claims with a foreign key. */
async function signedElsewhere(hint: string): Promise<string> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const { alg = '', ...header } = decodeProtectedHeader(hint);
  return new SignJWT(decodeJwt(hint)).setProtectedHeader({ ...header, alg }).sign(privateKey);
}

/**
 * Addresses to which the user is not redirected, although the hint is valid. The session ends immediately.
 */
const BAD_ADDRESSES: [module: string, address: string][] = [
  ['oidcc-rp-initiated-logout-bad-post-logout-redirect-uri', 'https://rp.example/bad'],
  ['oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri', `${BYE}&foo=bar`],
];

/** Requests without a valid hint: the user must confirm the sign-out, and is not redirected. */
const ASKED: [module: string, params: (hint: string) => Promise<Params>][] = [
  ['oidcc-rp-initiated-logout-no-id-token-hint', async () => ({ post_logout_redirect_uri: BYE, state: 'S' })],
  ['oidcc-rp-initiated-logout-no-params', async () => ({})],
  ['oidcc-rp-initiated-logout-only-state', async () => ({ state: 'S' })],
  [
    'oidcc-rp-initiated-logout-modified-id-token-hint',
    async (hint) => ({
      id_token_hint: new UnsecuredJWT(decodeJwt(hint)).encode(),
      post_logout_redirect_uri: BYE,
      state: 'S',
    }),
  ],
  [
    'oidcc-rp-initiated-logout-bad-id-token-hint',
    async (hint) => ({
      id_token_hint: await signedElsewhere(hint),
      post_logout_redirect_uri: BYE,
      state: 'S',
    }),
  ],
];

let rp: RelyingParty;
let person: Person;
let browser: Browser;
let hint: string;

test.beforeAll(async () => {
  rp = await RelyingParty.at(door, await makeClient({ postLogoutRedirectUris: [BYE] }));
  person = await makePerson();
});
test.beforeEach(async () => {
  browser = new Browser(door);
  ({ idToken: hint } = await rp.signIn(browser, person));
});

const signOut = (params: Params) => browser.get(rp.signOutUrl(params));
const isSignedIn = async () => {
  const { location } = await browser.authorize(rp.request({ prompt: 'none' }).params);
  const answer = new URL(location).searchParams;
  expect([null, 'login_required']).toContain(answer.get('error'));
  return answer.has('code');
};
const expectSignedOutPage = async (answer: Answer) => {
  expect([answer.status, answer.location]).toEqual([200, '']);
  expect(answer.text).toContain('You are signed out');
  expect(await isSignedIn()).toBe(false);
};

test('oidcc-rp-initiated-logout-discovery-endpoint-verification: the metadata contain the logout endpoint', async () => {
  expect(rp.metadata.end_session_endpoint).toBe(`${rp.metadata.issuer}/logout`);
});

test('oidcc-rp-initiated-logout: the browser returns immediately with the state, and prompt=none fails', async ({
  page,
  openSite,
  world,
  person: visitor,
}) => {
  const { origin } = await openSite();
  const postLogoutRedirectUris = [`${origin}/bye`];
  const client = await world.givenClient({ redirectUris: [`${origin}/cb`], postLogoutRedirectUris });
  const shop = await RelyingParty.at(door, client);
  const visit = async (changes: Params, act = async () => {}) => {
    const asked = shop.request(changes);
    await page.goto(authorizeUrl(door, asked.params));
    await act();
    await page.waitForURL((url) => url.href.startsWith(`${client.redirectUri}?`));
    return { asked, arrived: page.url() };
  };
  const { asked, arrived } = await visit({}, async () => {
    await signIn(page, visitor);
    await allow(page);
  });
  const { idToken } = await shop.finish(asked, arrived);
  const state = 'ä& +/';
  const after = { id_token_hint: idToken, post_logout_redirect_uri: `${origin}/bye`, state };
  await page.goto(shop.signOutUrl(after));
  expect(page.url()).toBe(`${origin}/bye?state=${encodeURIComponent(state)}`);
  const silent = await visit({ prompt: 'none' });
  expect(new URL(silent.arrived).searchParams.get('error')).toBe('login_required');
});

test('oidcc-rp-initiated-logout-no-state: the browser returns to exactly the registered address', async () => {
  const answer = await signOut({ id_token_hint: hint, post_logout_redirect_uri: BYE });
  expect([answer.status, answer.location]).toEqual([302, BYE]);
  expect(await isSignedIn()).toBe(false);
  expect([...browser.jar.cookies.keys()].filter((name) => name.endsWith('sign-in'))).toEqual([]);
});

test('oidcc-rp-initiated-logout-no-post-logout-redirect-uri: the user is signed out, and a page confirms it', async () => {
  const answer = await signOut({ id_token_hint: hint, state: 'S' });
  await expectSignedOutPage(answer);
  expect(answer.text).not.toContain('For the developer');
});

for (const [module, address] of BAD_ADDRESSES) {
  test(`${module}: the session ends, and the page names the error`, async () => {
    const answer = await signOut({ id_token_hint: hint, post_logout_redirect_uri: address, state: 'S' });
    await expectSignedOutPage(answer);
    expect(answer.text).toContain('post_logout_redirect_uri is not exactly one of');
    expect(answer.text).not.toContain(address);
  });
}

for (const [module, paramsOf] of ASKED) {
  test(`${module}: the user must confirm the sign-out, and nothing is redirected`, async () => {
    const asked = await browser.onward(await signOut(await paramsOf(hint)));
    expect(asked.text).toContain('An application asks to sign you out here');
    expect(asked.text).toContain(person.email);
    expect(await isSignedIn()).toBe(true);
    const pressed = await browser.submit('/logout/submit', hiddenFields(asked));
    await expectSignedOutPage(await browser.onward(pressed));
  });
}
