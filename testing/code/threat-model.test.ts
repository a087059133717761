// Proofs that docs/concepts/threat-model.md cites: each case is in a test title, and each file exists and contains
// the quoted title.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const page = read('docs/concepts/threat-model.md');
const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0');

/** The rows of the tables of threats: threat, defence, proof. */
const rows = page
  .slice(page.indexOf('## Threats and defences'), page.indexOf('## Not defended'))
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (?:threat |-)/.test(line))
  .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| *| *\|$/g, '').trim()));

const idsIn = (text: string): string[] =>
  [...text.matchAll(/\b([A-Z]{2})-(\d{2})(?: to (?:[A-Z]{2}-)?(\d{2}))?/g)].flatMap(([, group, from, to]) =>
    [Number(from), Number(to ?? from)].map((number) => `${group}-${String(number).padStart(2, '0')}`),
  );

/** Files for a name in the page: a file name or path, `*` matches any characters. */
function filesNamed(name: string): string[] {
  const pattern = name
    .split('*')
    .map((part) => RegExp.escape(part))
    .join('[^/]*');
  return files.filter((file) => new RegExp(`(?:^|/)${pattern}$`).test(file));
}

test('each row of the threat model names a threat, a defence and a proof', () => {
  expect(rows.length).toBeGreaterThan(80);
  expect(rows.filter((cells) => cells.length !== 3 || cells.some((cell) => cell === ''))).toEqual([]);
});

test('node scripts/cases.mjs lists each case of the threat model', () => {
  const cases = new Set(read('e2e/cases.txt').match(/^[A-Z]{2}-\d{2}(?= P\d$)/gm));
  const named = rows.flatMap(([, , shown = '']) => idsIn(shown));
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter((id) => !cases.has(id))).toEqual([]);
});

test('each test file that the threat model names exists and contains the cited title', () => {
  const wrong = rows.flatMap(([, , shown = '']) =>
    [...shown.matchAll(/`([\w./*-]+\.(?:test|spec)\.ts)`(?: "([^"]+)")?/g)].flatMap(
      ([, name = '', title]) => {
        const found = filesNamed(name);
        if (found.length === 0) return [`${name}: there is no such file`];
        if (found.length > 1 && !name.includes('*')) return [`${name}: several files have this name`];
        const has = title === undefined || found.some((file) => read(file).includes(title));
        return has ? [] : [`${name}: no test is called "${title}"`];
      },
    ),
  );
  expect(wrong).toEqual([]);
});

test.each([
  'LDAP',
  'DPoP',
  'PAR',
  'device',
  'forward auth',
  'gateway',
  'import',
  'former issuer',
  'preset',
  'package',
])('the threat model covers threats of every part of the service: %s', (part) => {
  expect(page.toLowerCase()).toContain(part.toLowerCase());
});
