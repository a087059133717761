// Finds numbers in texts for users that ignore plural forms: `{count} requests` is wrong for 1, and other languages
// have more plural forms.
import { IntlMessageFormat } from 'intl-messageformat';

/** Arguments whose value is a constant above 1. */
const CONSTANTS = new Set(['least', 'most', 'limit', 'size']);

/** Words that are not plurals although they follow an argument: as in `{client} asks`, or a unit such as `kB`. */
const NO_NOUNS = new Set(
  (
    'answers as asks authenticates brings does ends follows goes has is issues keeps lets limits loses means ms names ' +
    'needs proves provides refuses requires says signs stands takes uses waits wants was'
  ).split(' '),
);

/**
 * Finds each `{argument} nouns` of an English text whose noun does not depend on the number. `constants`:
 * names of further constants.
 */
export function findBareNumbers(text: string, constants: readonly string[] = []): string[] {
  return [...text.matchAll(/\{(\w+)\} (?:more |of them )?(\p{Ll}+s)\b(?!’)/gu)]
    .filter(
      ([, argument = '', word = '']) =>
        !CONSTANTS.has(argument) && !constants.includes(argument) && !NO_NOUNS.has(word),
    )
    .map(([found]) => `${found}: ${text}`);
}

/**
 * Returns the plural forms of a language for numbers from 1 to 100; rare forms, for example for millions, can
 * use `other`.
 */
const formsOf = (language: string): string[] => {
  const rules = new Intl.PluralRules(language);
  return [...new Set(Array.from({ length: 100 }, (_, at) => rules.select(at + 1)))];
};

/**
 * Finds plurals that lack a form which their language requires. A plural with a single `other` is valid: its text
 * ignores the number.
 */
export function lackingForms(text: string, language: string): string[] {
  const parts = new IntlMessageFormat(text, language, undefined, { ignoreTag: true }).getAst();
  return parts.flatMap((part) => {
    if (part.type !== PLURAL || Object.keys(part.options).length === 1) return [];
    const has = (form: string) =>
      Object.hasOwn(part.options, form === 'one' && '=1' in part.options ? '=1' : form);
    return formsOf(language)
      .filter((form) => !has(form))
      .map((form) => `${form}: ${text}`);
  });
}

/** Value of TYPE.plural in the parser, copied because it is a const enum. */
const PLURAL = 6;
