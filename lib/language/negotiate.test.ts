import { expect, test } from 'vitest';
import { languageOf } from './index.ts';

test('the request comes before the choice, the choice before the profile, the profile before the header', () => {
  const all = { uiLocales: 'ja', chosen: 'pl', profile: 'it', acceptLanguage: 'fr' } as const;
  expect(languageOf(all, 'tr')).toBe('ja');
  expect(languageOf({ ...all, uiLocales: null }, 'tr')).toBe('pl');
  expect(languageOf({ ...all, uiLocales: 'xx', chosen: null }, 'tr')).toBe('it');
  expect(languageOf({ acceptLanguage: 'fr' }, 'tr')).toBe('fr');
  expect(languageOf({}, 'tr')).toBe('tr');
});

test.each([
  ['de-AT,de;q=0.9,en;q=0.8', 'de'],
  ['en;q=0.5, pl', 'pl'],
  ['nl, de;q=0.4', 'de'],
  ['pt-PT', 'pt-BR'],
  ['pt', 'pt-BR'],
  ['ar-EG', 'ar'],
  ['EN-us', 'en'],
  ['de;q=0, fr;q=0.1', 'fr'],
  ['*', 'es'],
  ['el', 'es'],
  ['', 'es'],
])('Accept-Language %s is answered in %s', (acceptLanguage, language) => {
  expect(languageOf({ acceptLanguage }, 'es')).toBe(language);
});

test('ui_locales names several, the best first', () => {
  expect(languageOf({ uiLocales: 'el tr de' }, 'en')).toBe('tr');
  expect(languageOf({ uiLocales: 'ja-JP-u-ca-japanese' }, 'en')).toBe('ja');
});

test('what is hostile neither fails nor costs anything', () => {
  const texts = [
    'x'.repeat(5_000),
    Array.from({ length: 10_000 }, (_, at) => `a${String.fromCharCode(97 + (at % 26))}-${at}`).join(' '),
    Array.from({ length: 10_000 }, () => 'sw').join(','),
    'de-'.repeat(2_000),
    ',;=q,;;q=q=1,*;q=9e999',
    'en-x-x en-a-a-a i-klingon zz-ZZ-zz',
    '\u0000\uD800',
    '__proto__ constructor toString',
    '-'.repeat(5_000),
  ];
  const started = performance.now();
  for (let round = 0; round < 10; round += 1) {
    for (const text of texts) languageOf({ uiLocales: text, profile: text, acceptLanguage: text }, 'en');
  }
  expect((performance.now() - started) / (10 * texts.length)).toBeLessThan(10);
});
