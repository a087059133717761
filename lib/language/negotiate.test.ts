import { expect, test } from 'vitest';
import { languageOf } from './negotiate.ts';

test('the language is chosen in this order: request, user choice, profile, Accept-Language header', () => {
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
])('Accept-Language %s selects the language %s', (acceptLanguage, language) => {
  expect(languageOf({ acceptLanguage }, 'es')).toBe(language);
});

test('ui_locales can list several languages in order of preference', () => {
  expect(languageOf({ uiLocales: 'el tr de' }, 'en')).toBe('tr');
  expect(languageOf({ uiLocales: 'ja-JP-u-ca-japanese' }, 'en')).toBe('ja');
});

test.each(['de_DE', 'de_AT.UTF-8', 'de-DE,en', 'de_DE,en_GB', 'se de', 'xx, de_CH@euro fr', '\u0000,de'])(
  'OpenID Connect Core §3.1.2.1: %j selects German as ui_locales, profile locale and Accept-Language',
  (text) => {
    const [first = ''] = text.split(/[ ,]+/).filter((tag) => /^de/.test(tag));
    expect(languageOf({ uiLocales: text }, 'en')).toBe('de');
    expect(languageOf({ profile: first }, 'en')).toBe('de');
    expect(languageOf({ acceptLanguage: first }, 'en')).toBe('de');
  },
);

test('unsupported language tags cause no error', () => {
  for (const text of ['se', 'pt_', '_', 'de__', 'de_DE_'.repeat(300)])
    expect(languageOf({ uiLocales: text, acceptLanguage: text }, 'tr'), text.slice(0, 9)).toMatch(
      /^(tr|de|pt-BR)$/,
    );
  expect(languageOf({ uiLocales: 'pt_BR' }, 'en')).toBe('pt-BR');
});

test('hostile language values never cause an error', () => {
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
  for (const text of texts)
    expect(languageOf({ uiLocales: text, profile: text, acceptLanguage: text }, 'en')).toMatch(/^(en|de)$/);
});
