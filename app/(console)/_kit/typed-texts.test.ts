import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { api } from '#lib/catalogue/apis/definition.ts';
import { newClient } from '#lib/catalogue/clients/definition.ts';
import { Fields, readForm } from './posted.ts';
import { faultInLines, readText, typedText } from './typed-texts.ts';

const german = () => 'de';
const tags = ['en', 'de', 'fr', 'pt-BR', 'und'];

it('a displayed text parses back to the same text, in order', () => {
  const line = fc.string({ minLength: 1 }).map((text) => text.replaceAll(/\s/g, 'x'));
  const texts = fc
    .uniqueArray(fc.tuple(fc.constantFrom(...tags), line), { minLength: 1, selector: ([tag]) => tag })
    .map((entries) => Object.fromEntries(entries));
  fc.assert(
    fc.property(fc.oneof(line, fc.constant(''), texts), (text) => {
      expect(JSON.stringify(readText(typedText(text), german))).toBe(JSON.stringify(text));
    }),
  );
});

test.each([
  ['Orders', '', '', 'Orders'],
  ['Orders', '', ' \n', 'Orders'],
  [
    'Bestellungen',
    '',
    'en: Orders: all\n\n fr :  Commandes',
    { de: 'Bestellungen', en: 'Orders: all', fr: 'Commandes' },
  ],
  ['Orders', 'en', '', { en: 'Orders' }],
  ['', 'en', '', ''],
  ['Orders', 'en', 'Bestellungen', { en: 'Orders', Bestellungen: '' }],
  ['Orders', 'en', 'de: A\nde: B', { en: 'Orders', de: 'A', DE: 'B' }],
])(
  'the text in the main language, %j (%s), and the lines of other languages, %j, are parsed into one text',
  (first, language, lines, text) => {
    expect(readText({ first, language, lines }, german)).toEqual(text);
  },
);

it('of several faulty lines, the first one is returned with its line number and fault', () => {
  const lines = 'de: A\n\nzz: B\nDE: C';
  expect(faultInLines(lines, { zz: 'This is wrong.' })).toEqual({ line: 3, fault: 'This is wrong.' });
  expect(faultInLines(lines, { DE: 'Twice.', zz: 'This is wrong.' })).toEqual({
    line: 3,
    fault: 'This is wrong.',
  });
  expect(faultInLines(lines, {})).toBeUndefined();
});

it('names and descriptions are parsed with languages, including scope descriptions', () => {
  const typed = new Fields([
    ...new URLSearchParams(
      'name=Orders&name.language=en&name.texts=de: Bestellungen&description=&description.texts=&scopes.name=a&scopes.description=A&scopes.language=&scopes.texts=&scopes.name=b&scopes.description=B&scopes.language=en&scopes.texts=de: C',
    ),
  ]);
  expect(readForm(api, typed)).toMatchObject({
    name: { en: 'Orders', de: 'Bestellungen' },
    description: '',
    scopes: [
      { name: 'a', description: 'A' },
      { name: 'b', description: { en: 'B', de: 'C' } },
    ],
  });
  expect(readForm(newClient, new Fields([['name', 'Shop']]))).toMatchObject({ name: 'Shop' });
});
