// The guides on the service: reading, searching and following links without a script.
import { expect, test } from '../../support/pages/browser-test.ts';

const GUIDES = '/documentation/guides';
const MAX_BYTES = 60_000;

test.describe('without a script', () => {
  test.use({ javaScriptEnabled: false });

  test('a reader searches the documentation, opens the matching section, and continues to the next guide', async ({
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
    test(`a search of the documentation for ${what} shows a message`, async ({ page, world }) => {
      await page.goto(`${world.baseUrl}${GUIDES}?q=${encodeURIComponent(query)}`);
      const heading = query === '' ? 'Guides' : 'Search';
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(heading);
      if (query === '') return;
      await expect(page.getByText('Nothing found for')).toContainText(query);
      await expect(page.getByRole('searchbox')).toHaveValue(query);
    });
});

test('the index of the documentation fits on two screens of 1280 by 900, and code of a guide is coloured', async ({
  page,
  world,
}) => {
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto(`${world.baseUrl}/documentation`);
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThanOrEqual(1_800);
  await page.goto(`${world.baseUrl}${GUIDES}/api`);
  const name = page.locator('.code-name').first();
  await expect(name).toHaveText('apis:');
  expect(await name.evaluate((element) => getComputedStyle(element).color)).not.toBe(
    await page.evaluate(() => getComputedStyle(document.body).color),
  );
});

test('the documentation search shows results during typing, and an empty field restores the page', async ({
  page,
  world,
}) => {
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

test.describe('for a reader of Arabic', () => {
  test.use({ locale: 'ar' });

  test('the documentation’s layout uses the reader’s language, and the guide stays English', async ({
    page,
    world,
  }) => {
    await page.goto(`${world.baseUrl}${GUIDES}/connect-a-client`);
    await expect(page.locator('html')).toHaveAttribute('dir', 'rtl');
    await expect(page.getByRole('search').getByRole('button')).toHaveText('بحث');
    await expect(page.locator('.site-header nav')).toContainText('الوثائق');
    const main = page.locator('main');
    await expect(main).toHaveAttribute('lang', 'en');
    await expect(main).toHaveAttribute('dir', 'ltr');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Connecting a client');
  });
});

test('on a phone, the title and the text of a guide appear first', async ({ page, world }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${world.baseUrl}${GUIDES}/connect-a-client`);
  await expect(page.getByRole('heading', { level: 1 })).toBeInViewport();
  await expect(page.getByText('You need an account in the console')).toBeInViewport();
});

test('a link text that is a file name becomes the guide’s title', async ({ page, world }) => {
  await page.goto(`${world.baseUrl}${GUIDES}/brokers`);
  const text = page.locator('.guide-text');
  await expect(text.getByRole('link', { name: 'Token exchange' }).first()).toBeVisible();
  await expect(text.getByRole('link', { name: /\.md$/ })).toHaveCount(0);
});

test('the copy button of a guide copies exactly the displayed code', async ({ page, world, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(`${world.baseUrl}${GUIDES}/connect-a-client`);
  const block = page.locator('.code-block').first();
  await block.getByRole('button', { name: /^Copy/ }).click();
  await expect(block.getByRole('button')).toHaveText('Copied');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    await block.locator('code').textContent(),
  );
});

test('every page is smaller than 60 kB, and every link inside the documentation leads to an existing page', async ({
  page,
  world,
}) => {
  const idsOf = new Map<string, Set<string>>();
  const links: { from: string; path: string; anchor: string | undefined }[] = [];
  const waiting = ['/documentation', GUIDES];
  for (const path of waiting) {
    const answer = await page.request.get(world.baseUrl + path);
    expect(answer.status(), path).toBe(200);
    const text = await answer.text();
    const isPage = answer.headers()['content-type']?.startsWith('text/html');
    if (isPage) expect(Buffer.byteLength(text), path).toBeLessThan(MAX_BYTES);
    idsOf.set(path, new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => String(id))));
    if (!isPage) continue;
    for (const [, target = path, anchor] of text.matchAll(/href="(\/documentation[^"#?]*)?(?:#([^"]*))?"/g)) {
      links.push({ from: path, path: target, anchor });
      if (!waiting.includes(target)) waiting.push(target);
    }
  }
  expect(waiting.length).toBeGreaterThan(100);
  const dead = links.filter(
    ({ path, anchor }) => anchor !== undefined && anchor !== 'content' && !idsOf.get(path)?.has(anchor),
  );
  expect(dead).toEqual([]);
});

test('a browser can cache a guide, and revalidates it', async ({ page, world }) => {
  const address = `${world.baseUrl}${GUIDES}/configuration`;
  const { 'cache-control': cache, etag = '', vary } = (await page.request.get(address)).headers();
  expect(cache).toBe('public, max-age=300');
  expect(vary).toContain('Accept-Language, Cookie');
  const again = await page.request.get(address, { headers: { 'if-none-match': etag } });
  expect(again.status()).toBe(304);
  expect(again.headers()['content-security-policy']).toBeUndefined();
  const german = { 'if-none-match': etag, 'accept-language': 'de' };
  expect((await page.request.get(address, { headers: german })).status()).toBe(200);
});

test('a chosen theme applies to a guide from the cache', async ({ page, world }) => {
  await page.goto(`${world.baseUrl}${GUIDES}/configuration`);
  const { theme } = await page.evaluate(() => ({ theme: document.documentElement.dataset['theme'] }));
  expect(theme).toBeUndefined();
  await page.locator('.site-footer summary').click();
  await page.getByRole('link', { name: 'Dark' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.goto(`${world.baseUrl}${GUIDES}/settings`);
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.goto(`${world.baseUrl}${GUIDES}/configuration`);
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
});

test('short addresses lead to guides, and an address with .md returns Markdown', async ({ page, world }) => {
  const short = await page.request.get(`${world.baseUrl}/documentation/configuration`, { maxRedirects: 0 });
  expect(short.status()).toBe(308);
  expect(short.headers()['location']).toBe(`${GUIDES}/configuration`);
  const markdown = await page.request.get(`${world.baseUrl}${GUIDES}/configuration.md`);
  expect(markdown.headers()['content-type']).toBe('text/markdown; charset=utf-8');
  expect(await markdown.text()).toMatch(/^# /);
  expect((await page.request.get(`${world.baseUrl}/documentation/no-such-guide`)).status()).toBe(404);
});

test('on a phone, the table of contents of a guide precedes the text', async ({ page, world }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${world.baseUrl}${GUIDES}/configuration`);
  const contents = page.locator('.page-contents');
  await expect(contents).toBeInViewport();
  await contents.locator('summary').click();
  await contents.getByRole('link').last().click();
  await expect(page.locator(':target')).toBeInViewport();
});

test('an unknown guide and a path traversal return 404, and a 10 kB query returns 200', async ({
  page,
  world,
}) => {
  const status = async (path: string) => (await page.request.get(world.baseUrl + path)).status();
  expect(await status(`${GUIDES}/no-such-guide`)).toBe(404);
  expect(await status(`${GUIDES}/..%2f..%2fpackage`)).toBe(404);
  expect(await status(`${GUIDES}/README`)).toBe(404);
  expect(await status(`${GUIDES}?q=${'x'.repeat(10_240)}`)).toBe(200);
});
