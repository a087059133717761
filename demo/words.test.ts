import { expect, test } from 'vitest';
import { LANGUAGES } from '#lib/settings/languages.ts';
import { DEMO_TEXTS, type DemoTexts } from './words/demo-texts.ts';

const textsOf = (texts: DemoTexts) =>
  Object.entries(texts).flatMap(([group, of]) =>
    Object.entries(of).map(([name, text]) => [`${group}.${name}`, text] as const),
  );
const english = new Map(textsOf(DEMO_TEXTS.en));
const valuesIn = (text: string) => text.match(/\{\w+\}/g) ?? [];

test.each(LANGUAGES)('demo texts exist in %s and use the English placeholders', (language) => {
  const texts = textsOf(DEMO_TEXTS[language]);
  expect(texts.map(([name]) => name)).toEqual([...english.keys()]);
  for (const [name, text] of texts) {
    expect(valuesIn(text), name).toEqual(valuesIn(english.get(name) ?? ''));
    // the texts contain no special characters, because pages insert them without escaping
    expect(text, name).not.toMatch(/['<&"]|^$/);
  }
});

test('every demo sentence is translated', () => {
  const others = LANGUAGES.filter((language) => language !== 'en');
  const left = others.flatMap((language) =>
    textsOf(DEMO_TEXTS[language]).filter(([name, text]) => text.includes(' ') && text === english.get(name)),
  );
  expect(left).toEqual([]);
});
