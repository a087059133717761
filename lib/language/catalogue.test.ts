import { IntlMessageFormat } from 'intl-messageformat';
import { describe, expect, test } from 'vitest';
import { LANGUAGES } from '#lib/settings/languages.ts';
import { findBareNumbers, lackingForms } from '#testing/code/bare-numbers.ts';
import { sourcesIn } from '#testing/code/sources.ts';
import type { Message } from './message.ts';
import { CATALOGUE } from './messages/catalogue.ts';
import { inEnglish, isMessage, wordsOf } from './words.ts';

type Text = readonly [name: string, text: string];
const textsIn = (language: (typeof LANGUAGES)[number]): Text[] =>
  Object.entries(CATALOGUE[language]).flatMap(([group, texts]) =>
    Object.entries(texts).map(([name, text]): Text => [`${group}.${name}`, text]),
  );
const english = textsIn('en');
const others = LANGUAGES.filter((language) => language !== 'en');

/** The arguments of a message, each with its ICU type. */
function argumentsOf(text: string, language: string): string[] {
  const { getAst } = new IntlMessageFormat(text, language, undefined, { ignoreTag: true });
  return getAst()
    .flatMap((part) => ('value' in part && part.type !== 0 ? [`${part.value}:${part.type}`] : []))
    .sort();
}

