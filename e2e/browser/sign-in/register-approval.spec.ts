// Registration with approval during sign-in for a client: approver accepts or rejects, then the request continues.
// E2E_SCREENSHOTS=<folder> saves screenshots of each step.
import { randomBytes } from 'node:crypto';
import type { Page } from '@playwright/test';
import { issuerOf } from '#testing/net/door.ts';
import { enterConsole } from '../../support/console/console.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { picture, tooWide, violations } from '../../support/pages/page-checks.ts';
import { allow, signIn, type Visit } from '../../support/pages/visit.ts';
import { clearAddressAttempts, makePerson, sql } from '../../support/service/database.ts';
import { nodeDoor } from '../../support/service/doors.ts';
import { linkInMail, mailTo } from '../../support/service/mail.ts';

// clears the limit of thirty mails per address in fifteen minutes, because all tests share one address
test.beforeEach(clearAddressAttempts);

// axe would measure colours during their transition
test.use({ contextOptions: { reducedMotion: 'reduce' } });

const PASSWORD = 'correct horse battery';
const PHONE = { width: 320, height: 640 };
const DESKTOP = { width: 1280, height: 900 };

/** Creates a local method for this test, whose registrations require approval. */
async function makeMethod(): Promise<string> {
  const id = `wait${randomBytes(5).toString('hex')}`;
  const config = JSON.stringify({ registration: 'approval' });
  await sql("insert into auth_methods (id, type, name, config) values ($1, 'local', 'Wait', $2)", [
    id,
    config,
  ]);
  await sql("insert into combinations (auth_method_id, api_id) values ($1, 'orders')", [id]);
  return issuerOf(nodeDoor, id);
}

/** Checks the page in both themes, and at the width of a phone. */
async function look(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await violations(page), `${name}, ${colorScheme}`).toEqual([]);
    await picture(page, `${name}-${colorScheme}`);
  }
  const size = page.viewportSize() ?? DESKTOP;
  await page.setViewportSize(PHONE);
  expect(await tooWide(page), name).toEqual([]);
  await picture(page, `${name}-phone`);
  await page.setViewportSize(size);
}

/** Continues from the client's request to the waiting page. */
async function askForAccount(page: Page, visit: Visit, email: string, see: (name: string) => Promise<void>) {
  await visit.start({ prompt: 'create' });
  await expect(page.getByText('An administrator decides whether you get an account.')).toBeVisible();
  await page.getByLabel('Email').fill(email);
  await page.getByRole('button', { name: 'Send the code' }).click();
  await expect(page.getByRole('heading', { name: 'Enter the code' })).toBeVisible();
  await expect.poll(async () => (await mailTo({ email })).length).toBe(1);
  const [, code = ''] = /(\d{3} \d{3})/.exec((await mailTo({ email }))[0]?.text ?? '') ?? [];
  await page.getByLabel('Code', { exact: true }).fill(code);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByLabel('Name').fill('Nora Neu');
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await see('approval-password');
  await page.getByRole('button', { name: 'Ask for the account' }).click();
  await expect(page.getByRole('heading', { name: 'Waiting for approval' })).toBeVisible();
  await see('approval-waiting');
}

for (const [script, size] of [
  [true, DESKTOP],
  [false, PHONE],
] as const) {
  test.describe(script ? 'with a script' : 'without a script, on a phone', () => {
    test.use({ javaScriptEnabled: script, viewport: size });
    // runs axe only if scripts are enabled, because axe needs a script
    const seen = (page: Page) => (name: string) => (script ? look(page, name) : Promise.resolve());

    test('a registration waits for approval, then the client’s request continues', async ({
      page,
      visit: usual,
      browser,
      complaints,
    }) => {
      const email = `nora-${randomBytes(5).toString('hex')}@example.com`;
      const visit = usual.but({ issuer: await makeMethod() });
      await askForAccount(page, visit, email, seen(page));
      await page.getByRole('link', { name: 'Sign in' }).click();
      await signIn(page, { email, password: PASSWORD });
      await expect(page.getByRole('alert')).toContainText('Incorrect email or password.');

      const context = await browser.newContext({ javaScriptEnabled: script, viewport: size });
      const desk = await context.newPage();
      const [row] = await sql<{ id: string }>('select id from person_registrations where email = $1', [
        email,
      ]);
      await enterConsole(desk, await makePerson('approver'), `/admin?person=${row?.id}`);
      await expect(desk.getByRole('heading', { name: 'Nora Neu asks for an account' })).toBeVisible();
      await expect(desk.getByRole('region').getByText(email)).toBeVisible();
      await expect(desk.getByRole('region').getByText(`${visit.client.name} → `)).toBeVisible();
      await seen(desk)('approval-inbox');
      await desk.getByRole('button', { name: 'Approve', exact: true }).click();
      await expect(
        desk.getByText(/^Approved: .+@.+\. The person can sign in and will be notified by email\.$/),
      ).toBeVisible();
      await context.close();

      await page.goto(await linkInMail({ email }, 'Gatehouse: your account is ready'));
      await expect(page.getByRole('heading', { name: 'Your account is ready' })).toBeVisible();
      await seen(page)('approval-approved');
      await page.getByRole('link', { name: 'Sign in' }).click();
      await signIn(page, { email, password: PASSWORD });
      await allow(page);
      expect((await visit.answer()).get('code')).toBeTruthy();
      expect(await sql('select name, roles from people where email = $1', [email])).toEqual([
        { name: 'Nora Neu', roles: [] },
      ]);
      expect(complaints).toEqual([]);
    });

    test('a user whose registration is rejected receives the reason, and no account is created', async ({
      page,
      visit: usual,
      browser,
    }) => {
      const email = `otto-${randomBytes(5).toString('hex')}@example.com`;
      await askForAccount(page, usual.but({ issuer: await makeMethod() }), email, async () => {});
      const context = await browser.newContext({ javaScriptEnabled: script, viewport: size });
      const desk = await context.newPage();
      const [row] = await sql<{ id: string }>('select id from person_registrations where email = $1', [
        email,
      ]);
      await enterConsole(desk, await makePerson('administrator'), `/admin/approvals?person=${row?.id}`);
      await desk.getByText('Reject with a reason…').click();
      await desk.getByLabel('Reason for rejection').fill('Ask your teacher first.');
      await seen(desk)('approval-reject');
      await desk.getByRole('button', { name: 'Reject with reason', exact: true }).click();
      await expect(
        desk.getByText(/^Rejected: .+@.+\. The person will be notified by email\.$/),
      ).toBeVisible();
      // the same registration request, opened by the address that an outdated page still shows
      await desk.goto(`${nodeDoor.url}/admin/approvals?person=${row?.id}`);
      await expect(desk.getByText('This request no longer exists.')).toBeVisible();
      await context.close();
      await expect
        .poll(async () => (await mailTo({ email }))[0]?.text)
        .toContain('Why:\n> Ask your teacher first.');
      expect(await sql('select from people where email = $1', [email])).toEqual([]);
      // in another browser, or if it is opened late, the link in an approval mail only shows a text
      const other = await browser.newPage();
      await other.goto(`${nodeDoor.url}/register?done=approved`);
      await expect(other.getByText('Go back to the application')).toBeVisible();
      await other.close();
    });
  });
}
