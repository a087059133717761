// Two windows edit one object, and saving requires a confirmation: the slower window overwrites nothing.
import { randomBytes } from 'node:crypto';
import type { Page } from '@playwright/test';
import { enterConsole } from '../../support/console/console.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { makeApi, makeClient, makePerson, sql } from '../../support/service/database.ts';
import { nodeDoor } from '../../support/service/doors.ts';

type Kind = {
  table: string;
  key: string;
  page: string;
  make: () => Promise<string>;
  /** form field, and a value with consequences */
  field: string;
  value: (id: string) => string;
  column: string;
};

const fresh = (what: string) => `${what}-${randomBytes(6).toString('hex')}`;

/** Creates an object that the configuration file manages, so that every change has a consequence. */
async function makeManaged(table: 'auth_methods' | 'groups', id: string): Promise<string> {
  const type =
    table === 'auth_methods' ? { column: ', type', value: ", 'local'" } : { column: '', value: '' };
  await sql(
    `insert into ${table} (id, name, managed${type.column}) values ($1, 'Before', true${type.value})`,
    [id],
  );
  return id;
}

const KINDS: Record<string, Kind> = {
  client: {
    table: 'clients',
    key: 'client_id',
    page: '/admin/clients',
    make: async () => (await makeClient()).clientId,
    field: 'redirectUris',
    value: (id) => `https://${id}.example/other`,
    column: 'array_to_string(redirect_uris, chr(10))',
  },
  API: {
    table: 'apis',
    key: 'id',
    page: '/admin/apis',
    make: async () => (await makeApi()).id,
    field: 'url',
    value: (id) => `https://api.example/${id}/other`,
    column: 'url',
  },
  'sign-in method': {
    table: 'auth_methods',
    key: 'id',
    page: '/admin/auth-methods',
    make: () => makeManaged('auth_methods', fresh('method')),
    field: 'name',
    value: () => 'Name of the slower window',
    column: 'name',
  },
  group: {
    table: 'groups',
    key: 'id',
    page: '/admin/groups',
    make: () => makeManaged('groups', fresh('group')),
    field: 'name',
    value: () => 'Name of the slower window',
    column: 'name',
  },
};

async function saveName(page: Page, name: string): Promise<void> {
  await page.locator('[name="name"]').fill(name);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const anyway = page.getByRole('button', { name: 'Save anyway' });
  await expect(anyway.or(page.getByRole('status').first())).toBeVisible();
  if (await anyway.isVisible()) await anyway.click();
  await expect(page.getByRole('status').first()).toContainText('changed');
}

for (const javaScriptEnabled of [true, false]) {
  const isAsked = !javaScriptEnabled;
  const moment = isAsked ? 'while the question is open' : 'before the question';
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled });

    for (const [what, kind] of Object.entries(KINDS)) {
      test(`${what}: a change saved in another window ${moment} is not overwritten`, async ({ page }) => {
        const id = await kind.make();
        const address = `${kind.page}/${id}/edit`;
        const stored = async () => {
          const [row] = await sql<{ name: string; value: string }>(
            `select name, ${kind.column} as value from ${kind.table} where ${kind.key} = $1`,
            [id],
          );
          return row;
        };
        await enterConsole(page, await makePerson('administrator'), address);
        const second = await page.context().newPage();
        await second.goto(nodeDoor.url + address);

        const typed = kind.value(id);
        const field = page.locator(`[name="${kind.field}"]`).first();
        await field.fill(typed);
        if (!isAsked) await saveName(second, 'Name of the faster window');
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await expect(page.getByText('Saving this has consequences')).toBeVisible();
        if (isAsked) await saveName(second, 'Name of the faster window');
        const faster = await stored();
        expect(faster?.name).toBe('Name of the faster window');
        await page.getByRole('button', { name: 'Save anyway' }).click();
        await expect(page.getByRole('alert').filter({ hasText: 'Someone else' })).toContainText(
          'Someone else saved this while you were editing. Nothing was overwritten',
        );
        expect(await stored()).toEqual(faster);
        await expect(field).toHaveValue(typed);
      });
    }
  });
}
