// Large cookies of other applications on the domain and many Gatehouse cookies: users can always continue.
import { maxHeaderSize } from 'node:http';
import { expect, test } from '../../support/pages/browser-test.ts';
import { violations } from '../../support/pages/page-checks.ts';

test('RFC 6585 §5: oversized cookies show an error page with instructions, and sign-in works after their deletion', async ({
  page,
  context,
  visit,
  world,
}) => {
  const foreign = Array.from({ length: 4 }, (_, app) => ({
    ...{ name: `app${app}`, value: 'x'.repeat(3_000), url: world.baseUrl },
  }));
  await context.addCookies(foreign);
  const answer = await page.goto(visit.url({ state: 's'.repeat(5_000) }));
  expect(answer?.status()).toBe(431);
  await expect(page.getByRole('heading', { name: 'Your browser sent too much' })).toBeVisible();
  await expect(page.getByText('Delete the cookies of this domain')).toBeVisible();
  // the page embeds its style sheet
  const card = page.locator('main.card');
  expect(await card.evaluate((element) => getComputedStyle(element).borderTopLeftRadius)).toBe('16px');
  expect(await violations(page)).toEqual([]);
  await context.clearCookies({ name: /^app/ });
  await visit.start();
  await expect(page.getByLabel('Password', { exact: true })).toBeVisible();
});

test('forty pending sign-ins in tabs keep the header size, and the first and the last can complete', async ({
  context,
  visit,
}) => {
  test.slow();
  const first = visit;
  let last = visit;
  await first.start();
  const one = await context.cookies();
  for (let tab = 1; tab < 40; tab += 1) {
    last = visit.but({ page: await context.newPage() });
    await last.start();
  }
  const cookies = await context.cookies();
  expect(cookies.map(({ name }) => name).sort()).toEqual(one.map(({ name }) => name).sort());
  const bytes = cookies.reduce((sum, { name, value }) => sum + name.length + value.length + 3, 0);
  expect(bytes).toBeLessThan(maxHeaderSize / 16);
  for (const tab of [last, first]) {
    await tab.signIn();
    await expect(tab.page.getByRole('button', { name: 'Allow', exact: true })).toBeVisible();
  }
});
