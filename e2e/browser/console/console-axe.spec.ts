// Checks each page in the console's table with content: axe in light and dark mode, desktop and phone, no sideways
// scroll. E2E_SCREENSHOTS=<folder> saves screenshots.
import type { Page } from '@playwright/test';
import { consoleJar } from '../../support/console/console.ts';
import {
  type Cast,
  fill,
  giveContent,
  givenCast,
  leaveSeats,
  seatsFor,
} from '../../support/console/console-cast.ts';
import { type Shown, shownPages } from '../../support/console/console-pages.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { contrastFaults, picture, tooWide, violations } from '../../support/pages/page-checks.ts';
import { makePerson } from '../../support/service/database.ts';
import { nodeDoor } from '../../support/service/doors.ts';

const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };
const NARROW = { width: 320, height: 640 };

/** The addresses of the console with empty lists, with searches that find nothing, and without a sign-in. */
const bare: Shown[] = [
  { address: '/account', visitor: 'nobody' },
  { address: '/admin', visitor: 'nobody' },
  { address: '/admin', visitor: 'approver' },
  { address: '/admin?range=hour&api=no-such-api', visitor: 'administrator' },
  { address: '/account', visitor: 'newcomer' },
  { address: '/developer', visitor: 'newcomer' },
  { address: '/developer/catalogue', visitor: 'newcomer' },
  { address: '/developer/playground', visitor: 'newcomer' },
  { address: '/admin/auth-methods/new?type=broker&preset=apple', visitor: 'administrator' },
  { address: '/admin/auth-methods/new?type=ldap', visitor: 'administrator' },
  { address: '/admin/clients?search=no-such-thing', visitor: 'administrator' },
  { address: '/admin/people?search=no-such-person', visitor: 'administrator' },
  { address: '/admin/sessions?search=no-such-person', visitor: 'administrator' },
  { address: '/admin/subscriptions?search=no-such-thing', visitor: 'administrator' },
  { address: '/admin/audit?event=no.such.event', visitor: 'administrator' },
];

let cast: Cast;
let pages: Map<string, Page>;

test.beforeAll(async ({ browser }) => {
  cast = await givenCast();
  await giveContent(cast);
  const newcomer = await consoleJar(nodeDoor, await makePerson('developer'));
  // axe would measure colours during their transition
  pages = await seatsFor(browser, { ...cast.jars, newcomer }, { reducedMotion: 'reduce' });
});

test.afterAll(() => leaveSeats(pages));

for (const { address, visitor } of [...shownPages, ...bare]) {
  test(`contract 7, WCAG 2.2 AA: ${address} for ${visitor}: the page passes axe and does not scroll sideways`, async () => {
    const page = pages.get(visitor) as Page;
    await look(page, DESKTOP, 'light');
    const answer = await page.goto(nodeDoor.url + fill(address, cast.words));
    expect(answer?.status()).toBe(200);
    await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
    const found: Record<string, string[]> = {};
    const see = async (what: string, check: Promise<string[]>) => {
      found[what] = await check;
      await picture(page, `${address}-${visitor}-${what}`);
    };
    await see('desktop-light', violations(page));
    // only colours are checked again, because the dark theme changes nothing else
    await look(page, DESKTOP, 'dark');
    await see('desktop-dark', contrastFaults(page));
    await look(page, PHONE, 'dark');
    await see('phone-dark', contrastFaults(page));
    await look(page, PHONE, 'light');
    await see('phone-light', violations(page));
    found['390 px'] = await tooWide(page);
    await look(page, NARROW, 'light');
    found['320 px'] = await tooWide(page);
    expect(Object.entries(found).filter(([, lines]) => lines.length > 0)).toEqual([]);
  });
}

test('contract 7, WCAG 2.2 AA: the menu on a phone passes axe, and its links work', async () => {
  const page = pages.get('administrator') as Page;
  await look(page, PHONE, 'light');
  await page.goto(`${nodeDoor.url}/admin`);
  await page.getByText('Menu', { exact: true }).click();
  expect(await violations(page)).toEqual([]);
  await look(page, PHONE, 'dark');
  expect(await contrastFaults(page)).toEqual([]);
  await picture(page, 'menu-administrator-phone-dark');
  await look(page, NARROW, 'light');
  expect(await tooWide(page)).toEqual([]);
  await page.getByRole('link', { name: 'Audit log' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Audit log' })).toBeVisible();
});

async function look(page: Page, size: typeof DESKTOP, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme });
}
