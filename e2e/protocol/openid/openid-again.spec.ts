// The conformance suite's modules that authorize twice (plan Basic OP): prompt, max_age, id_token_hint. Each test is
// named after its module. If the suite waits, the test makes the session older instead.
import type { Page } from '@playwright/test';
import type { Person } from '#testing/data/world.ts';
import { until } from '#testing/net/until.ts';
import { authorizeUrl, Browser, isSignInPage, type Params } from '#testing/service/browser.ts';
import { expectErrorRedirect } from '../../support/clients/expectations.ts';
import { openIdCast, RelyingParty, type SignedIn } from '../../support/clients/openid.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { allow, signIn } from '../../support/pages/visit.ts';
import { sql } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';

/** Second authorization requests of a signed-in browser, which need no user interaction. */
const SILENT: {
  module: string;
  first?: Params;
  second: (first: SignedIn) => Params;
}[] = [
  { module: 'oidcc-prompt-none-logged-in', second: () => ({ prompt: 'none' }) },
  { module: 'oidcc-max-age-10000', first: { max_age: '15000' }, second: () => ({ max_age: '10000' }) },
  {
    module: 'oidcc-id-token-hint',
    second: ({ idToken }) => ({ prompt: 'none', id_token_hint: idToken }),
  },
];

const authTime = ({ claims }: SignedIn) => Number(claims['auth_time']);
const nowSeconds = () => Math.floor(Date.now() / 1_000);

let rp: RelyingParty;
let person: Person;

test.beforeAll(async () => {
  ({ rp, person } = await openIdCast(door));
});

for (const { module, first = {}, second } of SILENT) {
  test(`${module}: no interaction is required, and sub and auth_time equal those of the first sign-in`, async () => {
    const browser = new Browser(door);
    const before = await rp.signIn(browser, person, first);
    await sql("update sessions set auth_time = auth_time - interval '5 seconds' where person_id = $1", [
      person.id,
    ]);
    const asked = rp.request(second(before));
    const answer = await browser.authorize(asked.params);
    const after = await rp.finish(asked, answer.location);
    expect(after.claims.sub).toBe(before.claims.sub);
    // authentication time of the session, not the current time
    expect(authTime(after)).toBe(authTime(before) - 5);
    expect(after.claims['sid']).toBe(before.claims['sid']);
  });
}

test('oidcc-prompt-none-not-logged-in: the request returns login_required, with a long state unchanged', async () => {
  const { params } = rp.request({ prompt: 'none', state: 's'.repeat(128) });
  const answer = await new Browser(door).authorize(params);
  const { state = null } = params;
  const silent = ['login_required', 'account_selection_required', 'consent_required'];
  expectErrorRedirect(answer, door, silent, { ...rp.client, state });
});

test('oidcc-prompt-login: the sign-in page appears again, and the second auth_time is later', async ({
  page,
  client,
  person: visitor,
}) => {
  const shop = await RelyingParty.at(door, client);
  const visit = async (page: Page, changes: Params, act: () => Promise<void>) => {
    const asked = shop.request(changes);
    await page.goto(authorizeUrl(door, asked.params));
    await act();
    await page.waitForURL((url) => url.href.startsWith(`${client.redirectUri}?`));
    return shop.finish(asked, page.url());
  };
  const first = await visit(page, {}, async () => {
    await signIn(page, visitor);
    await allow(page);
  });
  expect(await until(() => nowSeconds() > authTime(first))).toBe(true);
  const second = await visit(page, { prompt: 'login' }, async () => {
    await expect(page.getByLabel('Password', { exact: true })).toBeVisible();
    await signIn(page, visitor);
  });
  expect(second.claims.sub).toBe(first.claims.sub);
  expect(authTime(second)).toBeGreaterThan(authTime(first));
});

test('oidcc-max-age-1: a sign-in is required again after two seconds, and the second auth_time is later', async () => {
  const browser = new Browser(door);
  const first = await rp.signIn(browser, person);
  await sql("update sessions set auth_time = auth_time - interval '2 seconds' where person_id = $1", [
    person.id,
  ]);
  expect(await until(() => nowSeconds() > authTime(first))).toBe(true);
  const asked = rp.request({ max_age: '1' });
  const page = await browser.onward(await browser.authorize(asked.params));
  expect(isSignInPage(page)).toBe(true);
  const answer = await browser.onward(await browser.signInOn(page, person));
  const second = await rp.finish(asked, answer.location);
  expect(second.claims.sub).toBe(first.claims.sub);
  expect(authTime(second)).toBeGreaterThan(authTime(first));
  expect(authTime(second)).toBeGreaterThan(nowSeconds() - 60);
});
