import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { lexer, type Token, type Tokens, walkTokens } from 'marked';
import { expect, test } from 'vitest';
import { listResources } from '#lib/management-api/resources.ts';
import { routes } from '#lib/management-api/routes.ts';
import { sections } from '#lib/reference/described.ts';
import { FILES, MOVED, SERVED, withAddresses } from './addresses.ts';
import { endpointTitle } from './endpoints.tsx';
import { addressOf, allGuides, everyPage, findGuide, guideGroups, languageOf } from './guides.tsx';

test('every document of docs/ is a page, under one heading of docs/README.md', () => {
  const all = readdirSync('docs', { recursive: true, encoding: 'utf8' });
  expect(all.filter((file) => /^[^/]+\.md$/.test(file))).toEqual(['README.md']);
  const files = all.filter((file) => /^(?!endpoints|snippets)[\w-]+\/[\w-]+\.md$/.test(file));
  const listed = everyPage().map(({ file }) => file);
  const missing = files.filter((file) => !listed.includes(file));
  expect(missing.map((file) => `add a row for ${file} to docs/README.md`)).toEqual([]);
  const guides = allGuides().map(({ id }) => id);
  expect(new Set(guides).size).toBe(guides.length);
  expect(guideGroups().length).toBeGreaterThan(3);
});

test('pages for contributors have an address, but no place in the menu', () => {
  const listed = allGuides().map(({ file }) => file);
  const others = everyPage().filter(({ file }) => !listed.includes(file));
  expect(others.map(({ id }) => id)).toEqual(
    expect.arrayContaining(['changelog', 'contributing', 'decisions', '0010-hosted-pages', 'reliability']),
  );
  expect(listed.filter((file) => file.startsWith('project/'))).toEqual([]);
});

test('contract 10: guides use this service’s package URLs', () => {
  const at = { baseUrl: 'https://login.example.org', authUrl: 'https://login.example.org' };
  const code = allGuides().map(({ file, tokens }) => withAddresses(JSON.stringify(tokens), file, at));
  expect(code.join()).toContain(`npm install ${at.baseUrl}/packages/gatehouse-verify.tgz`);
  expect(code.join()).not.toMatch(/\.example\/packages\//);
});

test.each([
  [
    'http://localhost:3000/auth/local/api/orders',
    'how-to/connect-a-client.md',
    'https://a.test/auth/local/api/orders',
  ],
  ['http://localhost:3000/api/v1', 'reference/management-api.md', 'https://b.test/api/v1'],
  ['http://localhost:3000/admin', 'start/spa.md', 'http://localhost:3000/admin'],
  ['BASE_URL=https://login.example', 'operate/deploy-node.md', 'BASE_URL=https://login.example'],
  ['{auth_url}/auth/callback', 'how-to/brokers.md', 'https://a.test/auth/callback'],
  ['https://auth.example.com', 'how-to/renew-silently.md', 'https://auth.example.com'],
  ['at https://auth.example.', 'how-to/bind-tokens-dpop.md', 'at https://a.test.'],
  ['rd=https%3A%2F%2Fauth.example%2Fauth', 'how-to/known-software.md', 'rd=https%3A%2F%2Fa.test%2Fauth'],
  ['["auth.example"]', 'how-to/known-software.md', '["a.test"]'],
])('the page renders the example address %s of %s for this service', (text, file, shown) => {
  expect(withAddresses(text, file, { baseUrl: 'https://b.test', authUrl: 'https://a.test' })).toBe(shown);
});

test('every guide has a title and a summary', () => {
  for (const { id, title, about } of allGuides()) {
    expect(title, id).not.toBe(id);
    expect(about, id).not.toBe('');
  }
  expect(new Set(allGuides().map(({ title }) => title)).size).toBe(allGuides().length);
});

/**
 * Matches links to the README of a source folder. The service does not serve these files, because
 * contributors have the repository.
 */
const SOURCES = /^(?:\.\.\/)*(?:lib|testing|e2e|scripts|packages)\/.*README\.md$/;

test('every link and picture of a page has an address on the service', () => {
  const dead: string[] = [];
  for (const page of everyPage())
    walkTokens(page.tokens, (token: Token) => {
      if (token.type !== 'link' && token.type !== 'image') return;
      const address = addressOf(token as Tokens.Link);
      const [, id, anchor] = /^(?:\/documentation\/guides\/([\w-]+))?(?:#(.+))?$/.exec(address ?? '') ?? [];
      const target = id === undefined ? page : findGuide(id);
      const isDead = anchor !== undefined && !target?.headings.some((heading) => heading.id === anchor);
      if (address === null ? !(page.file === '../CONTRIBUTING.md' && SOURCES.test(token.href)) : isDead)
        dead.push(`docs/${page.file}: ${token.href}`);
    });
  expect(dead).toEqual([]);
});

test('every file that the documentation serves exists', () => {
  for (const file of [...Object.values(FILES), ...Object.keys(SERVED)])
    expect(existsSync(file), file).toBe(true);
});

test('a former page name leads to an existing page', () => {
  const dead = Object.entries(MOVED).filter(([name, successor]) => {
    return findGuide(name) || !findGuide(successor);
  });
  expect(dead).toEqual([]);
});

test('the page renders every Markdown token type of the guides', () => {
  // token types that guides.tsx renders, and types for space and comments, which it skips
  const known = new Set(
    'heading paragraph text code list list_item table blockquote hr space html def codespan strong em link br escape image'.split(
      ' ',
    ),
  );
  const strange = new Set<string>();
  for (const { tokens } of everyPage())
    walkTokens(tokens, ({ type }: Token) => {
      if (!known.has(type)) strange.add(type);
    });
  expect([...strange]).toEqual([]);
  expect(lexer('~~no~~')[0]).toMatchObject({ tokens: [{ type: 'del' }] });
});

test('every code block shows its language', () => {
  const unknown = new Set<string>();
  for (const { tokens } of everyPage())
    walkTokens(tokens, (token: Token) => {
      if (token.type === 'code' && !languageOf(token.lang)) unknown.add(String(token.lang));
    });
  expect([...unknown]).toEqual([]);
});

test('pages and anchors of endpoints and resources are unique', () => {
  const endpoints = sections.flatMap((section) => section.endpoints);
  const resources = listResources();
  const operations = resources.flatMap((resource) => resource.operations);
  for (const names of [
    endpoints.map(endpointTitle),
    [...endpoints, ...resources].map(({ id }) => id),
    operations.map(({ id }) => id),
  ])
    expect(new Set(names).size).toBe(names.length);
  expect(operations).toHaveLength(routes.length);
});

test('documentation links on other pages lead to existing pages and headings', () => {
  const files = readdirSync('app', { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(?<!\.test)\.tsx?$/.test(file),
  );
  const links = files.flatMap((file) => [
    ...readFileSync(`app/${file}`, 'utf8').matchAll(
      /"\/documentation(?:\/guides\/([\w-]+))?(?:#([\w-]+))?"/g,
    ),
  ]);
  expect(links.length).toBeGreaterThan(5);
  const dead = links.filter(([, id, anchor]) => {
    const anchors =
      id === undefined ? ['guides', 'endpoints'] : findGuide(id)?.headings.map((heading) => heading.id);
    return !anchors || (anchor !== undefined && !anchors.includes(anchor));
  });
  expect(dead.map(([link]) => link)).toEqual([]);
});
