// Passkeys on pages that add, request and remove them. Uses Chromium's virtual authenticator.
import { randomBytes } from 'node:crypto';
import type { Page } from '@playwright/test';
import { enterConsole } from '../../support/console/console.ts';
import { test as base, expect } from '../../support/pages/browser-test.ts';
import { toSetUp } from '../../support/pages/second-factor.ts';
import { VirtualAuthenticator } from '../../support/pages/virtual-authenticator.ts';
import { sql } from '../../support/service/database.ts';
import { nodeDoor } from '../../support/service/doors.ts';

const test = base.extend<{ authenticator: VirtualAuthenticator }>({
  authenticator: async ({ page }, use) => {
    // prevents the page's script from requesting a passkey without a click
    await page.addInitScript(() => {
      PublicKeyCredential.isConditionalMediationAvailable = async () => false;
    });
    await use(await VirtualAuthenticator.of(page));
  },
});

const PHISHING_RESISTANT = 'urn:gatehouse:acr:phishing-resistant';
const button = (page: Page) => page.getByRole('button', { name: 'Use a passkey' });
const confirmHeading = (page: Page) => page.getByRole('heading', { name: 'Confirm it is you' });
const said = (page: Page) => page.getByRole('alert').filter({ hasText: /./ });
const countOf = async (email: string) =>
  (await sql('select from passkeys k join people p on p.id = k.person_id where p.email = $1', [email]))
    .length;
const levelsOf = async (email: string) =>
  (
    await sql<{ level: number }>(
      `select s.acr_level as level from sessions s join people p on p.id = s.person_id
       where p.email = $1 and s.ended_at is null`,
      [email],
    )
  ).map(({ level }) => level);

test.describe('second-factor setup page', () => {
  test('an added passkey makes the sign-in phishing-resistant', async ({
    page,
    world,
    shop,
    authenticator: _,
  }) => {
    const visit = await toSetUp(page, world, { callback: `${shop.origin}/cb` });
    await button(page).click();
    await page.getByRole('heading', { name: 'Keep your recovery codes' }).waitFor();
    expect(await countOf(visit.email)).toBe(1);
    await page.getByRole('link', { name: 'Continue' }).click();
    await visit.press('Allow');
    await visit.expectCode();
    expect(await levelsOf(visit.email)).toEqual([3]);
  });

  test('a new passkey without user verification is rejected', async ({ page, world, authenticator }) => {
    await authenticator.setUserVerified(false);
    const visit = await toSetUp(page, world);
    await button(page).click();
    await expect(said(page)).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Set up a second factor' })).toBeVisible();
    expect(await countOf(visit.email)).toBe(0);
    expect(await levelsOf(visit.email)).toEqual([1]);
  });
});

test.describe('after a password', () => {
  test('a passkey serves as the second factor', async ({ page, visit, person, authenticator }) => {
    await authenticator.give(person);
    await visit.start();
    await visit.signIn();
    await expect(confirmHeading(page)).toBeVisible();
    await button(page).click();
    await expect(visit.consent).toBeVisible();
    expect(await levelsOf(person.email)).toEqual([3]);
  });

  test('a passkey that names another user is rejected', async ({
    page,
    world,
    visit,
    person,
    authenticator,
  }) => {
    await authenticator.give(person, { names: await world.givenPerson() });
    await visit.start();
    await visit.signIn();
    await button(page).click();
    await expect(said(page)).toBeVisible();
    await expect(confirmHeading(page)).toBeVisible();
    expect(await levelsOf(person.email)).toEqual([1]);
  });

  test('a passkey without user verification is rejected', async ({ page, visit, person, authenticator }) => {
    await authenticator.give(person);
    await authenticator.setUserVerified(false);
    await visit.start();
    await visit.signIn();
    await button(page).click();
    await expect(said(page)).toBeVisible();
    await expect(confirmHeading(page)).toBeVisible();
    expect(await levelsOf(person.email)).toEqual([1]);
  });

  test('a step-up of a signed-in user requests only the passkey', async ({
    page,
    visit,
    person,
    authenticator,
  }) => {
    await visit.finish();
    expect(await levelsOf(person.email)).toEqual([1]);
    await authenticator.give(person);
    await visit.start({ acr_values: PHISHING_RESISTANT });
    await expect(confirmHeading(page)).toBeVisible();
    await expect(page.getByLabel('Code', { exact: true })).toHaveCount(0);
    await button(page).click();
    await visit.expectCode();
    expect(await levelsOf(person.email)).toEqual([3]);
  });
});

test.describe('on the account page', () => {
  const add = async (page: Page, name: string) => {
    await page.getByRole('link', { name: 'Add a passkey' }).click();
    await page.getByRole('region', { name: 'A passkey' }).getByLabel('Name').fill(name);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
  };

  test('a device registers one passkey per user, and the page explains it', async ({
    page,
    person,
    authenticator: _,
  }) => {
    await enterConsole(page, person, '/account/security');
    await add(page, 'First');
    await page.getByRole('link', { name: 'I have saved them' }).click();
    await expect(page.getByRole('link', { name: 'First' })).toBeVisible();
    await add(page, 'Second');
    await expect(page.getByText('There already is a passkey for this account on that device.')).toBeVisible();
    expect(await countOf(person.email)).toBe(1);
  });

  test('a 21st passkey is rejected, and the page shows the limit', async ({
    page,
    person,
    authenticator: _,
  }) => {
    await enterConsole(page, person, '/account/security/add');
    // rows that SQL inserts keep the session valid; passkeys added on the page do not
    for (let made = 0; made < 20; made += 1)
      await sql(
        `insert into passkeys (credential_id, person_id, rp_id, public_key, backup_eligible, backed_up, name)
         values ($1, $2, 'localhost', 'x', false, false, 'Another')`,
        [randomBytes(16), person.id],
      );
    await sql('update sessions set acr_level = 3 where person_id = $1', [person.id]);
    await page.getByRole('region', { name: 'A passkey' }).getByLabel('Name').fill('One too many');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await expect(page.getByText(/20 passkeys/)).toBeVisible();
    expect(await countOf(person.email)).toBe(20);
  });

  test('a removed passkey cannot sign in', async ({ page, visit, person, authenticator }) => {
    await authenticator.give(person);
    await visit.start();
    await button(page).click();
    await expect(visit.consent).toBeVisible();
    // the console accepts a passkey as the only factor
    await page.goto(`${nodeDoor.url}/account/security`);
    await button(page).click();
    await page.getByRole('link', { name: 'Virtual' }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await expect(page.getByText('You have no second factor yet')).toBeVisible();
    await page.context().clearCookies();
    await visit.start();
    await button(page).click();
    await expect(said(page)).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  });
});
