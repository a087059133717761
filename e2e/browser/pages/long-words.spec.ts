// Names, ids, scopes and URLs of maximum length, without a space: no page of the console, the site, sign-in or errors
// scrolls sideways at 320 px. E2E_SCREENSHOTS=<folder> saves a screenshot of each page.
import type { Page } from '@playwright/test';
import type { Person } from '#testing/data/world.ts';
import { issuerOf } from '#testing/net/door.ts';
import { freshPkce } from '#testing/net/pkce.ts';
import {
  type Cast,
  fill,
  giveContent,
  givenCast,
  leaveSeats,
  seatsFor,
} from '../../support/console/console-cast.ts';
import { type Shown, shownPages } from '../../support/console/console-pages.ts';
import { giveLongWords, LONG, takeLongWordsAway } from '../../support/console/long-words.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { picture, tooWide } from '../../support/pages/page-checks.ts';
import { signIn } from '../../support/pages/visit.ts';
import { nodeDoor } from '../../support/service/doors.ts';
import { giveUsage } from '../../support/service/usage.ts';

test.describe.configure({ mode: 'serial' });
test.use({ viewport: { width: 320, height: 640 }, colorScheme: 'light' });

let cast: Cast;
let seats: Map<string, Page>;

test.beforeAll(async ({ browser }) => {
  cast = await givenCast();
  await giveContent(cast);
  await giveLongWords(cast);
  seats = await seatsFor(browser, cast.jars, { viewport: { width: 320, height: 640 } });
});

test.afterAll(async () => {
  await takeLongWordsAway();
  await leaveSeats(seats);
});

async function expectNarrow(page: Page, name: string): Promise<void> {
  await page.evaluate(() => {
    for (const one of document.querySelectorAll('details')) one.open = true;
  });
  const found = await tooWide(page);
  await picture(page, `long-${name}`);
  expect(found, name).toEqual([]);
}

test('contract 7: every page of the console breaks the longest words at 320 px', async () => {
  test.setTimeout(240_000);
  const wide: Record<string, string[]> = {};
  await giveUsage(LONG.id);
  const lists: Shown[] = [
    `/admin?api=${LONG.id}`,
    `/admin?range=hour&auth_method=${LONG.userAgent.slice(0, 100)}`,
    `/admin/clients?search=${LONG.clientId}`,
    `/admin/people?search=${LONG.email.slice(0, 200)}`,
    `/admin/audit?client=${LONG.clientId}&actor=${LONG.email}&request=${LONG.userAgent}`,
    `/admin/audit?since=${LONG.userAgent}`,
    `/admin/apis/${LONG.id}`,
    `/admin/apis/${LONG.id}/edit`,
    `/admin/apis/${LONG.id}/delete`,
    `/admin/auth-methods/${LONG.id}`,
    `/admin/auth-methods/${LONG.id}/edit`,
    `/admin/auth-methods/${LONG.id}/delete`,
    `/admin/subscriptions/${LONG.clientId}/${LONG.id}`,
  ].map((address) => ({ address, visitor: 'administrator' }));
  const own: Shown[] = [
    `/developer/clients/${LONG.clientId}/apis/${LONG.id}`,
    `/developer/catalogue?client=${LONG.clientId}`,
    `/developer/playground?client=${LONG.clientId}&combination=${LONG.id}`,
  ].map((address) => ({ address, visitor: 'developer' }));
  for (const { address, visitor } of [...shownPages, ...lists, ...own]) {
    const page = seats.get(visitor) as Page;
    const answer = await page.goto(nodeDoor.url + fill(address, cast.words));
    expect(answer?.status(), address).toBe(200);
    await expectNarrow(page, `${address}-${visitor}`).catch((error: Error) => {
      wide[address] = [error.message.slice(0, 900)];
    });
  }
  expect(wide).toEqual({});
});

const authorize = (changes: Record<string, string> = {}) =>
  `${issuerOf(nodeDoor, 'pw', LONG.id)}/authorize?${new URLSearchParams({
    client_id: LONG.clientId,
    redirect_uri: LONG.url,
    response_type: 'code',
    scope: LONG.scope,
    state: 'S',
    ...freshPkce().params,
    ...changes,
  })}`;

test('contract 7: the hosted pages and the site break the longest words at 320 px', async ({ page }) => {
  await page.goto(authorize());
  await expectNarrow(page, 'sign-in');
  await signIn(page, { email: LONG.email, password: 'not this one' });
  await page.getByRole('alert').first().waitFor();
  await expectNarrow(page, 'sign-in-again');
  await page.goto(authorize({ prompt: 'consent' }));
  await signIn(page, cast.people.get('endUser') as Person);
  await page.getByRole('button', { name: 'Allow', exact: true }).waitFor();
  await expectNarrow(page, 'consent');
  const others = [
    '/logout',
    // without a session the console offers every method
    '/account',
    '/admin',
    `/account?method=${LONG.id}`,
    '/',
    '/apis',
    `/apis/${LONG.id}`,
    '/documentation',
    `/${LONG.userAgent}`,
    `/apis/${LONG.userAgent}`,
    `/account/${LONG.userAgent}`,
    `/account/forgot-password`,
    `/login?interaction=${LONG.userAgent}`,
    `/auth/pw/api/orders/authorize?client_id=${LONG.userAgent}&redirect_uri=${LONG.url}`,
    authorize({ redirect_uri: `${LONG.url}x` }).replace(nodeDoor.url, ''),
    `/auth/callback/broker?error=${LONG.userAgent}&error_description=${LONG.userAgent}`,
  ];
  for (const address of others) {
    await page.goto(nodeDoor.url + address);
    await expectNarrow(page, address);
  }
});

test('contract 7: the response to a form breaks the longest words at 320 px', async () => {
  const page = seats.get('developer') as Page;
  await page.goto(`${nodeDoor.url}/developer/clients/${LONG.clientId}/edit`);
  await page.locator('[name="redirectUris"]').first().fill(LONG.url.replace('https:', 'http:'));
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.locator('[aria-invalid="true"]').first().waitFor();
  await expectNarrow(page, 'a fault beside its field');
  await page.goto(`${nodeDoor.url}/developer/clients/${LONG.clientId}`);
  await page
    .getByRole('button', { name: /secret/i })
    .first()
    .click();
  await page.getByText('shown only once').first().waitFor();
  await expectNarrow(page, 'a secret that is shown once');
});
