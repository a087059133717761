import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { lexer, type Token, walkTokens } from 'marked';
import { expect, test } from 'vitest';
import { listResources } from '#lib/management-api/resources.ts';
import { routes } from '#lib/management-api/routes.ts';
import { sections } from '#lib/reference/described.ts';
import { MOVED, withServedPackages } from './addresses.ts';
import { endpointTitle } from './endpoints.tsx';
import { allGuides, findGuide, guideGroups, languageOf } from './guides.tsx';

test('every document of docs/ is a guide, under one heading of docs/README.md', () => {
  const files = readdirSync('docs', { recursive: true, encoding: 'utf8' }).filter((file) =>
    /^(?!endpoints|snippets)[\w-]+\/[\w-]+\.md$/.test(file),
  );
  const listed = allGuides().map(({ file }) => file);
  const missing = files.filter((file) => !listed.includes(file));
  expect(missing.map((file) => `add a row for ${file} to docs/README.md`)).toEqual([]);
  expect(new Set(allGuides().map(({ id }) => id)).size).toBe(listed.length);
  expect(guideGroups().length).toBeGreaterThan(3);
});

test('contract 10: guides use this service’s package URLs', () => {
  const base = 'https://login.example.org';
  const code = JSON.stringify(allGuides().map(({ tokens }) => tokens));
  expect(withServedPackages(code, base)).toContain(`npm install ${base}/packages/gatehouse-verify.tgz`);
  expect(withServedPackages(code, base)).not.toMatch(/\.example\/packages\//);
});

test('every guide has title and summary', () => {
  for (const { id, title, about } of allGuides()) {
    expect(title, id).not.toBe(id);
    expect(about, id).not.toBe('');
  }
  expect(new Set(allGuides().map(({ title }) => title)).size).toBe(allGuides().length);
});

test('links between guides lead to existing guides and headings', () => {
  const dead: string[] = [];
  for (const guide of allGuides())
    walkTokens(guide.tokens, (token: Token) => {
      if (token.type !== 'link') return;
      const [file = '', anchor] = String(token.href).split('#');
      if (!/^(?!\w+:)(.*\.md)?$/.test(file)) return;
      const document = path.posix.join(path.posix.dirname(guide.file), file);
      if (file !== '' && !existsSync(`docs/${document}`)) dead.push(`docs/${guide.file}: ${token.href}`);
      if (/^\.\.|decisions|endpoints|README/.test(document)) return;
      const target = file === '' ? guide : allGuides().find((other) => other.file === document);
      if (!target || (anchor !== undefined && !target.headings.some(({ id }) => id === anchor)))
        dead.push(`docs/${guide.file}: ${token.href}`);
    });
  expect(dead).toEqual([]);
});

test('a former page name leads to an existing page and heading', () => {
  const dead = Object.entries(MOVED).filter(([name, successor]) => {
    const [id = '', anchor] = successor.split('#');
    const target = findGuide(id);
    return (
      findGuide(name) ||
      !target ||
      (anchor !== undefined && !target.headings.some(({ id: at }) => at === anchor))
    );
  });
  expect(dead).toEqual([]);
});

test('the page renders every Markdown token type of the guides', () => {
  // token types that guides.tsx renders, plus skipped spaces and comments
  const known = new Set(
    'heading paragraph text code list list_item table blockquote hr space html def codespan strong em link br escape image'.split(
      ' ',
    ),
  );
  const strange = new Set<string>();
  for (const { tokens } of allGuides())
    walkTokens(tokens, ({ type }: Token) => {
      if (!known.has(type)) strange.add(type);
    });
  expect([...strange]).toEqual([]);
  expect(lexer('~~no~~')[0]).toMatchObject({ tokens: [{ type: 'del' }] });
});

test('every code block shows its language', () => {
  const unknown = new Set<string>();
  for (const { tokens } of allGuides())
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
    const anchors = id === undefined ? ['guides'] : findGuide(id)?.headings.map((heading) => heading.id);
    return !anchors || (anchor !== undefined && !anchors.includes(anchor));
  });
  expect(dead.map(([link]) => link)).toEqual([]);
});
