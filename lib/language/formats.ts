// ICU MessageFormat: a text with arguments is parsed when it is first used, and kept; one without costs a look-up.
import { IntlMessageFormat } from 'intl-messageformat';
import { ownValue } from '#lib/kit/own-value.ts';
import type { Language } from '#lib/settings/languages.ts';
import type { MessageValues } from './message.ts';

export type Formats = {
  text: (key: string, values?: MessageValues) => string;
  /** In parts, for arguments that are no text, such as elements of a page. */
  parts: <Value>(key: string, values: Readonly<Record<string, Value>>) => readonly (string | Value)[];
};

/** Of the texts of one language. `find` undefined: the key is the text, in English. */
export function formatsOf(language: Language, find: (key: string) => string | undefined): Formats {
  const parsed = new Map<string, IntlMessageFormat>();
  const parsedOf = (key: string) => {
    let format = parsed.get(key);
    if (!format) {
      const text = find(key);
      format = new IntlMessageFormat(text ?? key, text === undefined ? 'en' : language, undefined, {
        ignoreTag: true,
      });
      parsed.set(key, format);
    }
    return format;
  };
  return {
    text: (key, values) => (values === undefined ? (find(key) ?? key) : String(parsedOf(key).format(values))),
    parts: <Value>(key: string, values: Readonly<Record<string, Value>>) => {
      const result = parsedOf(key).format<Value>(values);
      return Array.isArray(result) ? result : [result];
    },
  };
}

/** English sentences in one language; one that it does not have stays English. */
export const sentencesOf = (language: Language, sentences: Readonly<Record<string, string>>): Formats =>
  formatsOf(language, (text) => ownValue(sentences, text));
