// The words of a page in one language. A message with arguments is parsed when it is first used, and kept; one without costs a look-up.
import { IntlMessageFormat } from 'intl-messageformat';
import type { Language } from '#lib/settings/index.ts';
import { englishIndex } from './english.ts';
import type { Message, MessageValues, Plain, Values } from './message.ts';
import { CATALOGUE } from './messages/index.ts';
import type { Key } from './messages/types.ts';
import { type Shown, textIn } from './shown.ts';

export type Words = {
  language: Language;
  direction: 'ltr' | 'rtl';
  /** The text of a message. */
  t: <Name extends Key>(
    ...message: Name extends Plain ? [Name] : [Name, Values<Name, string | number>]
  ) => string;
  /** The same in parts, for arguments that are no text, such as elements of a page. */
  parts: <Name extends Exclude<Key, Plain>, Value>(
    name: Name,
    values: Values<Name, Value>,
  ) => readonly (string | Value)[];
  /** The text of a message that another room made. */
  told: (message: Message) => string;
  /**
   * A sentence in this language that another room says in English (a refusal, an error, a fault as a sentence). Without a message of
   * that English text it stays as it is.
   */
  said: (english: string) => string;
  /** An operator's text, which may be there in several languages. */
  shown: (of: string | Readonly<Record<string, string>>) => Shown;
};

const made = new Map<Language, Words>();

/** Whether pages have a text of this code in every language. */
export const isMessage = (code: string): code is Key => {
  english ??= textsOf('en');
  return english.has(code);
};
let english: ReadonlyMap<string, string> | undefined;

/** The words of this language. */
export function wordsOf(language: Language): Words {
  const known = made.get(language);
  if (known) return known;
  const words = makeWords(language);
  made.set(language, words);
  return words;
}

function makeWords(language: Language): Words {
  const texts = textsOf(language);
  const parsed = new Map<string, IntlMessageFormat>();
  const parsedOf = (name: string) => {
    let format = parsed.get(name);
    if (!format) {
      format = new IntlMessageFormat(texts.get(name) ?? name, language, undefined, { ignoreTag: true });
      parsed.set(name, format);
    }
    return format;
  };
  const t = (name: string, values?: MessageValues) =>
    values === undefined ? (texts.get(name) ?? name) : String(parsedOf(name).format(values));
  return {
    language,
    direction: directionOf(language),
    t,
    told: ({ code, values }) => t(code, values),
    parts: <Value>(name: string, values: Record<string, Value>) => {
      const result = parsedOf(name).format<Value>(values);
      return Array.isArray(result) ? result : [result];
    },
    said: (english) => {
      if (language === 'en') return english;
      const found = messageOf(english);
      if (found === null) return english;
      if (found.values === undefined) return texts.get(found.name) ?? english;
      return String(parsedOf(found.name).format(found.values));
    },
    shown: (of) => textIn(language, of),
  };
}

/** UTS #35: the direction of the characters of its script. */
function directionOf(language: Language): 'ltr' | 'rtl' {
  const locale: Intl.Locale & { textInfo?: TextInfo; getTextInfo?: () => TextInfo } = new Intl.Locale(
    language,
  );
  const { direction } = locale.getTextInfo?.() ?? locale.textInfo ?? {};
  return direction === 'rtl' ? 'rtl' : 'ltr';
}
type TextInfo = { direction?: string };

function textsOf(language: Language): Map<string, string> {
  return new Map(
    Object.entries(CATALOGUE[language]).flatMap(([group, texts]) =>
      Object.entries(texts).map(([name, text]) => [`${group}.${name}`, text] as const),
    ),
  );
}

let index: ReturnType<typeof englishIndex> | undefined;

function messageOf(english: string) {
  index ??= englishIndex(textsOf('en'));
  return index(english);
}
