// A message before it is known in which language it is shown: what refusals, faults and views carry.
import type { EnglishTexts, Key } from './messages/types.ts';
import type { Shown } from './shown.ts';

/** The names of the arguments of a message: the text in braces up to a comma, without the branches of a plural. */
export type Arguments<Text> = Text extends `${string}{${infer Inside}}${infer Rest}`
  ? NameOf<Inside> | Arguments<Rest>
  : never;
type NameOf<Inside> = Inside extends `${infer Name},${string}`
  ? Name
  : Inside extends `${string} ${string}`
    ? never
    : Inside;

/** Those that take no arguments. */
export type Plain = { [Name in Key]: [Arguments<EnglishTexts[Name]>] extends [never] ? Name : never }[Key];
export type Values<Name extends Key, Value> = Record<Arguments<EnglishTexts[Name]>, Value>;

/** What is put into a text. */
export type MessageValues = Readonly<Record<string, string | number>>;

/** A code with its values: a missing one does not compile. */
export type Message =
  | { code: Plain; values?: Readonly<Record<string, never>> }
  | {
      [Name in Exclude<Key, Plain>]: { code: Name; values: Readonly<Values<Name, string | number>> };
    }[Exclude<Key, Plain>];

/** An English sentence, with arguments where it has `values`: pages may have it in other languages. */
export type EnglishSentence = { text: string; values?: MessageValues | undefined; lang?: never };

/** Marks a sentence, which is English elsewhere, for the translations of pages. */
export const english = (text: string, values?: MessageValues): EnglishSentence => ({
  text,
  ...(values && { values }),
});

/** What a page shows: a message, a text that is in its reader's language already, or an English sentence. */
export type Told = Plain | Message | Shown | EnglishSentence;

/**
 * English texts of refusals and faults are parts of a sentence, for the command line. One that begins with an address
 * or an id keeps its first letter.
 */
export function asSentence(text: string): string {
  const first = /^\p{L}+(?![^\s,.:;’'])/u.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return /[.!?]$/.test(first) ? first : `${first}.`;
}
