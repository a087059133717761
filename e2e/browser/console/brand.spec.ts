// Client brand: upload in the console with and without script, display at sign-in and consent in both themes.
// E2E_SCREENSHOTS=<folder> saves a screenshot of each page.
import { type DrawnLogo, drawLogo } from '#lib/pictures/draw.ts';
import { png, SVG, svg } from '#testing/data/pictures.ts';
import { enterConsole } from '../../support/console/console.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { picture, tooWide, violations } from '../../support/pages/page-checks.ts';
import { sql } from '../../support/service/database.ts';

const ADMIN = { email: 'admin@example.com', password: 'admin-password-1' };
const ACCENT = '#8a3d00';
const { hash, source, small, large } = (await drawLogo(SVG)) as DrawnLogo;

async function giveBrand(clientId: string): Promise<void> {
  await sql('insert into logos (hash, source, small, large) values ($1, $2, $3, $4) on conflict do nothing', [
    hash,
    source,
    small,
    large,
  ]);
  const brand = { logo: `/logo/${hash}`, accent: ACCENT, accent_dark: null };
  await sql('update clients set brand = $2, tos_uri = $3, policy_uri = $4 where client_id = $1', [
    clientId,
    JSON.stringify(brand),
    'https://shop.example/terms',
    'https://shop.example/privacy',
  ]);
}

const rgb = (hex: string) =>
  `rgb(${[1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)).join(', ')})`;

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(`in the ${colorScheme} theme`, () => {
    test.use({ colorScheme, viewport: { width: 390, height: 844 } });

    test('sign-in and consent show the client’s logo, colour and links, pass axe, and load nothing from other hosts', async ({
      page,
      world,
      client,
      visit,
      complaints,
    }) => {
      await giveBrand(client.clientId);
      const asked = new Set<string>();
      page.on('request', (request) => asked.add(new URL(request.url()).origin));
      await visit.start();
      const button = page.getByRole('button', { name: 'Sign in', exact: true });
      const background = await button.evaluate((one) => getComputedStyle(one).backgroundColor);
      if (colorScheme === 'light') expect(background).toBe(rgb(ACCENT));
      else expect(background).not.toBe(rgb(ACCENT));
      const logo = page.locator('.asker img');
      await expect(logo).toHaveAttribute('alt', client.name);
      expect(await logo.evaluate((one: HTMLImageElement) => one.complete && one.naturalWidth)).toBe(64);
      await expect(page.getByRole('link', { name: 'Terms' }).first()).toHaveAttribute(
        'href',
        'https://shop.example/terms',
      );
      // Gatehouse's mark keeps its colour
      const mark = page.locator('.hosted-footer .mark');
      const stroke = await mark.evaluate((one) => getComputedStyle(one).stroke);
      expect(stroke).toBe(rgb(colorScheme === 'light' ? '#1f5f4a' : '#7cc7a8'));
      await expect(page.locator('.hosted-footer')).toContainText('Gatehouse');
      expect(await violations(page)).toEqual([]);
      expect(await tooWide(page)).toEqual([]);
      await picture(page, `brand-sign-in-${colorScheme}`);
      await visit.signIn('not the password');
      await expect(page.getByRole('alert')).toBeVisible();
      await visit.signIn();
      await expect(visit.consent).toBeVisible();
      await expect(page.locator('.pair img').first()).toHaveAttribute('alt', client.name);
      expect(await violations(page)).toEqual([]);
      await picture(page, `brand-consent-${colorScheme}`);
      expect([...asked]).toEqual([new URL(world.baseUrl).origin]);
      expect(complaints).toEqual([]);
    });
  });
}

test('a pending client shows its brand only in the console', async ({ page, world, client, visit }) => {
  await giveBrand(client.clientId);
  await visit.start();
  await expect(page.locator('.asker img')).toBeVisible();
  await sql("update subscriptions set state = 'suspended' where client_id = $1", [client.clientId]);
  // repeated, because a page may show settings that are one second old
  await expect(async () => {
    await page.reload();
    await expect(page.locator('.asker img')).toHaveCount(0, { timeout: 1_000 });
  }).toPass();
  await enterConsole(page, ADMIN, `/admin/subscriptions/${client.clientId}/orders`);
  await expect(page.getByRole('img', { name: `${client.name} in the dark theme` })).toBeVisible();
  await picture(page, 'brand-approver');
  const served = await page.goto(`${world.baseUrl}/logo/${hash}`);
  expect(served?.headers()['content-type']).toBe('image/webp');
  expect(await page.locator('img').evaluate((one: HTMLImageElement) => one.naturalWidth)).toBe(192);
});

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled });

    test('logo: a file is uploaded, shown and removed, and undrawable files are rejected', async ({
      page,
      world,
      client,
    }) => {
      await enterConsole(page, ADMIN, `/admin/clients/${client.clientId}/brand`);
      const panel = page.locator('#brand');
      const save = panel.getByRole('button', { name: 'Save brand' });
      const file = page.getByLabel('Logo image');
      const upload = (name: string, mimeType: string, buffer: Buffer) =>
        file.setInputFiles({ name, mimeType, buffer });

      await upload('logo.png', 'image/png', Buffer.alloc(20_000_000, 'x'));
      await save.click();
      await expect(page.getByText(/524288 bytes/).first()).toBeVisible();
      await page.goto(`${world.baseUrl}/admin/clients/${client.clientId}/brand`);

      await upload('logo.png', 'image/png', svg('<g>'));
      await page.getByLabel('Accent colour').first().fill(ACCENT);
      await save.click();
      await expect(
        panel.getByText('The picture is broken: XML parse error: line 1, column 70'),
      ).toBeVisible();
      await expect(page.getByLabel('Accent colour').first()).toHaveValue(ACCENT);

      await page.getByLabel('Accent colour').first().fill('#ffd400');
      await file.setInputFiles([]);
      await save.click();
      await expect(panel.getByText(/must have at least 4\.5:1: try #[0-9a-f]{6}/)).toBeVisible();

      await page.getByLabel('Accent colour').first().fill(ACCENT);
      await upload('logo.svg', 'image/svg+xml', SVG);
      await save.click();
      await expect(page.getByRole('status').first()).toContainText('The brand is saved');
      await expect(panel.getByRole('img', { name: `${client.name} in the light theme` })).toBeVisible();
      await expect(panel.locator('image').first()).toHaveAttribute('href', `/logo/${hash}`);
      if (javaScriptEnabled) expect(await violations(page)).toEqual([]);
      await picture(page, `brand-console-${javaScriptEnabled ? 'script' : 'plain'}`);

      await page.getByLabel('Remove logo').check();
      await save.click();
      await expect(page.getByRole('status').first()).toContainText('The brand is saved');
      await expect(panel.locator('image')).toHaveCount(0);
      await expect(page.getByLabel('Accent colour').first()).toHaveValue(ACCENT);

      for (const bytes of [540_000, 900_000]) {
        await upload('large.png', 'image/png', Buffer.concat([png(), Buffer.alloc(bytes)]));
        await save.click();
        await expect(page.getByText(/524288/)).toBeVisible();
        await page.goto(`${world.baseUrl}/admin/clients/${client.clientId}/brand`);
      }
    });
  });
}
