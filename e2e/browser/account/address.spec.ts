// Users change their address using codes from both mailboxes, with and without scripts.
import type { Page } from '@playwright/test';
import { enterConsole } from '../../support/console/console.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { contrastFaults, picture, tooWide, violations } from '../../support/pages/page-checks.ts';
import { makePerson } from '../../support/service/database.ts';
import { mailTo } from '../../support/service/mail.ts';

test.use({ contextOptions: { reducedMotion: 'reduce' } });

/** Runs axe on a desktop in light mode, and checks contrast and width on a small phone in dark mode. */
async function look(page: Page, name: string): Promise<void> {
  expect(await violations(page), name).toEqual([]);
  await picture(page, `${name}-desktop`);
  await page.setViewportSize({ width: 320, height: 700 });
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await contrastFaults(page), name).toEqual([]);
  expect(await tooWide(page), name).toEqual([]);
  await picture(page, `${name}-phone-dark`);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1280, height: 900 });
}

async function codeTo(email: string): Promise<string> {
  let code: string | undefined;
  await expect(async () => {
    const [mail] = await mailTo({ email });
    code = mail?.text.match(/code (\d{3} \d{3}) /)?.[1];
    expect(code).toBeDefined();
  }).toPass();
  return code ?? '';
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled });

    test('address change: the user recovers from a wrong address and a wrong code, then signs in with the new address', async ({
      page,
      browser,
    }) => {
      const person = await makePerson();
      const email = `new.${person.email}`;
      await enterConsole(page, person, '/account');
      await page.getByRole('link', { name: 'Change the address' }).click();
      await expect(page.getByRole('heading', { level: 1, name: 'Change your address' })).toBeVisible();
      await page.getByLabel('New address').fill(person.email);
      await page.getByRole('button', { name: 'Send both codes' }).click();
      await expect(page.getByText('This is your address already.')).toBeVisible();
      if (javaScriptEnabled) await look(page, 'address');
      await page.getByLabel('New address').fill(email);
      await page.getByRole('button', { name: 'Send both codes' }).click();
      await expect(page.getByRole('heading', { name: 'Enter both codes' })).toBeVisible();
      const [here, there] = [await codeTo(person.email), await codeTo(email)];
      await page.getByLabel(`Code sent to ${person.email}`).fill(there === here ? '000000' : there);
      await page.getByLabel(`Code sent to ${email}`).fill(there);
      await page.getByRole('button', { name: 'Change the address' }).click();
      await expect(page.getByText('One of the two codes is wrong.').first()).toBeVisible();
      if (javaScriptEnabled) await look(page, 'address-codes');
      await page.getByLabel(`Code sent to ${person.email}`).fill(here);
      await page.getByLabel(`Code sent to ${email}`).fill(there);
      await page.getByRole('button', { name: 'Change the address' }).click();
      await expect(page.getByText('Your address is changed.')).toBeVisible();
      await expect(page.getByText(email, { exact: false }).first()).toBeVisible();

      const context = await browser.newContext();
      const other = await context.newPage();
      await enterConsole(other, { ...person, email }, '/account');
      await expect(other.getByRole('heading', { level: 1 })).toBeVisible();
      await context.close();
    });
  });
}
