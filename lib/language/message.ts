// Messages for which no language is chosen yet: the content of errors, faults and views.

import { match } from '@formatjs/intl-localematcher';
import { now } from '#lib/kit/clock.ts';
import type { Arguments } from '#lib/kit/fault.ts';
import type { Language } from '#lib/settings/languages.ts';
import { settings } from '#lib/settings/settings.ts';
import type { EnglishTexts, Key } from './messages/types.ts';

/** Messages without arguments. */
export type Plain = { [Name in Key]: [Arguments<EnglishTexts[Name]>] extends [never] ? Name : never }[Key];
export type Values<Name extends Key, Value> = Record<Arguments<EnglishTexts[Name]>, Value>;

/** Values for the arguments of a text. */
export type MessageValues = Readonly<Record<string, string | number>>;

/** The code of a message with the values that it requires. If a value is missing, the code does not compile. */
export type Message =
  | { code: Plain; values?: Readonly<Record<string, never>> }
  | {
      [Name in Exclude<Key, Plain>]: { code: Name; values: Readonly<Values<Name, string | number>> };
    }[Exclude<Key, Plain>];

/** An English sentence, possibly with arguments. Pages can translate it. */
export type EnglishSentence = { text: string; values?: MessageValues | undefined; lang?: never };

/** Marks an English sentence that pages can translate. */
export const english = (text: string, values?: MessageValues): EnglishSentence => ({
  text,
  ...(values && { values }),
});

/** Text for a page: a message, a text in the reader's language, or an English sentence. */
export type Told = Plain | Message | Shown | EnglishSentence;

/**
 * Turns the English text of an error or fault into a sentence. A text that starts with an address or id keeps its
 * first letter.
 */
export function asSentence(text: string): string {
  const first = /^\p{L}+(?![^\s,.:;’'])/u.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return /[.!?]$/.test(first) ? first : `${first}.`;
}

// Selects the language in which a page shows an operator's text.

type Texts = Readonly<Record<string, string>>;
/** `lang`: set if the text's language differs from the language of the page. */
export type Shown = { text: string; lang?: string; values?: never };

/** Language code of BCP 47 for an unknown language. */
const UNSAID = 'und';

/**
 * Selects the text in this language, even if it is for another region. If there is none, selects the text in
 * DEFAULT_LANGUAGE, in English, or in an unknown language, otherwise the first text.
 */
export function textIn(language: Language, of: string | Texts): Shown {
  if (typeof of === 'string') return { text: of };
  const tags = Object.keys(of);
  const tag =
    closest(language, tags) ??
    closest(settings().defaultLanguage, tags) ??
    closest('en', tags) ??
    tags.find((languageTag) => languageTag === UNSAID) ??
    tags[0];
  if (tag === undefined) return { text: '' };
  const text = of[tag] ?? '';
  return tag === language || tag === UNSAID ? { text } : { text, lang: tag };
}

function closest(language: Language, tags: readonly string[]): string | undefined {
  if (tags.includes(language)) return language;
  const same = tags.filter((tag) => baseOf(tag) === baseOf(language));
  return same.length < 2 ? same[0] : match([language], same, same[0] ?? language);
}

const baseOf = (tag: string) => tag.split('-')[0];

const DAY_SECONDS = 86_400;

const UNTIL = {
  'sign_in.too_many': 'sign_in.too_many_until',
  'register.too_many_mails': 'register.too_many_mails_until',
  'own_account.too_many_mails': 'sign_in.too_many_mails_until',
  'link.too_many': 'sign_in.too_many_network_until',
} as const;
export type TooManyCode = keyof typeof UNTIL;

export const isTooMany = (code: string): code is TooManyCode => Object.hasOwn(UNTIL, code);

/**
 * Message about a rate limit. It contains the end time in UTC, because pages do not know the time zone of the reader.
 */
export function tooMany(code: TooManyCode, waitSeconds: number, from = now()): Message {
  if (waitSeconds >= DAY_SECONDS) return { code };
  // rounded up to a minute, so that the wait is over at the displayed time
  const end = Math.ceil((from.getTime() / 1000 + waitSeconds) / 60) * 60;
  const time = new Date(end * 1000).toISOString().slice(11, 16);
  return { code: UNTIL[code], values: { time } };
}

export const tooManyAttempts = (waitSeconds: number, from = now()): Message =>
  tooMany('sign_in.too_many', waitSeconds, from);
