// Texts of a console page: common texts by key, and sentences by their English text.

import type { MessageValues, Told } from '#lib/language/message.ts';
import { sentencesOf, type Words, wordsOf } from '#lib/language/words.ts';
import type { Language } from '#lib/settings/languages.ts';
import { SENTENCES } from './catalogue.ts';

export type PageWords = Words & {
  /** Translates an English sentence into the reader's language. Sentences with values use ICU MessageFormat. */
  say: (text: string, values?: MessageValues) => string;
  /** Translates a sentence and returns its parts, so that a value can be an element. */
  sayParts: <Value>(text: string, values: Readonly<Record<string, Value>>) => readonly (string | Value)[];
  /** true: the catalogue contains this English sentence in the reader's language */
  translates: (text: string) => boolean;
};

const wordsByLanguage = new Map<Language, PageWords>();

export function pageWordsOf(language: Language): PageWords {
  const pageWords = wordsByLanguage.get(language);
  if (pageWords) return pageWords;
  const words = makeWords(language);
  wordsByLanguage.set(language, words);
  return words;
}

function makeWords(language: Language): PageWords {
  const words = wordsOf(language);
  if (language === 'en') {
    const { text, parts } = sentencesOf('en', {});
    return { ...words, say: text, sayParts: parts, translates: () => false };
  }
  const { text: say, parts: sayParts } = sentencesOf(language, SENTENCES[language]);
  const tellText = (of: Told) =>
    typeof of === 'string' || !('text' in of) || of.lang !== undefined
      ? words.told(of)
      : say(of.text, of.values);
  const translates = (text: string) => Object.hasOwn(SENTENCES[language], text);
  return { ...words, say, sayParts, translates, told: tellText, sentence: tellText };
}
