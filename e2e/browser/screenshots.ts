// node e2e/browser/screenshots.ts OUTDIR: pictures of every page, desktop and phone, light and dark, of the service at
// E2E_BASE_URL with the database at E2E_DATABASE_URL.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { chromium } from '@playwright/test';
import { knownPages } from '../support/browser-pages.ts';
import { world } from '../support/browser-world.ts';

const folder = process.argv[2];
if (!folder) {
  console.error('usage: node e2e/browser/screenshots.ts OUTDIR');
  process.exit(2);
}
mkdirSync(folder, { recursive: true });

const sizes = [
  { size: 'desktop', viewport: { width: 1280, height: 900 } },
  { size: 'phone', viewport: { width: 390, height: 844 } },
];
const executablePath = process.env['GATEHOUSE_CHROMIUM'];
const browser = await chromium.launch({
  ...(executablePath ? { executablePath } : {}),
  args: ['--no-sandbox'],
});
for (const { size, viewport } of sizes) {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const { name, open } of knownPages) {
      const context = await browser.newContext({ viewport, colorScheme });
      const page = await context.newPage();
      await open(page, world);
      await page.waitForLoadState('networkidle');
      const file = path.join(folder, `${name}-${size}-${colorScheme}.png`);
      await page.screenshot({ path: file, fullPage: name !== 'documentation' });
      console.log(file);
      await context.close();
    }
  }
}
await browser.close();
