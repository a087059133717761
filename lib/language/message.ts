// A message before it is known in which language it is shown: what refusals and faults carry.
import type { EnglishTexts, Key } from './messages/types.ts';

/** The names of the arguments of a message: what stands in braces up to a comma, but not the branches of a plural. */
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
export type Message = { code: Key; values?: MessageValues };
