// The guides on the service: read, searched and walked without a script.
import { expect, test } from '../../support/pages/browser-test.ts';

const GUIDES = '/documentation/guides';
const MAX_BYTES = 60_000;

test.describe('without a script', () => {
  test.use({ javaScriptEnabled: false });

  test('a user searches, opens the matching section, continues to the next guide', async ({
    page,
    world,
  }) => {
    await page.goto(`${world.baseUrl}/documentation`);
    await page.getByRole('searchbox').fill('PKCE in one minute');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('link', { name: 'PKCE in one minute' }).first().click();
    await expect(page).toHaveURL(/connect-a-client#pkce-in-one-minute$/);
    await expect(page.getByRole('heading', { name: 'PKCE in one minute' })).toBeInViewport();
    await page.getByRole('link', { name: 'Next Finding out why a request fails' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Finding out why a request fails');
    await page.getByRole('link', { name: 'Previous Connecting a client' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Connecting a client');
  });

  for (const [what, query] of [
    ['nothing', ''],
    ['markup', '<img src=x onerror=alert(1)>'],
    ['Arabic', 'رمز الوصول'],
  ] as const)
    test(`a search for ${what} shows a message`, async ({ page, world }) => {
      await page.goto(`${world.baseUrl}${GUIDES}?q=${encodeURIComponent(query)}`);
      const heading = query === '' ? 'Guides' : 'Search';
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(heading);
      if (query === '') return;
      await expect(page.getByText('Nothing found for')).toContainText(query);
      await expect(page.getByRole('searchbox')).toHaveValue(query);
    });
});

test('search shows results during typing, an empty field restores the page', async ({ page, world }) => {
  await page.goto(`${world.baseUrl}${GUIDES}/connect-a-client`);
  await page.getByRole('searchbox').pressSequentially('PKCE in one minute');
  const found = page.getByRole('link', { name: 'PKCE in one minute' }).first();
  await expect(found).toHaveAttribute('href', /connect-a-client#pkce-in-one-minute$/);
  await expect(page.getByText('You need an account in the console')).toHaveCount(0);
  await page.getByRole('searchbox').fill('');
  await expect(page.getByText('You need an account in the console')).toBeVisible();
  await page.getByRole('searchbox').fill('<img src=x onerror=alert(1)>');
  await expect(page.getByText('Nothing found for')).toContainText('<img src=x onerror=alert(1)>');
});

test.describe('to a reader of Arabic', () => {
  test.use({ locale: 'ar' });

  test('layout uses the reader’s language, the guide stays English', async ({ page, world }) => {
    await page.goto(`${world.baseUrl}${GUIDES}/connect-a-client`);
    await expect(page.locator('html')).toHaveAttribute('dir', 'rtl');
    await expect(page.getByRole('search').getByRole('button')).toHaveText('بحث');
    await expect(page.locator('.site-header nav')).toContainText('الوثائق');
    const main = page.locator('main');
    await expect(main).toHaveAttribute('lang', 'en');
    await expect(main).toHaveAttribute('dir', 'ltr');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Finding out why a request fails');
  });
});

test('on a phone, title and text appear first', async ({ page, world }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${world.baseUrl}${GUIDES}/connect-a-client`);
  await expect(page.getByRole('heading', { level: 1 })).toBeInViewport();
  await expect(page.getByText('You need an account in the console')).toBeInViewport();
});

test('link text that is a file name becomes the guide’s title', async ({ page, world }) => {
  await page.goto(`${world.baseUrl}${GUIDES}/connect-a-client`);
  const text = page.locator('.guide-text');
  await expect(text.getByRole('link', { name: 'Protecting an API' }).first()).toBeVisible();
  await expect(text.getByRole('link', { name: /\.md$/ })).toHaveCount(0);
});

test('copied code equals displayed code', async ({ page, world, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(`${world.baseUrl}${GUIDES}/connect-a-client`);
  const block = page.locator('.code-block').first();
  await block.getByRole('button', { name: /^Copy/ }).click();
  await expect(block.getByRole('button')).toHaveText('Copied');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    await block.locator('code').textContent(),
  );
});

test('every guide is less than 60 kB, and links between guides lead somewhere', async ({ page, world }) => {
  const text = async (path: string) => {
    const answer = await page.request.get(world.baseUrl + path);
    expect(answer.status(), path).toBe(200);
    return answer.text();
  };
  const guides = (html: string) =>
    new Set([...html.matchAll(/href="(\/documentation\/guides\/[\w-]+)/g)].map(([, path]) => String(path)));
  const all = guides(await text(GUIDES));
  expect(all.size).toBeGreaterThan(20);
  for (const path of all) {
    const html = await text(path);
    expect(Buffer.byteLength(html), path).toBeLessThan(MAX_BYTES);
    expect(
      [...guides(html)].filter((one) => !all.has(one)),
      path,
    ).toEqual([]);
  }
});

test('unknown guide and path traversal return 404, a 10 kB query returns 200', async ({ page, world }) => {
  const status = async (path: string) => (await page.request.get(world.baseUrl + path)).status();
  expect(await status(`${GUIDES}/no-such-guide`)).toBe(404);
  expect(await status(`${GUIDES}/..%2f..%2fpackage`)).toBe(404);
  expect(await status(`${GUIDES}/README`)).toBe(404);
  expect(await status(`${GUIDES}?q=${'x'.repeat(10_240)}`)).toBe(200);
});
