// Every page, address and form of the console must be listed in e2e/support/console/console-access.ts (case AD-05).
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { PAGES } from '../../e2e/support/console/console-access.ts';
import { FORMS } from '../../e2e/support/console/console-form-access.ts';
import { ADDRESSES } from './_kit/access.ts';
import { REFUSED_PAGE } from './_kit/refused-page.ts';
import { forms as account } from './account/submit/forms.ts';
import { forms as admin } from './admin/submit/forms.ts';
import { forms as developer } from './developer/submit/forms.ts';

const here = path.dirname(new URL(import.meta.url).pathname);
const filesIn = (folder: string) => readdirSync(folder, { recursive: true, encoding: 'utf8' });
const files = filesIn(decodeURIComponent(here));
const addressesOf = (name: string) =>
  files
    .filter((file) => path.basename(file) === name)
    .map((file) => `/${path.dirname(file)}`)
    .filter((address) => address !== REFUSED_PAGE);

const BELOW = '/[[...below]]';
/** Every page address. The route file of an object contains a table of page addresses. */
const pages = (
  await Promise.all(
    addressesOf('page.tsx').map(async (address) => {
      if (!address.endsWith(BELOW)) return [address];
      const { default: page } = await import(path.join(decodeURIComponent(here), address, 'page.tsx'));
      const object = address.slice(0, -BELOW.length);
      return page.steps.map((step: string) => (step === '' ? object : `${object}/${step}`));
    }),
  )
)
  .flat()
  .sort();

it('AD-05: every page file of the console has a row in the table, and every row has a page file', () => {
  expect([...new Set(PAGES.map(([page]) => page))].sort()).toEqual(pages);
});

it('AD-05: the proxy checks permissions of every page, and knows only existing pages', () => {
  const asked = Object.keys(ADDRESSES).map((address) => address.replace(/:(\w+)/g, '[$1]'));
  expect(asked.sort()).toEqual(pages);
});

it('AD-05: every form has a row in the table, and every row has a form', () => {
  const names = (table: object) => Object.keys(table).sort();
  expect(names(FORMS.account)).toEqual(names(account));
  expect(names(FORMS.developer)).toEqual(names(developer));
  expect(names(FORMS.admin)).toEqual(names(admin));
});

it('AD-05: only requests to the addresses of forms change anything', () => {
  const others = addressesOf('route.ts').filter((address) => !address.endsWith('/submit/[form]'));
  expect(others.toSorted()).toEqual([
    '/account/data/file',
    '/admin/audit/file',
    '/admin/preview/mail',
    '/admin/preview/sign-in',
    '/developer/check',
    '/developer/preview/sign-in',
  ]);
});

it('no file has a server action, because it would run at every address, before any check of Gatehouse (docs/project/decisions/0010)', () => {
  const app = path.join(decodeURIComponent(here), '..');
  const sources = filesIn(app).filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.test.ts'));
  expect(sources.length).toBeGreaterThan(100);
  const text = (file: string) => readFileSync(path.join(app, file), 'utf8');
  expect(sources.filter((file) => /['"]use server['"]/.test(text(file)))).toEqual([]);
});
