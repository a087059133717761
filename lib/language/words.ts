// Texts of pages in one language.
import { IntlMessageFormat } from 'intl-messageformat';
import { ownValue } from '#lib/kit/wire.ts';
import type { Language } from '#lib/settings/languages.ts';
import {
  asSentence,
  type EnglishSentence,
  type Message,
  type MessageValues,
  type Plain,
  type Shown,
  type Told,
  textIn,
  type Values,
} from './message.ts';
import { CATALOGUE } from './messages/catalogue.ts';
import type { Key } from './messages/types.ts';

// ICU MessageFormat. A text with arguments is parsed on first use and cached; a plain text only costs a lookup.

export type Formats = {
  text: (key: string, values?: MessageValues) => string;
  /** Returns the parts of a text, for example if arguments are elements of the page. */
  parts: <Value>(key: string, values: Readonly<Record<string, Value>>) => readonly (string | Value)[];
};

/** Formats texts of one language. If `find` returns `undefined`, the key itself is the English text. */
function formatsOf(language: Language, find: (key: string) => string | undefined): Formats {
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

/** Translates English sentences into one language. A sentence without a translation stays English. */
export const sentencesOf = (language: Language, sentences: Readonly<Record<string, string>>): Formats =>
  formatsOf(language, (text) => ownValue(sentences, text));

/** Theme of a page. */
export type PageTheme = 'light' | 'dark';

export type Words = {
  language: Language;
  direction: 'ltr' | 'rtl';
  /** theme that the user selected for all pages; `undefined`: the preference of the system */
  theme?: PageTheme;
  /** The text of a message. */
  t: <Name extends Key>(
    ...message: [Name] extends [Plain] ? [Name] : [Name, Values<Name, string | number>]
  ) => string;
  /** Returns the parts of a message, for example if arguments are elements of the page. */
  parts: <Name extends Exclude<Key, Plain>, Value>(
    name: Name,
    values: Values<Name, Value>,
  ) => readonly (string | Value)[];
  /** A text that other code of Gatehouse returned: a message, a text or a sentence. */
  told: (of: Told) => string;
  /** A text that other code of Gatehouse returned, as a complete sentence, for alerts. */
  sentence: (of: Told) => string;
  /** A text of an operator, possibly in several languages. */
  shown: (of: string | Readonly<Record<string, string>>) => Shown;
  /** Returns the custom line of the API or client for this place. `null`: none is configured. */
  line: (place: OwnLine) => string | null;
};

/** Places for custom lines, at which the service itself shows no text. */
export type OwnLine = 'sign_in_lead' | 'sign_in_help' | 'registration_lead' | 'mail_closing';

type Made = { words: Words; formats: Formats };
const wordsByLanguage = new Map<Language, Made>();

/** True if pages have a text for this code, and every argument has a value. */
export function isMessage(message: {
  code: string;
  values?: Readonly<Record<string, unknown>> | undefined;
}): message is Message {
  const { code, values = {} } = message;
  return argumentsOf(code)?.every((name) => Object.hasOwn(values, name)) === true;
}

const taken = new Map<string, readonly string[] | null>();

/** Names of the arguments of the message with this code; null: no message has the code. */
function argumentsOf(code: string): readonly string[] | null {
  const cachedArguments = taken.get(code);
  if (cachedArguments !== undefined) return cachedArguments;
  const argumentNames = readArguments(code);
  taken.set(code, argumentNames);
  return argumentNames;
}

function readArguments(code: string): string[] | null {
  englishTexts ??= textsOf('en');
  const text = englishTexts.get(code);
  if (text === undefined) return null;
  const { getAst } = new IntlMessageFormat(text, 'en', undefined, { ignoreTag: true });
  return getAst().flatMap((part) => ('value' in part && part.type !== 0 ? [part.value] : []));
}
let englishTexts: ReadonlyMap<string, string> | undefined;

/** Formats texts that exist only in English. */
const inText = formatsOf('en', () => undefined).text;

/** Returns the English sentence, for programs, the command line and the management API. */
export const inEnglish = ({ text, values }: EnglishSentence): string =>
  values === undefined ? text : inText(text, values);

/** The texts of pages in this language. */
export const wordsOf = (language: Language): Words => madeOf(language).words;

function madeOf(language: Language): Made {
  const cachedWords = wordsByLanguage.get(language);
  if (cachedWords) return cachedWords;
  const texts = textsOf(language);
  const formats = formatsOf(language, (name) => texts.get(name));
  const fresh = { words: makeWords(language, formats), formats };
  wordsByLanguage.set(language, fresh);
  return fresh;
}

/** The text of a message with its arguments in braces, not formatted. */
export const messageText = (language: Language, code: string): string => madeOf(language).formats.text(code);

/** Custom texts keyed by the message that they replace, and custom lines keyed by their place. */
type Replaced = { messages: ReadonlyMap<string, string>; lines: ReadonlyMap<string, string> };

/** Replaces Gatehouse texts with custom texts. */
export function withOwnTexts(words: Words, ownTexts: Replaced | null): Words {
  if (ownTexts === null) return words;
  const { messages, lines } = ownTexts;
  const { formats: ours } = madeOf(words.language);
  // the custom text is plain text with values in braces: ICU would treat an apostrophe as a quote, so it is escaped
  const theirs = formatsOf(words.language, (name) => {
    const text = messages.get(name);
    return text?.includes('{') ? text.replaceAll("'", "''") : text;
  });
  const of = (name: string) => (messages.has(name) ? theirs : ours);
  const formats: Formats = {
    text: (name, values) => of(name).text(name, values),
    parts: (name, values) => of(name).parts(name, values),
  };
  const { theme } = words;
  return { ...makeWords(words.language, formats, lines), ...(theme && { theme }) };
}

function makeWords(
  language: Language,
  { text: t, parts }: Formats,
  lines: ReadonlyMap<string, string> = new Map(),
): Words {
  const tellText = (of: Told) => {
    if (typeof of === 'string') return t(of);
    if (!('text' in of)) return t(of.code, of.values);
    return of.values === undefined ? of.text : inText(of.text, of.values);
  };
  return {
    language,
    direction: directionOf(language),
    t,
    told: tellText,
    sentence: (of) => (language === 'en' ? asSentence(tellText(of)) : tellText(of)),
    parts,
    shown: (of) => textIn(language, of),
    line: (place) => lines.get(place) ?? null,
  };
}

/** Direction of the characters in the script of the language (UTS #35). */
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
