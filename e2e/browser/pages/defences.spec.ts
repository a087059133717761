// Browser restrictions that must apply, and features that must keep working (cases CS).
import { htmlPage } from '../../support/pages/browser-site.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { errorPageUrl } from '../../support/pages/visit.ts';

const escaped = (url: string) => url.replaceAll('&', '&amp;');

test('CS-07: in a frame of another origin, the sign-in, consent, error and logout pages show a blocked frame', async ({
  page,
  world,
  visit,
  openSite,
}) => {
  let framed = '';
  const attacker = await openSite(() =>
    htmlPage('Win a prize', `<iframe title="framed" src="${escaped(framed)}"></iframe>`),
  );
  const expectBlocked = async (url: string) => {
    framed = url;
    await page.goto(attacker.origin);
    const inner = () => page.frames().find((frame) => frame.parentFrame() !== null);
    await expect.poll(() => inner()?.url()).toMatch(/^chrome-error:/);
  };
  await expectBlocked(visit.url());
  await expectBlocked(errorPageUrl(world));
  await visit.toConsent();
  for (const url of [visit.url(), `${world.baseUrl}/logout`, world.baseUrl]) await expectBlocked(url);
});

test('CS-08: a form submission reaches a client on another origin without browser errors', async ({
  visit,
  complaints,
}) => {
  await visit.finish();
  expect(complaints).toEqual([]);
});

for (const [button, name, value] of [
  ['Allow', 'code', /./],
  ['Deny', 'error', /^access_denied$/],
] as const) {
  test(`CS-08: ${button} reaches a cross-site client that redirects to a third origin`, async ({
    world,
    visit,
    openSite,
    complaints,
  }) => {
    const third = await openSite();
    const second = await openSite(
      ({ url }) => ({ status: 302, headers: { location: `${third.origin}/home${url.search}` } }),
      '127.0.0.1',
    );
    const elsewhere = visit.but({
      client: await world.givenClient({ redirectUris: [`${second.origin}/cb`] }),
    });
    await elsewhere.toConsent();
    await elsewhere.press(button);
    expect((await elsewhere.answer(`${third.origin}/home`)).get(name)).toMatch(value);
    expect(complaints).toEqual([]);
  });
}

test('CS-09: an event handler in injected markup does not run on the sign-in page', async ({
  page,
  visit,
}) => {
  await visit.start();
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

test('CS-10: an attacker cannot access the window it opened, and the sign-in in this window completes', async ({
  page,
  visit,
  openSite,
}) => {
  const attacker = await openSite(() => htmlPage('Win a prize', '<button>Open</button>'));
  await page.goto(attacker.origin);
  const [opened] = await Promise.all([
    page.waitForEvent('popup'),
    page.evaluate((url) => {
      Object.assign(globalThis, { opened: window.open(url) });
    }, visit.url()),
  ]);
  const popup = visit.but({ page: opened });
  await expect(opened.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  expect(await opened.evaluate(() => window.opener === null)).toBe(true);
  expect(await page.evaluate(() => (Reflect.get(globalThis, 'opened') as Window).closed)).toBe(true);
  await popup.signIn();
  await popup.press('Allow');
  await popup.expectCode();
});

test('CS-02: a same-site origin and its sandboxed frame cannot sign the user out', async ({
  page,
  world,
  visit,
  openSite,
}) => {
  await visit.finish();
  const form =
    `<form method="post" action="${world.baseUrl}/logout/submit">` +
    '<input type="hidden" name="anti_forgery" value="x"><button>Win</button></form>';
  const framed = `<iframe title="prize" sandbox="allow-forms" srcdoc='${form}'></iframe>`;
  const attacker = await openSite(({ url }) =>
    htmlPage('Win a prize', url.pathname === '/framed' ? framed : form),
  );
  const submitted = async (where: Pick<typeof page, 'getByRole'>) => {
    const posted = page.waitForResponse(/\/logout\/submit$/);
    await where.getByRole('button', { name: 'Win' }).click();
    return posted;
  };
  await page.goto(attacker.origin);
  expect((await submitted(page)).status()).toBe(403);
  await page.goto(`${attacker.origin}/framed`);
  const response = await submitted(page.frameLocator('iframe'));
  expect(response.status()).toBe(403);
  expect(response.request().headers()['origin']).toBe('null');
  expect(await visit.silently()).toBe('code');
});

test('CS-02: a copied consent form, posted from another origin in the same browser, is rejected', async ({
  page,
  world,
  visit,
  person,
  openSite,
}) => {
  await visit.toConsent();
  const fields = await page.evaluate(() =>
    [...document.forms].flatMap((form) =>
      [...new FormData(form)].map(([name, value]) => [name, String(value)]),
    ),
  );
  const inputs = Object.entries(Object.fromEntries(fields)).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${escaped(String(value))}">`,
  );
  expect(inputs.length).toBeGreaterThanOrEqual(2);
  const attacker = await openSite(() =>
    htmlPage(
      'Win a prize',
      `<form method="post" action="${world.baseUrl}/consent/submit">${inputs.join('')}` +
        '<button name="decision" value="allow">Win</button></form>',
    ),
  );
  await page.goto(attacker.origin);
  const posted = page.waitForResponse(/\/consent\/submit$/);
  await visit.press('Win');
  expect((await posted).status()).toBe(403);
  expect(await world.consentOf(person, visit.client)).toBeNull();
});
