// Addresses that other hosts receive in the Referer header (case LK-02).
import { test as base, expect } from '../../support/pages/browser-test.ts';
import { errorPageUrl } from '../../support/pages/visit.ts';

/** Leaves a page as a link would, and expects that no Referer header is sent. */
type Leave = (from: string) => Promise<void>;

const test = base.extend<{ expectNoReferer: Leave }>({
  expectNoReferer: async ({ page, openSite }, use) => {
    const third = await openSite(undefined, '127.0.0.1');
    await use(async (from) => {
      const before = third.requests.length;
      await page.evaluate((url) => location.assign(url), `${third.origin}/away`);
      await page.waitForURL(`${third.origin}/away`);
      expect(third.requests.length, from).toBeGreaterThan(before);
      expect(third.requests[before]?.headers.referer, from).toBeUndefined();
    });
  },
});

test('LK-02: the login, consent, error and logout pages send no Referer to a third host', async ({
  page,
  world,
  visit,
  expectNoReferer,
}) => {
  await visit.start();
  await expectNoReferer('sign-in');
  await page.goto(errorPageUrl(world));
  await expectNoReferer('error');
  await visit.toConsent();
  await expectNoReferer('consent');
  await page.goto(`${world.baseUrl}/logout`);
  await expectNoReferer('logout');
});

test('LK-02: the callback addresses send no Referer to a third host, whatever they return', async ({
  page,
  world,
  expectNoReferer,
}) => {
  const answers = ['?code=a-code&state=a-state', '?error=access_denied', ''];
  const addresses = answers.flatMap((one) => [`broker${one}`, `brk${one}`]);
  for (const rest of ['broker/a-code?state=a-state', ...addresses]) {
    await page.goto(`${world.baseUrl}/auth/callback/${rest}`);
    await expectNoReferer(rest);
  }
});

test('LK-02: the client receives no Referer with code or error', async ({ page, world, visit, openSite }) => {
  const third = await openSite(undefined, '127.0.0.1');
  const client = await world.givenClient({ redirectUris: [`${third.origin}/cb`] });
  for (const decision of ['Deny', 'Allow']) {
    const atThird = visit.but({ client });
    await atThird.toConsent();
    await atThird.press(decision);
    await atThird.answer();
    await page.context().clearCookies();
  }
  const arrivals = third.requests.filter(({ url }) => url.pathname === '/cb');
  expect(arrivals.map(({ headers }) => headers.referer)).toEqual([undefined, undefined]);
});
