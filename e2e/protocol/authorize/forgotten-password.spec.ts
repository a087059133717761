// Password reset started from a client's sign-in page, with completion in the same browser or a second browser.
import { expect, test } from '@playwright/test';
import type { Client } from '#testing/data/fixtures.ts';
import type { Person } from '#testing/data/world.ts';
import { CookieJar } from '#testing/net/cookie-jar.ts';
import type { Answer } from '#testing/net/sent.ts';
import { Browser, hiddenFields, isConsentPage, isSignInPage, type Params } from '#testing/service/browser.ts';
import { expectCode } from '../../support/clients/expectations.ts';
import { makeClient, makePerson } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';
import { linkInMail, mailTo } from '../../support/service/mail.ts';

const NEW_PASSWORD = 'seven quiet herons by the weir';
const SUBJECT = 'Gatehouse: choose a new password';
const GO_BACK = 'Go back to the application that you came from';

const hrefOf = (page: Answer, text: string): string =>
  (new RegExp(`<a[^>]*href="([^"]*)"[^>]*>${text}`).exec(page.text)?.[1] ?? '').replaceAll('&amp;', '&');

let person: Person;
let client: Client;
let browser: Browser;

test.beforeEach(async () => {
  person = await makePerson();
  client = await makeClient();
  browser = new Browser(door);
});

/** Opens the password reset form from a client's sign-in page. */
async function forget(params: Params = {}): Promise<Answer> {
  const page = await browser.start(client, params);
  expect(isSignInPage(page)).toBe(true);
  const href = hrefOf(page, 'Forgot your password\\?');
  expect(href.startsWith(`${door.url}/account/forgot-password?interaction=`), href).toBe(true);
  return browser.get(href);
}

const ask = async (form: Answer, email = person.email) =>
  browser.submit('/account/submit/forgot-password', { ...hiddenFields(form), email });

/** Opens the link of the mail and sends a new password. */
async function choose(visitor: Browser): Promise<Answer> {
  const form = await visitor.get(await linkInMail(person, SUBJECT));
  expect(form.text).toContain(person.email);
  const fields = { ...hiddenFields(form), password: NEW_PASSWORD };
  return visitor.onward(await visitor.submit('/account/submit/reset-password', fields));
}

test('the page and the mail of a password reset show the same lifetime of the link', async () => {
  const asked = await browser.onward(await ask(await forget()));
  await linkInMail(person, SUBJECT);
  const [said] = /within (?:<!-- -->)?\d+(?:<!-- -->)? minutes/.exec(asked.text) ?? [];
  expect(said?.replaceAll('<!-- -->', '')).toBe('within 30 minutes');
  expect((await mailTo(person))[0]?.text).toContain('within 30 minutes');
});

test('after a password reset in the same browser, the user returns to the original request', async () => {
  await browser.onward(await ask(await forget({ state: 'keep me' })));
  const page = await choose(browser);
  expect(isSignInPage(page)).toBe(true);
  expect(page.text).toContain('Your password is changed. Sign in with it.');
  expect(page.text).toContain('Test confidential');
  const consent = await browser.onward(await browser.signInOn(page, { ...person, password: NEW_PASSWORD }));
  expect(isConsentPage(consent)).toBe(true);
  const answer = await browser.onward(await browser.decideOn(consent, 'allow'));
  expectCode(answer, door, { ...client, state: 'keep me' });
});

test('after a password reset in another browser, the page tells the user to return to the application', async () => {
  await browser.onward(await ask(await forget()));
  const other = new Browser(door);
  const page = await choose(other);
  expect(page.status).toBe(200);
  expect(page.text).toContain('Your password is changed');
  expect(page.text).toContain(GO_BACK);
  expect(page.text).not.toContain('name="password"');
  // the open page continues with the new password
  const left = await browser.start(client);
  const answer = await browser.signInOn(left, { ...person, password: NEW_PASSWORD });
  expect(answer.location).toContain('/continue');
});

test('a password reset without the request’s cookie ends on the same page as a reset for another browser’s request', async () => {
  await browser.onward(await ask(await forget()));
  // simulates ten minutes later: the browser has dropped the cookie to which the request was bound
  browser.jar.cookies.delete(browser.jar.named('transaction'));
  const page = await choose(browser);
  expect([page.status, page.text.includes(GO_BACK)]).toEqual([200, true]);
  const stranger = new Browser(door);
  const sealed = new URL((await stranger.ask(client)).location).search;
  const planted = await new Browser(door).get(`${door.url}/login${sealed}&done=password-reset`);
  expect([planted.status, planted.text.includes(GO_BACK)]).toEqual([200, true]);
});

