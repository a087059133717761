// Administrators invite users on a page: they type addresses or select a file, see one result for each
// address, and resend or withdraw invitations. The test also covers the registration setting on the method's
// page.
import { randomBytes } from 'node:crypto';
import type { Page } from '@playwright/test';
import { enterConsole } from '../../support/console/console.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { contrastFaults, picture, tooWide, violations } from '../../support/pages/page-checks.ts';
import { makePerson, sql } from '../../support/service/database.ts';
import { nodeDoor } from '../../support/service/doors.ts';
import { mailTo } from '../../support/service/mail.ts';

test.use({ contextOptions: { reducedMotion: 'reduce' } });

const INVITED = 'Gatehouse: you are invited';
const newAddress = (name: string) => `${name}-${randomBytes(5).toString('hex')}@example.com`;

/** Creates a local method for this test. */
async function makeMethod(registration: string | null): Promise<string> {
  const id = `guest${randomBytes(5).toString('hex')}`;
  const config = JSON.stringify(registration === null ? {} : { registration });
  await sql("insert into auth_methods (id, type, name, config) values ($1, 'local', $1, $2)", [id, config]);
  return id;
}

async function look(page: Page, name: string): Promise<void> {
  const size = page.viewportSize();
  expect(await violations(page), name).toEqual([]);
  await picture(page, `${name}-desktop`);
  await page.setViewportSize({ width: 320, height: 700 });
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await contrastFaults(page), name).toEqual([]);
  expect(await tooWide(page), name).toEqual([]);
  await picture(page, `${name}-phone-dark`);
  await page.emulateMedia({ colorScheme: 'light' });
  if (size) await page.setViewportSize(size);
}

async function linksTo(email: string, count: number): Promise<string[]> {
  const mails = async () => (await mailTo({ email })).filter(({ subject }) => subject === INVITED);
  await expect.poll(async () => (await mails()).length).toBe(count);
  return (await mails()).map(({ text }) => /https?:\S+/.exec(text)?.[0] ?? '');
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled });

    test('of invitations sent in bulk, resent or withdrawn, only the newest link creates the account', async ({
      page,
      browser,
    }) => {
      const method = await makeMethod('invite');
      await makeMethod('invite');
      const [administrator, known] = [await makePerson('administrator'), await makePerson()];
      const [ada, bob] = [newAddress('ada'), newAddress('bob')];
      await enterConsole(page, administrator, '/admin/people');
      await page.getByRole('link', { name: 'Invite people' }).click();
      await expect(page.getByRole('heading', { level: 1, name: 'Invitations' })).toBeVisible();
      await page.getByLabel('Addresses').fill(`${ada}\nno address, ${known.email}`);
      await expect(page.getByLabel('From a file')).toHaveCount(javaScriptEnabled ? 1 : 0);
      if (javaScriptEnabled) {
        const file = {
          name: 'people.csv',
          mimeType: 'text/csv',
          buffer: Buffer.from(`${bob}\r\n${ada}\r\n`),
        };
        await page.getByLabel('From a file').setInputFiles(file);
        await expect(page.getByLabel('Addresses')).toHaveValue(new RegExp(bob));
      } else await page.getByLabel('Addresses').fill(`${ada}\nno address, ${known.email};${bob}\n\n${ada}`);
      await page.getByRole('radio', { name: method }).check();
      if (javaScriptEnabled) await look(page, 'invitations');
      await page.getByRole('button', { name: 'Send invitations' }).click();
      await expect(page.getByText('3 of 5 invited')).toBeVisible();
      await expect(page.getByText('Invited again: the previous link no longer works')).toBeVisible();
      await expect(page.getByText('Already has an account')).toBeVisible();
      await expect(page.getByText('Not invited: must be an email address')).toBeVisible();
      if (javaScriptEnabled) await look(page, 'invitations-results');
      await page.getByRole('link', { name: 'Back to invitations' }).click();

      await page.getByRole('searchbox').fill(ada);
      await page.getByRole('button', { name: 'Search' }).click();
      await expect(page.getByRole('list', { name: 'Open invitations' }).getByRole('listitem')).toHaveCount(1);
      if (javaScriptEnabled) await look(page, 'invitations-open');
      await page.getByRole('button', { name: `Invite again ${ada}` }).click();
      await expect(page.getByText('A new link has been sent.')).toBeVisible();
      const links = await linksTo(ada, 3);
      await page.getByRole('searchbox').fill(bob);
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByRole('button', { name: `Withdraw ${bob}` }).click();
      await expect(page.getByText('Withdrawn. The link no longer works.')).toBeVisible();
      const [withdrawn = ''] = await linksTo(bob, 1);

      const guest = await browser.newPage({ javaScriptEnabled });
      await guest.goto(withdrawn);
      await expect(guest.getByRole('heading', { name: 'This invitation does not work' })).toBeVisible();
      let works = 0;
      for (const link of links) {
        await guest.goto(link);
        if (!(await guest.getByText(`You are invited as ${ada}.`).isVisible())) continue;
        works += 1;
        await guest.getByLabel('Password', { exact: true }).fill('correct horse battery');
        await guest.getByRole('button', { name: 'Create the account' }).click();
        await expect(guest.getByRole('heading', { name: 'Your account is ready' })).toBeVisible();
      }
      expect(works).toBe(1);
      await guest.close();
      expect(
        await sql('select email_verified_at is not null as proved from people where email = $1', [ada]),
      ).toEqual([{ proved: true }]);
    });

    test('a method’s registration setting is saved and displayed', async ({ page }) => {
      const method = await makeMethod(null);
      const at = `/admin/auth-methods/${method}/edit`;
      await enterConsole(page, await makePerson('administrator'), at);
      await expect(page.getByRole('group', { name: 'Who can create an account' })).toBeVisible();
      if (javaScriptEnabled) await look(page, 'method-registration');
      for (const [label, value] of [
        ['Approved people', 'approval'],
        ['Invited people', 'invite'],
      ] as const) {
        await page.goto(nodeDoor.url + at);
        await page.getByLabel(label).check();
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await expect(page.getByText('The sign-in method is changed.')).toBeVisible();
        expect(
          await sql("select config->>'registration' as how from auth_methods where id = $1", [method]),
        ).toEqual([{ how: value }]);
        await page.goto(nodeDoor.url + at);
        await expect(page.getByLabel(label)).toBeChecked();
      }
    });
  });
}
