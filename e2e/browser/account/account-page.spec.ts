// Account page in a real browser: users edit their profile, export data, delete the account.
import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { enterConsole } from '../../support/console/console.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { contrastFaults, picture, tooWide, violations } from '../../support/pages/page-checks.ts';
import { makePerson, sql } from '../../support/service/database.ts';

test.use({ contextOptions: { reducedMotion: 'reduce' } });

/** Runs axe on a desktop in light mode, and checks contrast and width on a phone in dark mode. */
async function look(page: Page, name: string): Promise<void> {
  expect(await violations(page), name).toEqual([]);
  await picture(page, `${name}-desktop`);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await contrastFaults(page), name).toEqual([]);
  expect(await tooWide(page), name).toEqual([]);
  await picture(page, `${name}-phone-dark`);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1280, height: 900 });
}

test('a user chooses an account language, downloads the account’s data, and deletes the account', async ({
  page,
}) => {
  const person = await makePerson();
  await enterConsole(page, person, '/account');
  // a chosen language overrides the profile's language, which changes later
  await page.goto(`${page.url()}?language=en`);
  await page.getByLabel('Picture').fill('https://pictures.example/me.png');
  await page.getByLabel('Time zone').selectOption({ label: 'Berlin' });
  await page.getByLabel('Language').selectOption({ label: 'Deutsch' });
  await page.getByLabel('Picture').fill('http://pictures.example/me.png');
  await page.getByRole('button', { name: 'Save the details' }).click();
  await expect(page.getByLabel('Picture')).toHaveAttribute('aria-invalid', 'true');
  await look(page, 'account-fault');
  await page.getByLabel('Picture').fill('https://pictures.example/me.png');
  await page.getByLabel('Language').selectOption('pt-BR');
  await page.getByRole('button', { name: 'Save the details' }).click();
  await expect(page.getByText('Your picture, language and time zone are saved.')).toBeVisible();
  await expect(page.getByLabel('Language')).toHaveValue('pt-BR');
  await look(page, 'account');

  await page.getByRole('link', { name: 'Download my data' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Your data' })).toBeVisible();
  await look(page, 'account-data');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download the file' }).click(),
  ]);
  const { profile } = JSON.parse(readFileSync(await download.path(), 'utf8'));
  expect(profile).toMatchObject({ email: person.email, locale: 'pt-BR', zoneinfo: 'Europe/Berlin' });

  // if the sign-in is old, the page first requires a new sign-in
  await sql("update sessions set auth_time = auth_time - interval '1 hour' where person_id = $1", [
    profile.id,
  ]);
  await page.getByRole('link', { name: 'Download the file' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Please confirm that it is you' })).toBeVisible();
  await page.getByLabel('Password').fill(person.password);
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Your data' })).toBeVisible();

  await page.getByRole('link', { name: 'Your account' }).first().click();
  await page.getByRole('link', { name: 'Delete my account…' }).click();
  await expect(page.getByLabel('Type the word')).toBeVisible();
  await look(page, 'account-delete');
  await page.getByLabel('Type the word').fill('delete');
  await page.getByRole('button', { name: 'Delete my account for good' }).click();
  await expect(page.getByText('Your account is deleted. You are signed out.')).toBeVisible();
  expect(await sql('select 1 from people where id = $1', [profile.id])).toEqual([]);
});

test('a user names the current browser, and its user agent remains visible', async ({ page }) => {
  const person = await makePerson();
  await enterConsole(page, person, '/account');
  const here = page.getByRole('list', { name: 'Where you are signed in' }).getByRole('listitem');
  const proposed = await here.getByRole('link').innerText();
  expect(proposed).toMatch(/^\S+ on \S+$/);
  await here.getByRole('link').click();
  await expect(page.getByText(`the device is called ${proposed}`)).toBeVisible();
  await page.getByRole('textbox', { name: 'Name' }).fill('My desk');
  await look(page, 'device');
  await page.getByRole('button', { name: 'Save the name' }).click();
  await expect(page.getByText('The device has its new name.')).toBeVisible();
  await expect(here.getByRole('link', { name: 'My desk' })).toBeVisible();
  await expect(here).toContainText(`${proposed} · This console`);
  await look(page, 'account-named');
  await here.getByRole('link', { name: 'My desk' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('');
  await page.getByRole('button', { name: 'Save the name' }).click();
  await expect(here.getByRole('link', { name: proposed })).toBeVisible();
});
