// docs/reference/specifications.md: each row about a supported specification names tests, and these tests cite the
// specification.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { lexer, type Tokens } from 'marked';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const page = readFileSync(path.join(root, 'docs/reference/specifications.md'), 'utf8');
const tables = lexer(page).filter((token): token is Tokens.Table => token.type === 'table');
const withTests = tables.filter(({ header }) => header.at(-1)?.text === 'tests');
const rows = withTests.flatMap(({ rows: all }) => all.map((cells) => cells.map(({ text }) => text)));

/** Returns the text of the first link: `RFC 6749`, `Back-Channel Logout`. */
const nameOf = (cell: string) => /^\[([^\]]+)\]/.exec(cell)?.[1] ?? '';
const plain = (text: string) => text.toLowerCase().replaceAll(/[\s-]+/g, ' ');

test('docs/reference/specifications.md lists the specifications in three tables that name tests', () => {
  expect(withTests.length).toBe(3);
  expect(rows.length).toBeGreaterThan(30);
});

test.each(rows)('%s (%s): each test file exists and cites the specification', (specification, ...cells) => {
  const [supported = '', limits = '', tests = ''] = cells;
  expect(nameOf(specification)).not.toBe('');
  expect(['yes', 'partly']).toContain(supported);
  if (supported === 'partly') expect(limits).not.toBe('');
  const files = [...tests.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file);
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) {
    expect(file).toMatch(/\.(?:test|spec)\.ts$/);
    expect(existsSync(path.join(root, file)), file).toBe(true);
    expect(plain(readFileSync(path.join(root, file), 'utf8')), file).toContain(plain(nameOf(specification)));
  }
});

test('the table of unsupported specifications contains the names that readers search for', () => {
  const unsupported = page.slice(page.indexOf('## Not supported'));
  for (const name of ['Implicit', 'hybrid', 'JAR', 'mTLS', 'Front-Channel Logout', 'SAML', 'SCIM'])
    expect(unsupported).toContain(name);
});
