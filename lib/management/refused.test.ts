import { expect, test } from 'vitest';
import { CATALOGUE } from '#lib/language/messages/catalogue.ts';
import { refusalsEn } from '#lib/language/messages/en/refusals.ts';
import { isMessage } from '#lib/language/words.ts';
import { roomOf } from '#testing/code/rooms.ts';
import { sourcesIn } from '#testing/code/sources.ts';
import { englishOf, FOR_OPERATORS, kindOfRefusal, OWN_ACCOUNT, type RefusedCode } from './refused.ts';

const people = Object.keys(OWN_ACCOUNT) as (keyof typeof OWN_ACCOUNT)[];
const operators = Object.keys(FOR_OPERATORS) as (keyof typeof FOR_OPERATORS)[];

/** The English text with its placeholders. */
function textIn(code: string): string {
  const [group = '', name = ''] = code.split('.');
  return (CATALOGUE.en as Record<string, Record<string, string>>)[group]?.[name] ?? '';
}

/** Source files outside lib/language, because its files contain codes as keys. */
const sources = sourcesIn('lib', 'app', 'cli').filter(
  ({ file }) => !/\.test\.tsx?$|^lib\/language\//.test(file),
);
/** The source without the keys of the tables of codes, because a key shows no place that throws the error. */
const code = sources
  .map(({ file, text }) =>
    file === 'lib/management/refused.ts' ? text.replaceAll(/^ {2}'[\w.]+':/gm, '') : text,
  )
  .join('\n');

test('every error code of the list is thrown by at least one operation', () => {
  const isThrown = (one: string) =>
    code.includes(`'${one}'`) || (one.startsWith('holdings.') && code.includes('`holdings.$'));
  const missing = [...people, ...operators]
    .filter((one) => !isThrown(one))
    .map((one) => `${one} is thrown nowhere: throw it, or delete it and its text.`);
  expect(missing).toEqual([]);
});

test('every error text about accounts has a code with kind or field', () => {
  const texts = Object.entries(refusalsEn).flatMap(([group, of]) =>
    Object.keys(of).map((name) => `${group}.${name}`),
  );
  const without = texts
    .filter((one) => !Object.hasOwn(OWN_ACCOUNT, one) && !code.includes(`'${one}'`))
    .map((one) => `${one} has a text and no code: add it to OWN_ACCOUNT in refused.ts, or delete the text.`);
  expect(without).toEqual([]);
});

test('every account error code has a text in every language and appears in one list', () => {
  const without = people.flatMap((one) => {
    const [group = '', name = ''] = one.split('.');
    return Object.entries(CATALOGUE)
      .filter(([, messages]) => !(messages as Record<string, Record<string, string>>)[group]?.[name])
      .map(([language]) => `${one} has no text in ${language}: add it to messages/${language}/refusals.ts.`);
  });
  expect(without).toEqual([]);
  expect(operators.filter((code) => isMessage({ code, values: EVERY_VALUE }))).toEqual([]);
});

const EVERY_VALUE = Object.fromEntries(
  [...people.map((one) => textIn(one)), ...operators.map((one) => FOR_OPERATORS[one][1])].flatMap((text) =>
    [...text.matchAll(/\{(\w+)/g)].map(([, name = '']) => [name, 'x']),
  ),
);

test('English error text uses every value, and each error has a kind', () => {
  for (const one of [...people, ...operators] as RefusedCode[]) {
    const text = englishOf(one, EVERY_VALUE);
    expect(text, one).not.toMatch(/[{}]/);
    expect(text, one).not.toBe('');
    expect(kindOfRefusal(one), one).toBeDefined();
  }
});

/** Files with operations on the user's own account, and the second step of the console, which is not an operation. */
const ownFiles = sources.filter(
  ({ file, text }) =>
    file === 'lib/management/console-sign-in.ts' ||
    (roomOf(file) === 'management' && text.includes("right: 'account.")),
);

/** Codes about the caller, programs or administrators. Account pages never display them. */
const IN_ENGLISH = new Set<string>(['method.without_password', 'person.elsewhere', 'person.disabled']);

test('errors of account operations are translated into every language', () => {
  expect(ownFiles.length).toBeGreaterThan(5);
  const thrown = ownFiles.flatMap(({ text }) =>
    [...text.matchAll(/(?:new Refused\(|faultAt\([^,]+, )'([\w.]+)'/g)].map(([, one = '']) => one),
  );
  expect(thrown.length).toBeGreaterThan(50);
  const english = thrown
    .filter((one) => !Object.hasOwn(OWN_ACCOUNT, one) && !IN_ENGLISH.has(one))
    .map((one) => `${one} is English alone: move it to OWN_ACCOUNT, with its text in every language.`);
  expect(english).toEqual([]);
});
