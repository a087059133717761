// CONTEXT.md has one word for each thing; its column "not" lists the words that are not used for it. One in parentheses
// is wrong in that meaning only, which no test can tell. The others must not be part of a name in the code.
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commentsIn, declaredNamesOf, isTest, sourcesIn, textOf } from '#testing/code/sources.ts';

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

/** Words that a reader stops at, and what is written instead. `stands for` and `stands in for` are good English. */
const PLAIN: Readonly<Record<string, string>> = {
  whoever: 'the caller, the person who, each client that',
  whom: 'the person that',
  somebody: 'a person, a caller, another client',
  nobody: 'no one, no caller, without a session',
  'all the same': 'still, too',
  'by now': 'now, since',
  'stands?(?! (?:in )?for)': 'is, has, remains',
  besides: 'as well, beside',
  anew: 'again',
  alone: 'only, by itself',
  'goes? on': 'continues, remains, follows',
  whatever: 'every, any, also if',
};
const notPlain = new RegExp(`\\b(?:${Object.keys(PLAIN).join('|')})\\b`, 'i');

const AT_THE_TOP = [
  'server.ts',
  'serve.ts',
  'proxy.ts',
  'instrumentation.ts',
  'next.config.mjs',
  'playwright.config.ts',
  'vitest.config.ts',
];

const comments = commentsIn(
  'lib',
  'app',
  'cli',
  'demo',
  'e2e',
  'prisma',
  'scripts',
  'delivery',
  'packages/verify/src',
  'testing',
  ...AT_THE_TOP,
);

test('comments are in plain words', () => {
  const found = comments.flatMap(({ file, line, text }) => {
    const word = notPlain.exec(text)?.[0];
    if (word === undefined) return [];
    const [, instead] =
      Object.entries(PLAIN).find(([one]) => new RegExp(`^${one}`, 'i').test(`${word} `)) ?? [];
    return [`${file}:${line} says “${word}”: write ${instead}`];
  });
  expect(found).toEqual([]);
});

test('decision records, SECURITY.md and CHANGELOG.md are in plain words', () => {
  const files = readdirSync('docs/decisions').map((file) => `docs/decisions/${file}`);
  const found = [...files, 'CHANGELOG.md', 'SECURITY.md'].flatMap((file) =>
    textOf(file)
      .split('\n')
      .flatMap((text, at) => {
        const word = notPlain.exec(text)?.[0];
        return word === undefined ? [] : [`${file}:${at + 1} says “${word}”`];
      }),
  );
  expect(found).toEqual([]);
});

const WIDTH = 120;

test(`no comment is wider than ${WIDTH} characters`, () => {
  const wide = comments.filter(({ text, width }) => width > WIDTH && !text.includes('biome-ignore'));
  expect(wide.map(({ file, line, width }) => `${file}:${line} has ${width}`)).toEqual([]);
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