describe.each(others)('the catalogue in the language %s', (language) => {
  const texts = textsIn(language);

  test('the language file contains exactly the messages of the English file', () => {
    expect(new Set(texts.map(([name]) => name))).toEqual(new Set(english.map(([name]) => name)));
  });

  test('every message is valid ICU and uses the English arguments', () => {
    const theirs = new Map(texts);
    for (const [name, text] of english) {
      const translated = theirs.get(name) ?? '';
      expect(new Set(argumentsOf(translated, language)), name).toEqual(new Set(argumentsOf(text, 'en')));
    }
  });

  test('no message is empty or identical to English', () => {
    const same = new Map(english);
    const alike = texts.filter(([name, text]) => text.trim() === '' || same.get(name) === text);
    // single words can be equal in several languages
    expect(alike.filter(([, text]) => text.split(' ').length > 1 && !/^\{/.test(text))).toEqual([]);
  });
});

/** Synonyms of sign-in and sign-out that must not be used, by language. */
const SECOND_WORDS: Partial<Record<(typeof LANGUAGES)[number], RegExp>> = {
  en: /log(?:ged)?[ -]?(?:in|out)\b/i,
  de: /einlogg|auslogg|login|logout/i,
  fr: /login|logout|se loguer/i,
  es: /login|loguear/i,
  it: /login|logout|effettuar/i,
  'pt-BR': /login|logar|logout/i,
  pl: /login\b|zalogin/i,
  tr: /giriş yap|login/i,
  ja: /サインイン|サインアウト|ログオン/,
  ar: /ولوج/,
};

test.each(LANGUAGES)('%s uses one term for sign-in', (language) => {
  const second = SECOND_WORDS[language];
  expect(second).toBeDefined();
  expect(textsIn(language).filter(([, text]) => second?.test(text))).toEqual([]);
});

/**
 * Synonyms that must not be used for things with a fixed name, by language: sign-in method, second factor,
 * application, revoke.
 */
const SECOND_NAMES: Record<(typeof LANGUAGES)[number], RegExp> = {
  en: /\bways? (?:to|of) sign|second step|\bthe app that\b|withdraw (?:access|it\b)|take it away|\bgo on\b|somebody|whoever/i,
  de: /Anmeldemöglichkeit|Weg der Anmeldung|zweite[nr]? Schritt|\bApplikation|Zugriff zurück/,
  fr: /(?:façon|mode|moyen)s? de (?:se )?conne[xc]|(?:seconde|deuxième) étape|deuxième facteur|\bappli\b/i,
  es: /(?:formas?|modos?|maneras?) de (?:iniciar sesión|inicio)|segundos? pasos?|\bapp\b|clave de acceso/i,
  it: /modi? di acce|modi per accedere|second[oi] passagg/i,
  'pt-BR': /(?:formas?|modos?|maneiras?) de entra|segundas? etapas?|\bapp\b/i,
  pl: /sposob\p{L}* logowania|drugi\p{L}* krok|wycofaj|wycofan\p{L}* dostęp/iu,
  tr: /oturum açma(?:nın diğer)? yol|ikinci (?:bir )?adım|^geri al$|“geri al”/i,
  ja: /段階目|ログイン手段|アプリケイション/,
  ar: /خطوتك الثانية|خطوة ثانية|طريقة الدخول|طريقة دخول|سحب/,
};

test.each(LANGUAGES)('%s uses one term for each concept', (language) => {
  expect(textsIn(language).filter(([, text]) => SECOND_NAMES[language].test(text))).toEqual([]);
});

/** In ICU MessageFormat a straight apostrophe before a brace also disables the next argument. */
test('apostrophes are typographic, in every language', () => {
  const straight = LANGUAGES.flatMap((language) => textsIn(language)).filter(([, text]) =>
    text.includes("'"),
  );
  expect(straight).toEqual([]);
});

test('every plural defines all plural forms of its language', () => {
  for (const language of LANGUAGES)
    expect(textsIn(language).flatMap(([, text]) => lackingForms(text, language))).toEqual([]);
});

test('a number before a noun requires a plural argument', () => {
  // arguments that are never 1: lifetimes of links and codes, and the maximum duration of a delegation
  const constants = ['minutes', 'days'];
  expect(english.flatMap(([, text]) => findBareNumbers(text, constants))).toEqual([]);
});

test('the code uses every message of the catalogue', () => {
  const code = sourcesIn('lib', 'app', 'cli')
    .filter(({ file }) => !file.startsWith('lib/language/messages/') && !file.endsWith('.test.ts'))
    .map(({ text }) => text)
    .join('\n');
  const unused = english
    .filter(([name]) => !code.includes(`'${name}'`))
    .map(([name]) => `nothing says ${name}: use it, or delete it from every language.`);
  expect(unused).toEqual([]);
});

test('message arguments accept text or elements, without parsing markup or ICU syntax', () => {
  const de = wordsOf('de');
  expect(de.t('consent.heading', { client: 'Shop', api: 'Orders' })).toBe('Shop möchte Zugriff auf Orders');
  const element = { of: 'a page' };
  expect(de.parts('consent.heading', { client: element, api: 'Orders' })).toEqual([
    element,
    ' möchte Zugriff auf Orders',
  ]);
  const hostile = '<img src=x> {api} {0, plural, other {#}}';
  expect(de.t('consent.heading', { client: hostile, api: 'Orders' })).toBe(
    `${hostile} möchte Zugriff auf Orders`,
  );
});

test('plural forms in messages follow the language’s rules', () => {
  const spare = (language: (typeof LANGUAGES)[number], days: number) =>
    wordsOf(language).t('factor.spare', { days });
  expect(spare('en', 1)).toBe('Do not ask in this browser for a day');
  expect(spare('en', 30)).toBe('Do not ask in this browser for 30 days');
  expect(spare('pl', 3)).toContain('3 dni');
  expect(spare('ar', 2)).toContain('ليومين');
  expect(spare('ja', 7)).toContain('7 日間');
});

test('plurals also work in English sentences outside the catalogue', () => {
  const text = 'The two clocks are at most {seconds, plural, one {# second} other {# seconds}} apart.';
  expect(inEnglish({ text, values: { seconds: 1 } })).toBe('The two clocks are at most 1 second apart.');
  expect(inEnglish({ text, values: { seconds: 2 } })).toBe('The two clocks are at most 2 seconds apart.');
  expect(inEnglish({ text: 'No run yet.' })).toBe('No run yet.');
});

test('only Arabic uses right-to-left direction', () => {
  expect(LANGUAGES.filter((language) => wordsOf(language).direction === 'rtl')).toEqual(['ar']);
});

test('page text: codes and messages are translated, and plain text is unchanged', () => {
  const { told, sentence } = wordsOf('fr');
  expect(told('sign_in.wrong')).toBe('L’e-mail ou le mot de passe est incorrect.');
  expect(told({ code: 'sign_in.wrong' })).toBe('L’e-mail ou le mot de passe est incorrect.');
  expect(told({ text: 'redirect_uri is repeated.' })).toBe('redirect_uri is repeated.');
  const short = { code: 'new_password.short', values: { least: 12 } } as const;
  expect(sentence(short)).toBe('Un mot de passe a au moins 12 caractères.');
  expect(wordsOf('en').told(short)).toBe('a password has at least 12 characters');
  expect(wordsOf('en').sentence(short)).toBe('A password has at least 12 characters.');
});

test('a valid message has a catalogue code and every argument value', () => {
  expect(isMessage({ code: 'sign_in.wrong' })).toBe(true);
  expect(isMessage({ code: 'new_password.short', values: { least: 12 } })).toBe(true);
  expect(isMessage({ code: 'new_password.short' })).toBe(false);
  expect(isMessage({ code: 'constructor' })).toBe(false);
  // @ts-expect-error a value is missing
  const missing: Message = { code: 'new_password.short' };
  // @ts-expect-error the text requires another value
  const wrong: Message = { code: 'new_password.short', values: { most: 12 } };
  expect([missing, wrong].filter(isMessage)).toEqual([]);
});
