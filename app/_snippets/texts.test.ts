import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { filledSnippet } from './texts.ts';

const FOLDER = 'docs/snippets';
const files = readdirSync(FOLDER, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name !== 'README.md')
  .map(({ parentPath, name }) => `${parentPath}/${name}`.slice(FOLDER.length + 1));
const read = (file: string) => readFileSync(file, 'utf8');
const sources = ['snippets', 'protection'].map((name) => read(`app/_snippets/${name}.ts`)).join('');
const texts = files.map((file) => read(`${FOLDER}/${file}`));

test('every snippet file is shown or included, and every included file exists', () => {
  const shown = [...sources.matchAll(/file: '([^']+)'/g)].map(([, file]) => file);
  const included = texts.flatMap((text) => [...text.matchAll(/\{\{>([^}]+)\}\}/g)].map(([, file]) => file));
  expect(files.toSorted()).toEqual([...new Set([...shown, ...included])].toSorted());
  expect(files.length).toBeGreaterThan(20);
});

test('the README lists exactly the placeholder spellings that the snippet files use', () => {
  const ways = new Set(
    texts.flatMap((text) => [...text.matchAll(/\{\{\w+:(\w+)\}\}/g)].map(([, how]) => how)),
  );
  const listed = [...read(`${FOLDER}/README.md`).matchAll(/^\| `\{\{\w+:(\w+)\}\}`/gm)].map(([, how]) => how);
  expect(listed.toSorted()).toEqual([...ways].toSorted());
});

test('every value for snippets is used by a snippet', () => {
  const [, names = ''] =
    /function valuesFor[\s\S]*?return \{([\s\S]*?)\n {2}\} satisfies/.exec(sources) ?? [];
  const values = [...names.matchAll(/^ {4}(\w+)[,:]/gm)].map(([, name]) => name);
  expect(values.length).toBeGreaterThan(20);
  const places = new Set(
    texts.flatMap((text) => [...text.matchAll(/\{\{[#^]?(\w+)/g)].map(([, name]) => name)),
  );
  expect(values.filter((name) => !places.has(name))).toEqual([]);
});

test.each([
  "https://a.example/'x",
  'https://a.example/`id`',
  'https://a.example/$(id)',
  'https://a.example/ x',
  'https://a.example/;return',
  'https://a.example/{}',
  'https://a.example/\nx',
  'https://a.example/"x',
])('nginx reads the address %j as one word, or the snippet is rejected', (verify) => {
  const given = { metadata: '', scope: '', opaque: false, secure: false, verify };
  if (verify.includes("'"))
    expect(filledSnippet('protect/nginx.conf', given).code).toContain(`proxy_pass ${verify};`);
  else expect(() => filledSnippet('protect/nginx.conf', given)).toThrow('needs quotes');
});

test('a snippet with a missing value throws an error', () => {
  expect(() => filledSnippet('protect/express.mjs', { metadata: 'x', scope: '' })).toThrow(
    'no value for opaque',
  );
});
