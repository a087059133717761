// A GET request stores a choice (theme, language) only if a page of Gatehouse sent it.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadSettings } from '#lib/settings/settings.ts';
import { htmlPage } from './html-page.ts';

loadSettings({
  DATABASE_URL: 'postgres://none/x',
  GATEHOUSE_SECRET: 'x'.repeat(43),
  BASE_URL: 'https://login.example',
});

const page = htmlPage(async () => null);

async function cookieAfter(query: string, site: string): Promise<string | null> {
  const headers = { host: 'login.example', 'sec-fetch-site': site };
  const request = new Request(`https://login.example/apis?${query}`, { headers });
  return (await page(request, { params: Promise.resolve({}) })).headers.get('set-cookie');
}

test.each(['theme=dark', 'theme=system', 'language=de'])(
  'GET ?%s from another site sets no cookie',
  async (query) => {
    expect(await cookieAfter(query, 'same-origin')).toMatch(/^__Host-gatehouse-(?:theme|language)/);
    expect(await cookieAfter(query, 'cross-site')).toBeNull();
    expect(await cookieAfter(query, 'same-site')).toBeNull();
  },
);

test('every app/ file that stores a choice calls mayKeepChoice, and no route sets cookies', () => {
  const sources = readdirSync('app', { recursive: true, encoding: 'utf8' })
    .filter((file) => /(?<!\.test)\.tsx?$/.test(file))
    .map((file) => ({ file, text: readFileSync(`app/${file}`, 'utf8') }));
  const keeping = sources.filter(({ text }) => /\bkeep(?:Theme|Language)\(/.test(text));
  expect(keeping.map(({ file }) => file).toSorted()).toEqual([
    '(console)/_kit/page-language.ts',
    '_html/html-page.ts',
    '_html/theme.ts',
  ]);
  for (const { file, text } of keeping) expect(text, file).toContain('mayKeepChoice(');
  const routes = sources.filter(({ file }) => /(?:^|\/)route\.tsx?$/.test(file));
  expect(routes.length).toBeGreaterThan(20);
  expect(routes.filter(({ text }) => /set-cookie|cookies\(/i.test(text)).map(({ file }) => file)).toEqual([]);
});
