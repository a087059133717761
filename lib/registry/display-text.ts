// A display name or description: a text, or texts by language, `{en: Orders, de: Bestellungen}`. Pages show the text
// in the reader's language (`lib/language`). A plain text, whose language is not known, is shown to everyone.
import { z } from 'zod';
import { checkFault, type FaultText, fault } from '#lib/kit/fault.ts';

const SUBTAGS = {
  language: new Intl.DisplayNames('en', { type: 'language', fallback: 'none' }),
  script: new Intl.DisplayNames('en', { type: 'script', fallback: 'none' }),
  region: new Intl.DisplayNames('en', { type: 'region', fallback: 'none' }),
};

/**
 * Returns a tag in the form of RFC 5646 §4.5: an existing language, optionally with script and region. Returns null
 * if the text is not a tag, or contains invented or further parts.
 */
export function languageTag(text: string): string | null {
  try {
    const { language, script, region, baseName } = new Intl.Locale(text);
    const parts = [language, script, region].filter((part) => part !== undefined);
    const isKnown =
      SUBTAGS.language.of(language) !== undefined &&
      (script === undefined || SUBTAGS.script.of(script) !== undefined) &&
      (region === undefined || SUBTAGS.region.of(region) !== undefined);
    const whole = Intl.getCanonicalLocales(text)[0];
    return isKnown && parts.join('-') === baseName && baseName === whole ? baseName : null;
  } catch {
    return null;
  }
}

/** Texts keyed by BCP 47 tag, in the order in which the operator wrote them. */
type Texts = Readonly<Record<string, string>>;
export type DisplayText = string | Texts;

const MAX_LANGUAGES = 30;
/** Tag of BCP 47 for a text whose language is unknown. */
const UNSAID = 'und';
const tagOf = (text: string) => (text.toLowerCase() === UNSAID ? UNSAID : languageTag(text));

const WRONG = checkFault('must be a string, or a map of languages such as {example}', {
  example: '{en: Orders, de: Bestellungen}',
});
const maps = new WeakSet<z.core.$ZodType>();

/** Schema of a text with translations. `text`: schema of each text. Tags have the form of RFC 5646 §4.5. */
export function displayText(text: z.ZodString) {
  const texts = z
    .record(z.string(), text.min(1, 'must not be empty'))
    .superRefine((value, context) => {
      const tags = Object.keys(value);
      const add = (path: string[], wrong: FaultText) =>
        context.addIssue({ code: 'custom', path, ...wrong, input: value });
      if (tags.length === 0)
        add([], { message: 'must not be empty: enter a text, or one for each language' });
      if (tags.length > MAX_LANGUAGES)
        add([], fault('must not be more than {most} languages', { most: MAX_LANGUAGES }));
      const seen = new Set<string>();
      for (const tag of tags) {
        const canonicalTag = tagOf(tag);
        if (canonicalTag === null) add([tag], { message: 'must be a language, such as de or pt-BR' });
        else if (seen.has(canonicalTag))
          add([tag], fault('is {language}, which is already listed', { language: canonicalTag }));
        else seen.add(canonicalTag);
      }
    })
    .overwrite((textsByTag) =>
      Object.fromEntries(Object.entries(textsByTag).map(([tag, one]) => [tagOf(tag) ?? tag, one])),
    );
  maps.add(texts);
  return z.union([texts, text], WRONG);
}

/** True if `displayText` created this field. */
export const isDisplayText = (field: z.core.$ZodType): boolean =>
  field instanceof z.ZodUnion && maps.has(field.options[0] as z.core.$ZodType);

/**
 * Text for the console and the log, where the reader's language is not known: the English text, otherwise the first
 * text.
 */
export function plainText(text: DisplayText): string {
  if (typeof text === 'string') return text;
  const tags = Object.keys(text);
  const english = tags.find((tag) => tag === 'en') ?? tags.find((tag) => tag.startsWith('en-'));
  return text[english ?? tags[0] ?? ''] ?? '';
}

/** Each text with its tag. Null: the language is unknown. */
export function textsByLanguage(text: DisplayText): { tag: string | null; text: string }[] {
  if (typeof text === 'string') return [{ tag: null, text }];
  return Object.entries(text).map(([tag, one]) => ({ tag: tag === UNSAID ? null : tag, text: one }));
}

/** Schema of a text as read from the database. */
export const displayTextRead = z.union([z.string(), z.record(z.string(), z.string())]);

/**
 * A metadata member written by strangers, with its translations (RFC 7591 §2.2): `client_name`, `client_name#de`.
 * Ignores invalid languages, values that are not text, and languages beyond the limit. `text`: the member itself;
 * null: it is missing.
 */
export function textsOfMember(
  metadata: Readonly<Record<string, unknown>>,
  member: string,
  text: string | null,
): DisplayText | null {
  const begins = `${member}#`;
  const texts = new Map(text === null ? [] : [[UNSAID, text]]);
  for (const [name, value] of Object.entries(metadata)) {
    const tag = name.startsWith(begins) ? languageTag(name.slice(begins.length)) : null;
    if (tag === null || typeof value !== 'string' || value.trim() === '') continue;
    if (!texts.has(tag) && texts.size < MAX_LANGUAGES) texts.set(tag, value);
  }
  if (texts.size === 0 || (texts.size === 1 && text !== null)) return text;
  return Object.fromEntries(texts);
}

/** A text in several languages as members of metadata. */
export function membersOfText(member: string, text: DisplayText): Record<string, string> {
  if (typeof text === 'string') return { [member]: text };
  const { [UNSAID]: unsaid, ...said } = text;
  const others = Object.entries(said).map(([tag, one]) => [`${member}#${tag}`, one]);
  return { [member]: unsaid ?? plainText(text), ...Object.fromEntries(others) };
}
