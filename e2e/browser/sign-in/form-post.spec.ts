// Apple-style broker in a real browser: the response is a cross-site form post without Gatehouse's cookie. Uses the
// preset's settings with a different URL.
import { issuerOf } from '#testing/net/door.ts';
import { type Liar, startLiar } from '../../support/brokers/lying-broker.ts';
import { htmlPage, type Site } from '../../support/pages/browser-site.ts';
import { test as base, expect } from '../../support/pages/browser-test.ts';
import type { Visit } from '../../support/pages/visit.ts';
import { nodeDoor } from '../../support/service/doors.ts';

const ADA = JSON.stringify({ name: { firstName: 'Ada', lastName: 'Lovelace' } }).replaceAll('"', '&quot;');

type Apple = {
  liar: Liar;
  site: Site;
  /** number of form fields with the name `user` */
  names: number;
  visit: Visit;
};
const test = base.extend<{ apple: Apple }>({
  apple: async ({ openSite, visit }, use) => {
    const liar = await startLiar({ preset: 'apple' });
    const apple = { liar, names: 1, visit: visit.but({ issuer: issuerOf(nodeDoor, liar.method) }) };
    const site = await openSite(async ({ url: { searchParams: asked } }) => {
      liar.gives(await liar.idToken({ nonce: asked.get('nonce') }));
      const field = (name: string, value: string) => `<input type="hidden" name="${name}" value="${value}">`;
      const fields = [field('code', 'c'), field('state', asked.get('state') ?? '')];
      for (let name = 0; name < apple.names; name += 1) fields.push(field('user', ADA));
      return htmlPage(
        'Apple',
        `<form method="post" action="${asked.get('redirect_uri')}">${fields.join('')}<button>Continue</button></form>`,
      );
    }, '127.0.0.1');
    liar.say('/.well-known/openid-configuration', () => ({
      body: {
        issuer: liar.issuer,
        authorization_endpoint: `${site.origin}/authorize`,
        token_endpoint: `${liar.issuer}/token`,
        jwks_uri: `${liar.issuer}/jwks`,
      },
    }));
    await use(Object.assign(apple, { site }));
    await liar.close();
  },
});

test('a broker’s cross-site form post signs a user in: the POST has no cookie, the following GET has it, and the post works once', async ({
  apple,
  complaints,
}) => {
  const { visit, liar } = apple;
  const { page } = visit;
  const came: [string, boolean][] = [];
  page.on('requestfinished', async (request) => {
    if (!request.url().includes('/auth/callback/')) return;
    came.push([request.method(), 'cookie' in (await request.allHeaders())]);
  });
  await visit.start();
  const there = page.url();
  expect(new URL(there).hostname).toBe('127.0.0.1');
  await visit.press('Continue');
  await expect(visit.consent).toBeVisible();
  await expect(page.getByText('Ada Lovelace')).toBeVisible();
  await expect
    .poll(() => came)
    .toEqual([
      ['POST', false],
      ['GET', true],
    ]);
  await visit.press('Allow');
  await visit.expectCode();
  await page.goto(there);
  await visit.press('Continue');
  await expect(page.getByRole('heading', { name: 'This step is already done' })).toBeVisible();
  expect(liar.asked('/token')).toBe(1);
  expect(complaints.filter((line) => !/status of 400/.test(line))).toEqual([]);
});

test('a broker’s form post in another browser fails, and the original sign-in continues', async ({
  apple,
  browser,
}) => {
  const { visit, liar } = apple;
  await visit.start();
  const other = await browser.newContext();
  const page = await other.newPage();
  await page.goto(visit.page.url());
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByRole('heading', { name: 'This sign-in link does not work' })).toBeVisible();
  expect((await other.cookies()).filter(({ name }) => /session/.test(name))).toEqual([]);
  expect(liar.asked('/token')).toBe(0);
  await other.close();
  await visit.press('Continue');
  await expect(visit.consent).toBeVisible();
});

test('user names in a broker’s form that repeats the parameter "user" are ignored', async ({ apple }) => {
  apple.names = 2;
  await apple.visit.start();
  await apple.visit.press('Continue');
  await expect(apple.visit.consent).toBeVisible();
  await expect(apple.visit.page.getByText('Ada Lovelace')).toHaveCount(0);
});

test('the sign-in button shows the preset’s picture and the method’s name', async ({ apple, world }) => {
  const { page } = apple.visit;
  await page.goto(`${world.baseUrl}/account`);
  const button = page.locator(`form:has([value="${apple.liar.method}"]) button`);
  await expect(button).toHaveText(`Continue with ${apple.liar.method}`);
  await expect(button.locator('svg.method-picture[aria-hidden="true"]')).toBeVisible();
});