test('a user who started the password reset at the console continues at the console', async () => {
  const form = await browser.get(`${door.url}/account/forgot-password`);
  await browser.onward(await ask(form));
  const answer = await choose(browser);
  expect(answer.text).toContain('Your password is changed. Sign in with it.');
  expect(answer.text).not.toContain(GO_BACK);
});

test('the link in the mail contains its token and a marker, and no data of the request', async () => {
  await browser.onward(await ask(await forget({ state: 'a-state-of-the-client' })));
  const link = new URL(await linkInMail(person, SUBJECT));
  expect([...link.searchParams.keys()]).toEqual(['token', 'after']);
  expect(link.searchParams.get('after')).toBe('application');
  const text = (await mailTo(person))[0]?.text ?? '';
  for (const hidden of [client.clientId, client.redirectUri, 'a-state-of-the-client', 'interaction'])
    expect(text).not.toContain(hidden);
});

test('a password reset returns equal responses for known and unknown addresses', async () => {
  const shapes = [];
  for (const email of [person.email, 'nobody-at-all@example.com']) {
    browser.jar = new CookieJar();
    const answer = await ask(await forget(), email);
    const page = await browser.onward(answer);
    const query = [...new URL(answer.location).searchParams.keys()];
    shapes.push({
      statuses: [answer.status, page.status],
      headers: Object.keys(answer.headers).toSorted((one, other) => one.localeCompare(other)),
      query,
      cookies: [...browser.jar.cookies.keys()],
      words: /<p class="lead">.*?<\/p>/.exec(page.text)?.[0],
      notice: /role="status"[^>]*>(.*?)</.exec(page.text)?.[1],
    });
  }
  expect(shapes[0]?.notice).toContain('If there is an account with that address');
  expect(shapes[1]).toEqual(shapes[0]);
  // every address gets one mail, so the number of mails reveals nothing; this mail has no link
  const told = () => mailTo({ email: 'nobody-at-all@example.com' });
  await expect.poll(async () => (await told()).length).toBeGreaterThan(0);
  for (const { subject, text } of await told()) {
    expect(subject).toBe('Gatehouse: no account with this address');
    expect(text).not.toContain('http');
  }
});

test('a forged interaction value causes no foreign redirect and sets no cookie', async () => {
  const foreign = ['https://evil.example/', '//evil.example', 'x\r\nset-cookie: a=b', 'v1.a.b.c', ''];
  for (const interaction of foreign) {
    const page = await browser.get(
      `${door.url}/account/forgot-password?${new URLSearchParams({ interaction })}`,
    );
    expect(page.status).toBe(200);
    expect(hrefOf(page, 'Back to the sign-in')).toBe('/account');
    expect(hiddenFields(page)).not.toHaveProperty('interaction');
    const fields = { ...hiddenFields(page), interaction, email: person.email };
    const answer = await browser.submit('/account/submit/forgot-password', fields);
    expect(answer.status).toBe(303);
    expect(answer.location.startsWith(`${door.url}/account/forgot-password`)).toBe(true);
    expect((answer.headers['set-cookie'] ?? []).join()).not.toMatch(/interrupted=[^;]|a=b/);
  }
  browser.jar.cookies.set('gatehouse-interrupted', 'https://evil.example/');
  const form = await browser.get(await linkInMail(person, SUBJECT, 5));
  const fields = { ...hiddenFields(form), after: 'application', password: NEW_PASSWORD };
  const answer = await browser.submit('/account/submit/reset-password', fields);
  expect(String(answer.headers['refresh'])).toBe(`0; url=${door.url}/login?done=password-reset`);
});

test('a request that exceeds the cookie limit is dropped, and the page tells the user to return to the application', async () => {
  await browser.onward(await ask(await forget({ state: 's'.repeat(2_048), nonce: 'n'.repeat(500) })));
  expect([...browser.jar.cookies.keys()]).not.toContain('gatehouse-interrupted');
  expect((await choose(browser)).text).toContain(GO_BACK);
});

test('a used reset link offers a new link for the same application', async () => {
  await browser.onward(await ask(await forget()));
  await choose(new Browser(door));
  const used = await browser.get(await linkInMail(person, SUBJECT));
  expect(used.text).toContain('This link no longer works');
  expect(hrefOf(used, 'Ask for another link')).toContain('/account/forgot-password?interaction=');
});

test('an external password method shows no reset link', async () => {
  const page = await browser.start(client, {}, { method: 'ext' });
  expect(isSignInPage(page)).toBe(true);
  expect(page.text).not.toContain('Forgot your password?');
});
