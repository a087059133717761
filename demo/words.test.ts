import { expect, test } from 'vitest';
import { LANGUAGES } from '#lib/settings/languages.ts';
import { DEMO_TEXTS, type DemoTexts } from './words/demo-texts.ts';

const textsOf = (texts: DemoTexts) =>
  Object.entries(texts).flatMap(([group, of]) =>
    Object.entries(of).map(([name, text]) => [`${group}.${name}`, text] as const),
  );
const english = new Map(textsOf(DEMO_TEXTS.en));
const valuesIn = (text: string) => text.match(/\{\w+\}/g) ?? [];

test.each(LANGUAGES)('the demo has its words in %s, with the values of the English ones', (language) => {
  const texts = textsOf(DEMO_TEXTS[language]);
  expect(texts.map(([name]) => name)).toEqual([...english.keys()]);
  for (const [name, text] of texts) {
    expect(valuesIn(text), name).toEqual(valuesIn(english.get(name) ?? ''));
    // it goes into pages as it is
    expect(text, name).not.toMatch(/['<&"]|^$/);
  }
});

test('no sentence of the demo is left in English', () => {
  const others = LANGUAGES.filter((language) => language !== 'en');
  const left = others.flatMap((language) =>
    textsOf(DEMO_TEXTS[language]).filter(([name, text]) => text.includes(' ') && text === english.get(name)),
  );
  expect(left).toEqual([]);
});
