// The conformance suite's modules about parameters that must not cause an error (plan Basic OP; Core §3.1.2.1,
// §15.1), each test named after its module. Also the response as a form (OAuth 2.0 Form Post Response Mode, plan Form
// Post OP).
import type { Page } from '@playwright/test';
import type { Client } from '#testing/data/fixtures.ts';
import type { Person } from '#testing/data/world.ts';
import { authorizeUrl, Browser, isSignInPage, type Params } from '#testing/service/browser.ts';
import { openIdCast, RelyingParty } from '../../support/clients/openid.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { allow, signIn } from '../../support/pages/visit.ts';
import { nodeDoor as door, type NamedDoor } from '../../support/service/doors.ts';

/** Opens the sign-in page of a request in Chromium. */
async function atSignIn(page: Page, door: NamedDoor, client: Client, changes: Params) {
  const rp = await RelyingParty.at(door, client);
  const asked = rp.request(changes);
  await page.goto(authorizeUrl(door, asked.params));
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  const toSignedIn = async (person: Person) => {
    await signIn(page, person);
    await allow(page);
    await page.waitForURL((url) => url.href.startsWith(`${client.redirectUri}?`));
    return rp.finish(asked, page.url());
  };
  return { rp, asked, toSignedIn };
}

const ACCEPTED: { module: string; changes: Params }[] = [
  { module: 'oidcc-ui-locales', changes: { ui_locales: 'se' } },
  { module: 'oidcc-claims-locales', changes: { claims_locales: 'se' } },
  { module: 'oidcc-ui-locales, several and malformed', changes: { ui_locales: 'de-CH fr  -x-' } },
];

for (const module of ['oidcc-display-page', 'oidcc-display-popup']) {
  const display = module.split('-').at(-1);
  test(`${module}: the sign-in page appears, is not wider than the window, and leads back to the client`, async ({
    page,
    client,
    person,
    complaints,
  }) => {
    // applications choose the popup's width
    if (display === 'popup') await page.setViewportSize({ width: 400, height: 500 });
    const { toSignedIn } = await atSignIn(page, door, client, { display });
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow).toBe(0);
    expect((await toSignedIn(person)).claims.sub).toBe(person.id);
    expect(complaints).toEqual([]);
  });
}

test('oidcc-login-hint: the hint fills in the form', async ({ page, client, person }) => {
  const { toSignedIn } = await atSignIn(page, door, client, { login_hint: person.email });
  await expect(page.getByLabel('Email')).toHaveValue(person.email);
  expect((await toSignedIn(person)).claims.sub).toBe(person.id);
});

test('oidcc-ensure-request-with-acr-values-succeeds: the ID token contains a requested acr', async () => {
  const { rp, person } = await openIdCast(door);
  const offered = rp.metadata['acr_values_supported'] as string[];
  expect(offered.length).toBeGreaterThan(0);
  const { claims } = await rp.signIn(new Browser(door), person, { acr_values: offered.join(' ') });
  expect(offered).toContain(claims['acr']);
  const unknown = await rp.signIn(new Browser(door), person, { acr_values: '1 2' });
  expect(unknown.claims.sub).toBe(person.id);
});

for (const { module, changes } of ACCEPTED) {
  test(`${module}: the sign-in page appears without an error`, async () => {
    const { rp, person } = await openIdCast(door);
    const browser = new Browser(door);
    const asked = rp.request(changes);
    const page = await browser.onward(await browser.authorize(asked.params));
    expect(isSignInPage(page), page.text.slice(0, 300)).toBe(true);
    expect((await rp.signIn(browser, person, changes)).claims.sub).toBe(person.id);
  });
}

for (const script of [true, false]) {
  test(`oidcc-server, response_mode=form_post: the answer is posted ${script ? 'at once' : 'by a button where no script runs'}`, async ({
    browser,
    client,
    person,
  }) => {
    const context = await browser.newContext({ javaScriptEnabled: script });
    const page = await context.newPage();
    const rp = await RelyingParty.at(door, client);
    const asked = rp.request({ response_mode: 'form_post' });
    await page.goto(authorizeUrl(door, asked.params));
    await signIn(page, person);
    const posted = page.waitForRequest(
      (request) => request.url() === client.redirectUri && request.method() === 'POST',
    );
    await allow(page);
    if (!script) await page.getByRole('button').click();
    const body = (await posted).postData() ?? '';
    await expect(page.getByText('Welcome back.')).toBeVisible();
    expect([...new URLSearchParams(body).keys()]).toEqual(['code', 'state', 'iss']);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const arrived = new Request(client.redirectUri, { method: 'POST', body, headers });
    expect((await rp.finish(asked, arrived)).claims.sub).toBe(person.id);
    await context.close();
  });
}
