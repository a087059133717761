// What other hosts learn of an address from the Referer header (cases LK).
import type { Page } from '@playwright/test';
import type { Site } from '../support/browser-site.ts';
import { answerAt, authorizeUrl, consentHeading, errorPageUrl, signIn } from '../support/browser-steps.ts';
import { expect, test } from '../support/browser-test.ts';
import type { TestClient, World } from '../support/browser-world.ts';

test.describe('LK-02: what a third host learns', () => {
  /** Leaves the page that is shown as a link would, and gives the Referer that arrives. */
  async function refererAfter(page: Page, third: Site) {
    const before = third.requests.length;
    await page.evaluate((url) => location.assign(url), `${third.origin}/away`);
    await page.waitForURL(`${third.origin}/away`);
    return third.requests[before]?.headers.referer;
  }

  test('LK-02: the login, consent, error and logout pages send no Referer to a third host', async ({
    page,
    world,
    client,
    person,
    openSite,
  }) => {
    const third = await openSite(undefined, '127.0.0.1');
    await page.goto(authorizeUrl(world, client));
    expect(await refererAfter(page, third), 'sign-in').toBeUndefined();
    await page.goto(errorPageUrl(world));
    expect(await refererAfter(page, third), 'error').toBeUndefined();
    await page.goto(authorizeUrl(world, client));
    await signIn(page, person);
    await expect(consentHeading(page, world, client)).toBeVisible();
    expect(await refererAfter(page, third), 'consent').toBeUndefined();
    await page.goto(`${world.baseUrl}/logout`);
    expect(await refererAfter(page, third), 'logout').toBeUndefined();
  });

  test('LK-02: the callback addresses send no Referer to a third host, whatever they answer', async ({
    page,
    world,
    openSite,
  }) => {
    const third = await openSite(undefined, '127.0.0.1');
    const answers = ['?code=a-code&state=a-state', '?error=access_denied', ''];
    for (const rest of [
      'broker/a-code?state=a-state',
      ...answers.flatMap((one) => [`broker${one}`, `brk${one}`]),
    ]) {
      await page.goto(`${world.baseUrl}/auth/callback/${rest}`);
      expect(await refererAfter(page, third), rest).toBeUndefined();
    }
  });

  async function refererAtClient(page: Page, world: World, client: TestClient, decision: 'Allow' | 'Deny') {
    await page.goto(authorizeUrl(world, client));
    await signIn(page, await world.givenPerson());
    const arrived = page.waitForRequest((request) => request.url().startsWith(client.redirectUris[0] ?? ''));
    await page.getByRole('button', { name: decision, exact: true }).click();
    await arrived;
    await answerAt(page, client.redirectUris[0] ?? '');
  }

  test('LK-02: the client itself gets no Referer with the code, nor with a refusal', async ({
    page,
    world,
    openSite,
  }) => {
    const third = await openSite(undefined, '127.0.0.1');
    const client = await world.givenClient({ kind: 'confidential', redirectUris: [`${third.origin}/cb`] });
    await refererAtClient(page, world, client, 'Allow');
    await page.context().clearCookies();
    await refererAtClient(page, world, client, 'Deny');
    const arrivals = third.requests.filter(({ url }) => url.pathname === '/cb');
    expect(arrivals).toHaveLength(2);
    expect(arrivals.map(({ headers }) => headers.referer)).toEqual([undefined, undefined]);
  });
});
