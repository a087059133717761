// RFC 6531 §3.3: letters beyond ASCII may precede the @. A browser accepts them in each field for an address.
import { randomBytes } from 'node:crypto';
import { issuerOf } from '#testing/net/door.ts';
import { enterConsole } from '../../support/console/console.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { signIn } from '../../support/pages/visit.ts';
import { clearAddressAttempts, makePerson, sql } from '../../support/service/database.ts';
import { nodeDoor } from '../../support/service/doors.ts';
import { linkInMail, mailTo } from '../../support/service/mail.ts';

// clears the limit of thirty mails per address in fifteen minutes, because all tests share one address
test.beforeEach(clearAddressAttempts);

const newAddress = () => `jörg-${randomBytes(5).toString('hex')}@example.com`;

/** Creates a local method with open registration for this test. */
async function makeOpenMethod(): Promise<string> {
  const id = `join${randomBytes(5).toString('hex')}`;
  const config = JSON.stringify({ registration: 'open' });
  await sql("insert into auth_methods (id, type, name, config) values ($1, 'local', $1, $2)", [id, config]);
  await sql("insert into combinations (auth_method_id, api_id) values ($1, 'orders')", [id]);
  return id;
}

async function makeJoerg(...roles: Parameters<typeof makePerson>) {
  const email = newAddress();
  const person = await makePerson(...roles);
  await sql('update people set email = $2 where id = $1', [person.id, email]);
  return { ...person, email };
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled });

    test('a user with a Unicode address signs in at a client and at the console', async ({ page, visit }) => {
      const person = await makeJoerg();
      const theirs = visit.but({ person });
      await theirs.toConsent();
      await theirs.press('Allow');
      await theirs.expectCode();
      await page.context().clearCookies();
      await enterConsole(page, person, '/account');
      await expect(page.getByRole('heading', { name: 'Your account' })).toBeVisible();
      await expect(page.getByText(person.email).first()).toBeVisible();
    });

    test('a user with a Unicode address registers an account', async ({ page, visit }) => {
      const email = newAddress();
      const issuer = issuerOf(nodeDoor, await makeOpenMethod());
      await visit.but({ issuer }).start({ prompt: 'create' });
      await page.getByLabel('Email').fill(email);
      await page.getByRole('button', { name: 'Send the code' }).click();
      await expect(page.getByRole('heading', { name: 'Enter the code' })).toBeVisible();
      await expect(page.getByRole('main')).toContainText(email);
      await expect.poll(async () => (await mailTo({ email })).length).toBe(1);
    });

    test('a user with a Unicode address resets the password', async ({ page, world }) => {
      const person = await makeJoerg();
      await page.goto(`${world.baseUrl}/account/forgot-password`);
      await page.getByLabel('Email').fill(person.email);
      await page.getByRole('button', { name: 'Send the link' }).click();
      await expect(page.getByText('a link is on its way to it')).toBeVisible();
      await expect(page.getByRole('link', { name: '/account/mail' })).toBeVisible();
      await expect.poll(async () => (await mailTo(person)).length).toBe(1);
    });

    test('an invitation reaches a Unicode address, and the invited user signs in', async ({
      page,
      browser,
    }) => {
      const email = newAddress();
      const password = 'correct horse battery';
      const method = await makeOpenMethod();
      await enterConsole(page, await makePerson('administrator'), '/admin/people/invitations');
      await page.getByLabel('Addresses').fill(email);
      await page.getByRole('radio', { name: method }).check();
      await page.getByRole('button', { name: 'Send invitations' }).click();
      await expect(page.getByText('1 of 1 invited')).toBeVisible();
      const guest = await browser.newPage({ javaScriptEnabled });
      await guest.goto(await linkInMail({ email }, 'Gatehouse: you are invited'));
      await expect(guest.getByText(`You are invited as ${email}.`)).toBeVisible();
      await guest.getByLabel('Password', { exact: true }).fill(password);
      await guest.getByRole('button', { name: 'Create the account' }).click();
      await expect(guest.getByRole('heading', { name: 'Your account is ready' })).toBeVisible();
      await guest.goto(`${nodeDoor.url}/account?method=${method}`);
      await signIn(guest, { email, password });
      await expect(guest.getByRole('heading', { name: 'Your account' })).toBeVisible();
      await guest.close();
    });

    test('an administrator adds a user with a Unicode address and makes the user the owner of a client', async ({
      page,
      world,
      client,
    }) => {
      const email = newAddress();
      await enterConsole(page, await makePerson('administrator'), '/admin/people/new');
      await page.getByLabel('Email').fill(email);
      await page.getByRole('button', { name: 'Add person' }).click();
      await expect(page.getByText('The person is created.')).toBeVisible();
      await page.goto(`${world.baseUrl}/admin/clients/${client.clientId}/edit`);
      await page.getByText('Advanced', { exact: true }).click();
      await page.getByLabel('Owner').fill(email);
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await expect(page.getByText('The application is changed.')).toBeVisible();
      const [row] = await sql<{ owner: string }>(
        'select p.email as owner from clients c join people p on p.id = c.owner_id where client_id = $1',
        [client.clientId],
      );
      expect(row?.owner).toBe(email);
    });

    test('a user changes the account’s address to a Unicode address', async ({ page, person }) => {
      const email = newAddress();
      await enterConsole(page, person, '/account/address');
      await page.locator('[name="email"]').fill(email);
      await page.locator('form:has([name="email"]) button[type="submit"]').click();
      await expect.poll(async () => (await mailTo({ email })).length).toBe(1);
    });
  });
}
