// A name or description that people read: a text, or texts by language, `{en: Orders, de: Bestellungen}`. A page shows
// the one for its reader (`lib/language`); where no language is known, the plain one is used for all.
import { z } from 'zod';
import { languageTag } from './profile.ts';

/** By BCP 47 tag, in the operator's order. */
export type Texts = Readonly<Record<string, string>>;
export type DisplayText = string | Texts;

const MAX_LANGUAGES = 30;
/** BCP 47: a text whose language is unknown. */
const UNSAID = 'und';
const tagOf = (text: string) => (text.toLowerCase() === UNSAID ? UNSAID : languageTag(text));

const WRONG = 'must be a string, or a map of languages such as {en: Orders, de: Bestellungen}';
const maps = new WeakSet<z.core.$ZodType>();

/** `text`: what each of the texts must be. Tags are kept as RFC 5646 §4.5 has them. */
export function displayText(text: z.ZodString) {
  const texts = z
    .record(z.string(), text.min(1, 'must not be empty'))
    .superRefine((given, context) => {
      const tags = Object.keys(given);
      const fault = (path: string[], message: string) =>
        context.addIssue({ code: 'custom', path, message, input: given });
      if (tags.length === 0) fault([], 'must not be empty: give a text, or one for each language');
      if (tags.length > MAX_LANGUAGES) fault([], `must not be more than ${MAX_LANGUAGES} languages`);
      const seen = new Set<string>();
      for (const tag of tags) {
        const known = tagOf(tag);
        if (known === null) fault([tag], 'must be a language, such as de or pt-BR');
        else if (seen.has(known)) fault([tag], `is ${known}, which stands here already`);
        else seen.add(known);
      }
    })
    .overwrite((given) =>
      Object.fromEntries(Object.entries(given).map(([tag, one]) => [tagOf(tag) ?? tag, one])),
    );
  maps.add(texts);
  return z.union([texts, text], WRONG);
}

/** Is this field one of those? */
export const isDisplayText = (field: z.core.$ZodType): boolean =>
  field instanceof z.ZodUnion && maps.has(field.options[0] as z.core.$ZodType);

/** Without a reader, as the console and the log have it: the English one, otherwise the first. */
export function plainText(text: DisplayText): string {
  if (typeof text === 'string') return text;
  const tags = Object.keys(text);
  const english = tags.find((tag) => tag === 'en') ?? tags.find((tag) => tag.startsWith('en-'));
  return text[english ?? tags[0] ?? ''] ?? '';
}

/** Each text with its tag; null: one that no language is named for. */
export function textsByLanguage(text: DisplayText): { tag: string | null; text: string }[] {
  if (typeof text === 'string') return [{ tag: null, text }];
  return Object.entries(text).map(([tag, one]) => ({ tag: tag === UNSAID ? null : tag, text: one }));
}

/** As reading gives it. */
export const displayTextRead = z.union([z.string(), z.record(z.string(), z.string())]);

/**
 * A member of metadata that strangers wrote, with its other languages (RFC 7591 §2.2): `client_name`, `client_name#de`.
 * What names no language, or is no text, is left out, as are more languages than there may be. `text`: the member
 * itself; null: it is not there.
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

/** The same as members of metadata. */
export function membersOfText(member: string, text: DisplayText): Record<string, string> {
  if (typeof text === 'string') return { [member]: text };
  const { [UNSAID]: unsaid, ...said } = text;
  const others = Object.entries(said).map(([tag, one]) => [`${member}#${tag}`, one]);
  return { [member]: unsaid ?? plainText(text), ...Object.fromEntries(others) };
}
