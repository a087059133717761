// The codes of refusals, with their kinds and the texts that the log, the command line and the management API have of
// them.
import type { Arguments, MessageValues } from '#lib/language/message.ts';
import type { EnglishTexts } from '#lib/language/messages/types.ts';
import { inEnglish, isMessage, wordsOf } from '#lib/language/words.ts';
import type { Fault } from '#lib/registry/fields/definition.ts';
import type { RefusedKind } from './kinds.ts';
import { FOR_OPERATORS } from './operators.ts';
import { OWN_ACCOUNT } from './people.ts';

type OperatorCode = keyof typeof FOR_OPERATORS;
export type RefusedCode = OperatorCode | keyof typeof OWN_ACCOUNT;

type TextOf<Code extends RefusedCode> = Code extends OperatorCode
  ? (typeof FOR_OPERATORS)[Code][1]
  : Code extends keyof EnglishTexts
    ? EnglishTexts[Code]
    : never;

/** What a code is thrown with, by its text: none, or a value for each argument. */
type ValuesOf<Code extends RefusedCode> = { [Name in Arguments<TextOf<Code>>]: string | number };
export type Coded<Code extends RefusedCode> = [Arguments<TextOf<Code>>] extends [never]
  ? [code: Code, values?: Record<string, never>]
  : [code: Code, values: ValuesOf<Code>];

const isOperatorCode = (code: RefusedCode): code is OperatorCode => Object.hasOwn(FOR_OPERATORS, code);

export const kindOfRefusal = (code: RefusedCode): RefusedKind =>
  isOperatorCode(code) ? FOR_OPERATORS[code][0] : OWN_ACCOUNT[code];

/** In ICU MessageFormat. */
export const textOfRefusal = (code: RefusedCode): string =>
  isOperatorCode(code) ? FOR_OPERATORS[code][1] : englishOf(code);

/** Of each code that has no message of its own in every language. */
export const OPERATOR_TEXTS: readonly string[] = Object.values(FOR_OPERATORS).map(([, text]) => text);

export function englishOf(code: RefusedCode, values: MessageValues = {}): string {
  const message = { code, values };
  if (isMessage(message)) return wordsOf('en').told(message);
  if (!isOperatorCode(code)) return code;
  return inEnglish({ text: FOR_OPERATORS[code][1], values });
}

/** What is wrong with a field. */
export function faultAt<Code extends RefusedCode>(field: string, ...[code, values]: Coded<Code>): Fault {
  return { field, code, message: englishOf(code, values), ...(values && { values }) };
}
