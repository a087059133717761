// What the browser itself must refuse, and what the defences must not break (cases CS).
import type { Page } from '@playwright/test';
import { htmlPage, type SiteHandler } from '../support/browser-site.ts';
import {
  allow,
  answerAt,
  authorizeUrl,
  consentHeading,
  errorPageUrl,
  signIn,
  signInAndAllow,
  silentAnswer,
} from '../support/browser-steps.ts';
import { expect, test } from '../support/browser-test.ts';
import type { World } from '../support/browser-world.ts';

const escaped = (url: string) => url.replaceAll('&', '&amp;');

test.describe('CS-07: framed by another origin', () => {
  async function expectBlocked(page: Page, framed: string, attacker: (body: string) => Promise<string>) {
    await page.goto(await attacker(`<iframe title="framed" src="${escaped(framed)}"></iframe>`));
    const inner = () => page.frames().find((frame) => frame.parentFrame() !== null);
    await expect.poll(() => inner()?.url()).toMatch(/^chrome-error:/);
  }

  test('CS-07: the sign-in, consent, error and logout pages show a blocked frame', async ({
    page,
    world,
    client,
    person,
    openSite,
  }) => {
    let body = '';
    const site = await openSite(() => htmlPage('Win a prize', body));
    const attacker = async (content: string) => {
      body = content;
      return site.origin;
    };
    await expectBlocked(page, authorizeUrl(world, client), attacker);
    await expectBlocked(page, errorPageUrl(world), attacker);
    await page.goto(authorizeUrl(world, client));
    await signIn(page, person);
    await expect(consentHeading(page, world, client)).toBeVisible();
    await expectBlocked(page, authorizeUrl(world, client), attacker);
    await expectBlocked(page, `${world.baseUrl}/logout`, attacker);
    await expectBlocked(page, world.baseUrl, attacker);
  });
});

test.describe('CS-08: the redirect to the client after a form', () => {
  test('CS-08: a client on another origin is reached with no complaint of the browser', async ({
    page,
    world,
    client,
    person,
    complaints,
  }) => {
    expect((await signInAndAllow(page, world, client, person)).get('code')).toBeTruthy();
    expect(complaints).toEqual([]);
  });

  test('CS-08: a client on another site that redirects on to a third origin is reached as well', async ({
    page,
    world,
    person,
    openSite,
    complaints,
  }) => {
    const third = await openSite();
    const onward: SiteHandler = ({ url }) => ({
      status: 302,
      headers: { location: `${third.origin}/home${url.search}` },
    });
    const second = await openSite(onward, '127.0.0.1');
    const client = await world.givenClient({ kind: 'confidential', redirectUris: [`${second.origin}/cb`] });
    await page.goto(authorizeUrl(world, client));
    await signIn(page, person);
    await allow(page);
    expect((await answerAt(page, `${third.origin}/home`)).get('code')).toBeTruthy();
    expect(complaints).toEqual([]);
  });

  test('CS-08: a refusal reaches such a client too', async ({
    page,
    world,
    person,
    openSite,
    complaints,
  }) => {
    const third = await openSite();
    const second = await openSite(
      ({ url }) => ({ status: 302, headers: { location: `${third.origin}/home${url.search}` } }),
      '127.0.0.1',
    );
    const client = await world.givenClient({ kind: 'confidential', redirectUris: [`${second.origin}/cb`] });
    await page.goto(authorizeUrl(world, client));
    await signIn(page, person);
    await page.getByRole('button', { name: 'Deny', exact: true }).click();
    expect((await answerAt(page, `${third.origin}/home`)).get('error')).toBe('access_denied');
    expect(complaints).toEqual([]);
  });
});

const nonceOf = (policy: string | undefined) => /'nonce-([^']+)'/.exec(policy ?? '')?.[1];

test('CS-09: the nonce differs on two loads, and one that the request brings is not taken', async ({
  request,
  world,
  client,
}) => {
  const url = authorizeUrl(world, client);
  const load = (headers: Record<string, string> = {}) => request.get(url, { headers });
  const [first, second] = [await load(), await load()];
  expect(first.url()).toContain('/login?');
  const nonces = [first, second].map((answer) => nonceOf(answer.headers()['content-security-policy']));
  expect(nonces[0]).toBeTruthy();
  expect(nonces[0]).not.toBe(nonces[1]);

  const forged = await load({
    'content-security-policy': "script-src 'nonce-evilnonce'",
    'content-security-policy-report-only': "script-src 'nonce-evilnonce'",
    'x-nonce': 'evilnonce',
  });
  expect(forged.status()).toBe(200);
  expect(JSON.stringify(forged.headers())).not.toContain('evilnonce');
  expect(await forged.text()).not.toContain('evilnonce');
});

