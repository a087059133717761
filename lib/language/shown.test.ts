import { beforeAll, expect, test } from 'vitest';
import { loadSettings } from '#lib/settings/settings.ts';
import { textIn } from './message.ts';
import { wordsOf } from './words.ts';

beforeAll(() => {
  const env = { DATABASE_URL: 'postgres://none/x', GATEHOUSE_SECRET: 'A'.repeat(43), DEFAULT_LANGUAGE: 'fr' };
  loadSettings(env);
});

test.each([
  ['de', { en: 'A', de: 'B' }, { text: 'B' }],
  ['de', { en: 'A', 'de-AT': 'B' }, { text: 'B', lang: 'de-AT' }],
  ['pt-BR', { pt: 'A', 'pt-PT': 'B', en: 'C' }, { text: 'A', lang: 'pt' }],
  ['pt-BR', { en: 'A', 'pt-PT': 'B' }, { text: 'B', lang: 'pt-PT' }],
  ['ja', { en: 'A', fr: 'B', de: 'C' }, { text: 'B', lang: 'fr' }],
  ['ja', { de: 'A', 'en-GB': 'B' }, { text: 'B', lang: 'en-GB' }],
  ['ja', { de: 'A', und: 'B' }, { text: 'B' }],
  ['ja', { nl: 'A', de: 'B' }, { text: 'A', lang: 'nl' }],
  ['ja', 'A', { text: 'A' }],
] as const)(
  'a page in %s shows the text %j in its language, otherwise in DEFAULT_LANGUAGE, English or the first language, and names that language',
  (language, of, shown) => {
    expect(textIn(language, of)).toEqual(shown);
    expect(wordsOf(language).shown(of)).toEqual(shown);
  },
);
