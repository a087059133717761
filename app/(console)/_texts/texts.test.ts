import { IntlMessageFormat } from 'intl-messageformat';
import { describe, expect, test } from 'vitest';
import { findBareNumbers, lackingForms } from '#testing/code/bare-numbers.ts';
import { everyText } from '#testing/code/every-text.ts';
import { textsOfPage } from '#testing/code/page-texts.ts';
import { isTest, sourcesIn } from '#testing/code/sources.ts';
import { BROWSER_TEXTS, PLAYGROUND_TEXTS } from './browser-texts.ts';
import { SENTENCES } from './catalogue.ts';

const sources = sourcesIn('app/(console)').filter(({ file }) => !isTest(file));
const ofPlayground = sources.filter(
  ({ file, text }) =>
    file.includes('/developer/playground/') &&
    !/_texts\/say\.tsx|#lib\/(?:management|catalogue\/\w+\/operations)/.test(text),
);
const inBrowser = sources.filter(
  (source) => /^'use client'/m.test(source.text) && !ofPlayground.includes(source),
);

// the test reads the sources of the console once
const said = everyText();

function argumentsOf(text: string, language: string): Set<string> {
  const { getAst } = new IntlMessageFormat(text, language, undefined, { ignoreTag: true });
  return new Set(
    getAst().flatMap((part) => ('value' in part && part.type !== 0 ? [`${part.value}:${part.type}`] : [])),
  );
}

const englishArguments = new Map<string, Set<string>>();
function argumentsOfEnglish(text: string): Set<string> {
  const known = englishArguments.get(text) ?? argumentsOf(text, 'en');
  englishArguments.set(text, known);
  return known;
}

test('pages embed every text that browser components use', () => {
  const saidBy = (components: typeof sources) => [
    ...new Set(components.flatMap((source) => textsOfPage(source).said.map(({ text }) => text))),
  ];
  expect([...BROWSER_TEXTS].sort()).toEqual(saidBy(inBrowser).sort());
  expect([...PLAYGROUND_TEXTS].sort()).toEqual(saidBy(ofPlayground).sort());
});

/** Files that contain names of products, which are the same in every language. */
const NAMES = new Set([
  'app/(console)/account/device-name.ts',
  'app/(console)/layout.tsx',
  'app/(console)/_kit/visit.tsx',
]);

test('every console text is translated', () => {
  const unsaid = sources
    .filter(({ file }) => !NAMES.has(file) && !file.includes('/_texts/'))
    .flatMap((source) =>
      textsOfPage(source).unsaid.map(({ line, text }) => `${source.file}:${line} ${text}`),
    );
  expect(unsaid).toEqual([]);
});

test('every text is in ICU MessageFormat', () => {
  for (const text of said) expect(() => argumentsOfEnglish(text), text).not.toThrow();
});

/** Returns the words of a text outside its arguments. A text without words needs no translation. */
const wordsOf = (text: string) =>
  new IntlMessageFormat(text, 'en', undefined, { ignoreTag: true })
    .getAst()
    .flatMap((part) => (part.type === 0 ? (part.value.match(/\p{L}{2,}/gu) ?? []) : []));

/** Sentences; texts without words outside arguments are skipped. */
const translated = said.filter((text) => wordsOf(text).length > 0 || /\{\w+, (?:plural|select)/.test(text));

test('texts with a number before a noun require a plural argument', () => {
  expect(
    translated.filter((text) => !BROWSER_TEXTS.includes(text)).flatMap((text) => findBareNumbers(text)),
  ).toEqual([]);
});

test('browser texts have no plural argument, so no number precedes a noun', () => {
  expect([...BROWSER_TEXTS, ...PLAYGROUND_TEXTS].flatMap((text) => findBareNumbers(text))).toEqual([]);
  expect([...BROWSER_TEXTS, ...PLAYGROUND_TEXTS].filter((text) => text.includes(', plural,'))).toEqual([]);
});

describe.each(Object.entries(SENTENCES))('console texts in the language %s', (language, sentences) => {
  test('the language file contains exactly the sentences of the console', () => {
    const written = new Set(Object.keys(sentences));
    const known = new Set(said);
    expect({
      missing: translated.filter((text) => !written.has(text)),
      unused: [...written].filter((text) => !known.has(text)),
    }).toEqual({ missing: [], unused: [] });
  });

  test('each translation uses every argument of the English sentence, and differs from it', () => {
    for (const [english, text] of Object.entries(sentences)) {
      expect(argumentsOf(text, language), english).toEqual(argumentsOfEnglish(english));
      expect(text.trim()).not.toBe('');
      if (wordsOf(english).length > 3) expect(text).not.toBe(english);
    }
  });

  test('each plural has every form of the language', () => {
    expect(Object.values(sentences).flatMap((text) => lackingForms(text, language))).toEqual([]);
  });
});