test('CS-09: an event handler in injected markup does not run on the sign-in page', async ({
  page,
  world,
  client,
}) => {
  await page.goto(authorizeUrl(world, client));
  const refused = await page.evaluate(() => {
    const violation = new Promise<string>((resolve) => {
      document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective));
    });
    const injected = document.createElement('div');
    injected.innerHTML = '<img alt="" src="data:," onerror="document.title = \'taken over\'">';
    document.body.append(injected);
    return violation;
  });
  expect(refused).toBe('script-src-attr');
  await expect(page).not.toHaveTitle('taken over');
});

test('CS-10: a window that an attacker opened can not be reached by it, and the flow in it still ends', async ({
  page,
  world,
  client,
  shop,
  person,
  openSite,
}) => {
  const attacker = await openSite(() => htmlPage('Win a prize', '<button>Open</button>'));
  await page.goto(attacker.origin);
  const [popup] = await Promise.all([
    page.waitForEvent('popup'),
    page.evaluate(
      (url) => {
        (globalThis as unknown as { opened: Window | null }).opened = window.open(url);
      },
      authorizeUrl(world, client),
    ),
  ]);
  await expect(popup.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  expect(await popup.evaluate(() => window.opener === null)).toBe(true);
  expect(await page.evaluate(() => (globalThis as unknown as { opened: Window | null }).opened?.closed)).toBe(
    true,
  );
  await signIn(popup, person);
  await allow(popup);
  expect((await answerAt(popup, `${shop.origin}/cb`)).get('code')).toBeTruthy();
});

test.describe('CS-02: forms posted from elsewhere', () => {
  test('CS-02: another origin of the same site can not sign the person out, nor a sandboxed frame of it', async ({
    page,
    world,
    client,
    person,
    openSite,
  }) => {
    await signInAndAllow(page, world, client, person);
    const form =
      `<form method="post" action="${world.baseUrl}/logout/submit">` +
      '<input type="hidden" name="anti_forgery" value="x"><button>Win</button></form>';
    const attacker = await openSite(({ url }) =>
      url.pathname === '/framed'
        ? htmlPage('Win a prize', `<iframe title="prize" sandbox="allow-forms" srcdoc='${form}'></iframe>`)
        : htmlPage('Win a prize', form),
    );
    await page.goto(attacker.origin);
    const posted = () => page.waitForResponse(/\/logout\/submit$/);
    const [direct] = await Promise.all([posted(), page.getByRole('button', { name: 'Win' }).click()]);
    expect(direct.status()).toBe(403);

    await page.goto(`${attacker.origin}/framed`);
    const [framed] = await Promise.all([
      posted(),
      page.frameLocator('iframe').getByRole('button', { name: 'Win' }).click(),
    ]);
    expect(framed.status()).toBe(403);
    expect(framed.request().headers()['origin']).toBe('null');
    expect((await silentAnswer(page, world, client)).get('code')).toBeTruthy();
  });

  test('CS-02: a copied consent form, posted from another origin in the same browser, is refused', async ({
    page,
    world,
    client,
    person,
    openSite,
  }) => {
    await page.goto(authorizeUrl(world, client));
    await signIn(page, person);
    await expect(consentHeading(page, world, client)).toBeVisible();
    const fields = await page.evaluate(() =>
      [...document.forms].flatMap((form) =>
        [...new FormData(form)].map(([name, value]) => [name, String(value)]),
      ),
    );
    const inputs = Object.entries(Object.fromEntries(fields)).map(
      ([name, value]) => `<input type="hidden" name="${name}" value="${escaped(String(value))}">`,
    );
    const attacker = await openSite(() =>
      htmlPage(
        'Win a prize',
        `<form method="post" action="${world.baseUrl}/consent/submit">${inputs.join('')}` +
          '<button name="decision" value="allow">Win</button></form>',
      ),
    );
    expect(inputs.length).toBeGreaterThanOrEqual(2);
    await page.goto(attacker.origin);
    const [response] = await Promise.all([
      page.waitForResponse(/\/consent\/submit$/),
      page.getByRole('button', { name: 'Win' }).click(),
    ]);
    expect(response.status()).toBe(403);
    expect(await world.consentOf(person, client)).toBeNull();
  });
});
