// CONTEXT.md has one word for each thing; its column "not" lists the words that are not used for it. One in parentheses
// is wrong in that meaning only, which no test can tell. The others must not be part of a name in the code.
import { expect, test } from 'vitest';
import { declaredNamesOf, isTest, sourcesIn, textOf } from '#testing/code/sources.ts';

/** Names that HTTP, OAuth and OpenID Connect use. */
const STANDARD_NAMES = [
  'ApplicationType',
  'applicationType',
  'applicationTypeOf',
  'login',
  'loginHint',
  'LoginRequired',
  'userAgent',
  'userInfo',
];

const forbidden = forbiddenWords(textOf('CONTEXT.md'));
const anyForbidden = new RegExp(
  `(^|-)(${forbidden.map((word) => word.replaceAll(' ', '-')).join('|')})s?(-|$)`,
);

test('the words are read from CONTEXT.md', () => {
  expect(forbidden).toEqual(expect.arrayContaining(['tenant', 'identity provider', 'first-party', 'user']));
  expect(forbidden).not.toContain('session');
});

test('no name in the code contains a word that CONTEXT.md forbids', () => {
  const found = sourcesIn('lib', 'app', 'cli', 'server.ts', 'serve.ts', 'proxy.ts', 'instrumentation.ts')
    .filter(({ file }) => !isTest(file))
    .flatMap((source) => [...declaredNamesOf(source)].map((name) => ({ file: source.file, name })))
    // snake_case names are those of the wire and the database
    .filter(({ name }) => !STANDARD_NAMES.includes(name) && !name.includes('_') && isForbidden(name));
  expect(found.map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
});

function forbiddenWords(context: string): string[] {
  const rows = context.split('\n').filter((line) => line.startsWith('| **'));
  return rows
    .map((row) => row.split('|')[3] ?? '')
    .flatMap((cell) => cell.replaceAll(/\([^)]*\)/g, '').split(','))
    .map((word) => word.trim().toLowerCase())
    .filter((word) => word !== '');
}

/** Whole words, in the singular or the plural: `tenant` is in `ownTenants`, `app` is not in `mapper`. */
function isForbidden(name: string): boolean {
  const words = name.replaceAll(/([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$3-$2').toLowerCase();
  return anyForbidden.test(words);
}
