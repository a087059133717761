// Multilingual names and descriptions: display for readers, editing for administrators.
import { randomBytes } from 'node:crypto';
import type { Locator, Page } from '@playwright/test';
import { issuerOf } from '#testing/net/door.ts';
import { enterConsole } from '../../support/console/console.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { tooWide, violations } from '../../support/pages/page-checks.ts';
import { makeApi, sql } from '../../support/service/database.ts';
import { nodeDoor } from '../../support/service/doors.ts';

const ADMIN = { email: 'admin@example.com', password: 'admin-password-1' };
const ORDERS = { en: 'Parcels', de: 'Pakete' };
const READ = { en: 'See your parcels', de: 'Ihre Pakete sehen' };
const STAFF = { en: 'With your staff account', de: 'Mit Ihrem Dienstkonto' };
const SHOP = { en: 'Parcel shop', de: 'Paketladen' };

/** Creates an API with a method and a scope, whose names exist in English and German. */
async function givenTexts(clientId: string): Promise<string> {
  const { id } = await makeApi();
  const text = (texts: { en: string }) => [texts.en, JSON.stringify(texts)];
  await sql('update apis set name = $2, name_texts = $3 where id = $1', [id, ...text(ORDERS)]);
  await sql('delete from api_scopes where api_id = $1', [id]);
  await sql('insert into api_scopes (api_id, name, description, description_texts) values ($1, $2, $3, $4)', [
    id,
    'parcels:read',
    ...text(READ),
  ]);
  await sql("insert into auth_methods (id, type, name, name_texts) values ($1, 'local', $2, $3)", [
    id,
    ...text(STAFF),
  ]);
  await sql('insert into combinations (auth_method_id, api_id) values ($1, $1)', [id]);
  await sql('update clients set name = $2, name_texts = $3 where client_id = $1', [clientId, ...text(SHOP)]);
  await sql("insert into subscriptions (client_id, api_id, state) values ($1, $2, 'approved')", [
    clientId,
    id,
  ]);
  return id;
}

const named = (page: Page, text: string) => page.getByRole('main').locator('bdi', { hasText: text }).first();

test('German readers see German names, and Japanese readers see English names marked lang=en', async ({
  page,
  visit,
  client,
  person,
}) => {
  await page.setViewportSize({ width: 320, height: 800 });
  const id = await givenTexts(client.clientId);
  const at = visit.but({ issuer: issuerOf(nodeDoor, id, id) });
  const asked = { scope: 'parcels:read' };
  await at.start({ ...asked, ui_locales: 'ja' });
  for (const text of [ORDERS.en, SHOP.en, STAFF.en])
    await expect(named(page, text)).toHaveAttribute('lang', 'en');
  expect(await violations(page)).toEqual([]);

  await at.start({ ...asked, ui_locales: 'de' });
  for (const text of [ORDERS.de, SHOP.de, STAFF.de]) {
    await expect(named(page, text)).toBeVisible();
    await expect(named(page, text)).not.toHaveAttribute('lang');
  }
  await page.getByLabel('E-Mail').fill(person.email);
  await page.getByLabel('Passwort', { exact: true }).fill(person.password);
  await page.getByLabel('Passwort', { exact: true }).press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(
    `${SHOP.de} möchte Zugriff auf ${ORDERS.de}`,
  );
  await expect(page.getByText(READ.de)).toBeVisible();
  expect(await violations(page)).toEqual([]);
  expect(await tooWide(page)).toEqual([]);

  await at.start({ ...asked, ui_locales: 'ja' });
  await expect(page.locator('html')).toHaveAttribute('lang', 'ja');
  await expect(named(page, READ.en)).toHaveAttribute('lang', 'en');
  await expect(page.getByRole('heading', { level: 1 })).toContainText(ORDERS.en);
});

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled });

    test('an administrator enters API texts in several languages, sees the invalid line, and finds the saved values', async ({
      page,
      world,
    }) => {
      await page.setViewportSize({ width: 320, height: 800 });
      const id = `texts-${randomBytes(4).toString('hex')}`;
      await enterConsole(page, ADMIN, '/admin/apis/new');
      await page.getByLabel('Id', { exact: true }).fill(id);
      await page.getByLabel('Name', { exact: true }).fill('Parcels');
      await page.getByLabel('In other languages').fill('de: Pakete\nzz: Nothing');
      await page.getByLabel(/^Address/).fill(`https://api.example/${id}`);
      await page.locator('[name="scopes.name"]').first().fill('parcels:read');
      await page.locator('[name="scopes.description"]').first().fill('See your parcels');
      await page.getByLabel('scope 1, translated').fill('de: Ihre Pakete sehen');
      const send = page.locator('form:has([name="scopes.name"]) button[type="submit"]');
      await send.click();
      await expect(page.getByText('Line 2: This must be a language, such as de or pt-BR.')).toBeVisible();
      await expect(page.getByLabel('In other languages')).toHaveAttribute('aria-invalid', 'true');
      await expect(page.getByLabel('Name', { exact: true })).not.toHaveAttribute('aria-invalid');
      if (javaScriptEnabled) expect(await violations(page)).toEqual([]);
      if (javaScriptEnabled) expect(await tooWide(page)).toEqual([]);

      await page.getByLabel('In other languages').fill('de: Pakete\nfr: Colis');
      await page.getByLabel('scope 1, translated').fill('Ihre Pakete sehen');
      await send.click();
      await expect(page.getByText('Line 1: This must be a language, such as de or pt-BR.')).toBeVisible();
      await page.getByLabel('scope 1, translated').fill('de: Ihre Pakete sehen');
      await send.click();
      await expect(page.getByRole('status').first()).toContainText('The API is created');
      await expect(page.getByRole('heading', { level: 1 })).toContainText('Parcels');

      await page.goto(`${world.baseUrl}/admin/apis/${id}/edit`);
      await expect(page.getByLabel('In other languages')).toHaveValue('de: Pakete\nfr: Colis');
      await expect(page.getByLabel('scope 1, translated')).toHaveValue('de: Ihre Pakete sehen');
      await page.getByLabel('Translations').fill('de: Was unterwegs ist');
      await page.getByLabel('Description', { exact: false }).first().fill('What is on its way');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await expect(page.getByRole('status').first()).toContainText('The API is changed');
      const [row] = await sql<{ name: string; description: string }>(
        'select name_texts as name, description_texts as description from apis where id = $1',
        [id],
      );
      expect(row).toEqual({
        name: '{"en":"Parcels","de":"Pakete","fr":"Colis"}',
        description: '{"en":"What is on its way","de":"Was unterwegs ist"}',
      });
    });
  });
}

