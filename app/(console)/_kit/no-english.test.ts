// Pages in other languages contain no English text of an operation: each code of a rejection and each notice is
// translated, for each branch of its text.

import { IntlMessageFormat } from 'intl-messageformat';
import { describe, expect, test } from 'vitest';
import { isMessage, messageText } from '#lib/language/words.ts';
import { FOR_OPERATORS, OWN_ACCOUNT, Refused, textOfRefusal } from '#lib/management/refused.ts';
import { LANGUAGES } from '#lib/settings/languages.ts';
import { pageWordsOf } from '../_texts/page-words.ts';
import { problemInWords, refusedInWords, whyOf } from './in-words.ts';
import { NOTICE_IDS, noticeOf, revokedNotice } from './notices.ts';

const RefusedAs = Refused as unknown as new (code: string, values: object) => Refused;

/** Maximum share of English words in a translation, such as API and Client. */
const MOST_ENGLISH = 0.75;
/** A value that no text contains in any language. */
const VALUE = 'Xq7';

/** One set of values for each branch of the text. */
function valuesOf(text: string): Record<string, string | number>[] {
  const parts = new IntlMessageFormat(text, 'en', undefined, { ignoreTag: true }).getAst();
  let sets: Record<string, string | number>[] = [{}];
  for (const part of parts) {
    if (!('value' in part) || part.type === 0) continue;
    const values =
      'options' in part && part.type === 5
        ? Object.keys(part.options)
        : [part.type === 6 || part.type === 2 ? 3 : VALUE];
    sets = sets.flatMap((set) => values.map((value) => ({ ...set, [part.value]: value })));
  }
  return sets;
}

const codes = [...Object.keys(FOR_OPERATORS), ...Object.keys(OWN_ACCOUNT)] as Parameters<
  typeof textOfRefusal
>[0][];
const textOf = (code: (typeof codes)[number]) =>
  Object.hasOwn(OWN_ACCOUNT, code) ? messageText('en', code) : textOfRefusal(code);
const whole = codes.filter((code) => !textOf(code).includes('{why}'));
const refusalsOf = (code: (typeof codes)[number]) =>
  valuesOf(textOf(code)).map((values) => new RefusedAs(code, values));

/** English words of three letters or more, without values. */
const wordsIn = (text: string) => new Set(text.replaceAll(VALUE, '').match(/\p{L}{3,}/gu) ?? []);

/** Share of English words that the translation contains. */
function shareOf(english: string, text: string): number {
  const [words, translated] = [[...wordsIn(english)], wordsIn(text)];
  return words.length === 0 ? 0 : words.filter((word) => translated.has(word)).length / words.length;
}

describe.each(LANGUAGES.filter((language) => language !== 'en'))('%s', (language) => {
  const words = pageWordsOf(language);

  test.each(whole)('the rejection %s is translated, alone and in a list of problems', (code) => {
    for (const refused of refusalsOf(code)) {
      if (!isMessage(refused)) expect(words.translates(textOfRefusal(code)), code).toBe(true);
      for (const text of [refusedInWords(words, refused), problemInWords(words, { why: whyOf(refused) })]) {
        expect(shareOf(refused.message, text), text).toBeLessThan(MOST_ENGLISH);
        expect(text, code).not.toMatch(/[{}]/);
      }
    }
  });

  test('each notice is translated', () => {
    for (const id of [...NOTICE_IDS, revokedNotice({ tokens: 1, consents: 2, delegations: 0, people: 1 })]) {
      const notice = noticeOf(id);
      expect(notice, id).not.toBeNull();
      if (notice === null) continue;
      const english = pageWordsOf('en').told(notice);
      expect(shareOf(english, words.told(notice)), id).toBeLessThan(MOST_ENGLISH);
    }
  });
});