test('the languages of methods and clients are editable, and their order is preserved', async ({
  page,
  world,
  client,
}) => {
  const id = await givenTexts(client.clientId);
  const lines = page.getByLabel('In other languages');
  await enterConsole(page, ADMIN, `/admin/auth-methods/${id}/edit`);
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue(STAFF.en);
  await expect(lines).toHaveValue(`de: ${STAFF.de}`);
  const texts = `fr: Compte du personnel\nde: ${STAFF.de}`;
  // the start of the script moves the selection, so a text that is typed meanwhile can be appended
  await expect(async () => {
    await lines.fill(texts);
    await expect(lines).toHaveValue(texts, { timeout: 500 });
  }).toPass();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('status').first()).toContainText('The sign-in method is changed');

  await page.goto(`${world.baseUrl}/admin/clients/${client.clientId}/edit`);
  await expect(lines).toHaveValue(`de: ${SHOP.de}`);
  await lines.fill('');
  await page.getByLabel('Name', { exact: true }).fill('Shop');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('status').first()).toContainText('changed');
  const [row] = await sql<{ method: string; client: string }>(
    `select (select name_texts from auth_methods where id = $1) as method,
      (select name_texts from clients where client_id = $2) as client`,
    [id, client.clientId],
  );
  expect(row).toEqual({
    method: JSON.stringify({ en: STAFF.en, fr: 'Compte du personnel', de: STAFF.de }),
    client: '{"en":"Shop"}',
  });
});

/** Holds the page’s scripts back until the returned function is called. */
async function heldScripts(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(/\.js(\?|$)/, async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}

/** Waits for hydration: React has attached its properties. */
const takenOver = (element: Locator) =>
  expect
    .poll(() => element.evaluate((one) => Object.keys(one).some((key) => key.startsWith('__reactProps$'))))
    .toBe(true);

test('text typed into a textarea after hydration replaces previously selected text', async ({
  page,
  world,
  client,
}) => {
  const id = await givenTexts(client.clientId);
  await enterConsole(page, ADMIN, '/admin');
  const release = await heldScripts(page);
  await page.goto(`${world.baseUrl}/admin/auth-methods/${id}/edit`, { waitUntil: 'commit' });
  const lines = page.getByLabel('In other languages');
  await expect(lines).toHaveValue(`de: ${STAFF.de}`);
  await lines.selectText();
  release();
  await takenOver(lines);
  await page.waitForLoadState('networkidle');
  await page.keyboard.insertText('fr: Compte');
  await expect(lines).toHaveValue('fr: Compte');
});

for (const [which, texts] of [
  ['an empty textarea', { en: STAFF.en }],
  ['a textarea with a text', STAFF],
] as const)
  test(`text typed into ${which} before hydration remains, and an error names its line`, async ({
    page,
    world,
    client,
  }) => {
    const id = await givenTexts(client.clientId);
    await sql('update auth_methods set name_texts = $2 where id = $1', [id, JSON.stringify(texts)]);
    await enterConsole(page, ADMIN, '/admin');
    const release = await heldScripts(page);
    await page.goto(`${world.baseUrl}/admin/auth-methods/${id}/edit`, { waitUntil: 'commit' });
    const lines = page.getByLabel('In other languages');
    await expect(lines).toHaveValue('de' in texts ? `de: ${STAFF.de}` : '');
    await lines.fill(`de: ${STAFF.de}\nzz: Nothing`);
    release();
    await takenOver(lines);
    await page.waitForLoadState('networkidle');
    await expect(lines).toHaveValue(`de: ${STAFF.de}\nzz: Nothing`);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(page.getByText('Line 2: This must be a language, such as de or pt-BR.')).toBeVisible();
    await expect(lines).toHaveValue(`de: ${STAFF.de}\nzz: Nothing`);
  });
