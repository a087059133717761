// A display name or description: a text, or texts by language, `{en: Orders, de: Bestellungen}`. Pages show the
// reader's language (`lib/language`); without a known language, everyone sees the plain text.
import { z } from 'zod';

// Profile claims that users edit themselves (OpenID Connect Core §5.1). An empty text deletes the claim.

const PICTURE = 'must be an https:// address of at most 2048 characters, without a name or password';
const MAX_PICTURE = 2048;

/** Normalizes an address to the URL standard's ASCII form. Returns null for an invalid address. */
function pictureAddress(text: string): string | null {
  if (!/^https:\/\/\S+$/i.test(text) || !URL.canParse(text)) return null;
  const { href, username, password } = new URL(text);
  return href.length <= MAX_PICTURE && username === '' && password === '' ? href : null;
}

const SUBTAGS = {
  language: new Intl.DisplayNames('en', { type: 'language', fallback: 'none' }),
  script: new Intl.DisplayNames('en', { type: 'script', fallback: 'none' }),
  region: new Intl.DisplayNames('en', { type: 'region', fallback: 'none' }),
};

/**
 * Returns a tag in the RFC 5646 §4.5 form: an existing language with optional script and region. Returns null if the
 * text is no tag, or has an invented or additional part.
 */
function languageTag(text: string): string | null {
  try {
    const { language, script, region, baseName } = new Intl.Locale(text);
    const parts = [language, script, region].filter((part) => part !== undefined);
    const known =
      SUBTAGS.language.of(language) !== undefined &&
      (script === undefined || SUBTAGS.script.of(script) !== undefined) &&
      (region === undefined || SUBTAGS.region.of(region) !== undefined);
    const whole = Intl.getCanonicalLocales(text)[0];
    return known && parts.join('-') === baseName && baseName === whole ? baseName : null;
  } catch {
    return null;
  }
}

/** Returns the name as the time zone database spells it. Returns null if it is no zone, or only an offset from UTC. */
function timeZone(text: string): string | null {
  if (!/^[A-Za-z]/.test(text)) return null;
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(text).timeZoneId;
  } catch {
    return null;
  }
}

const read = (from: (text: string) => string | null, message: string, code: string) =>
  z
    .string('must be a string')
    .trim()
    .nullable()
    .transform((text, context) => {
      if (text === '' || text === null) return null;
      const value = from(text);
      if (value === null) context.addIssue({ code: 'custom', message, params: { code }, input: text });
      return value;
    });

const CHOICES = {
  picture: read(pictureAddress, PICTURE, 'own_account.picture'),
  locale: read(languageTag, 'must be a language, such as de or pt-BR', 'own_account.language'),
  zoneinfo: read(timeZone, 'must be a time zone, such as Europe/Berlin', 'own_account.zone'),
};

/** Missing members remain unchanged. */
export const profileChoices = z.strictObject(CHOICES).partial();
export type ProfileChoices = { [Name in keyof typeof CHOICES]: string | null };

/** By BCP 47 tag, in the operator's order. */
type Texts = Readonly<Record<string, string>>;
export type DisplayText = string | Texts;

const MAX_LANGUAGES = 30;
/** BCP 47: a text whose language is unknown. */
const UNSAID = 'und';
const tagOf = (text: string) => (text.toLowerCase() === UNSAID ? UNSAID : languageTag(text));

const WRONG = 'must be a string, or a map of languages such as {en: Orders, de: Bestellungen}';
const maps = new WeakSet<z.core.$ZodType>();

/** `text`: schema of each text. Tags use RFC 5646 §4.5 form. */
export function displayText(text: z.ZodString) {
  const texts = z
    .record(z.string(), text.min(1, 'must not be empty'))
    .superRefine((given, context) => {
      const tags = Object.keys(given);
      const fault = (path: string[], message: string) =>
        context.addIssue({ code: 'custom', path, message, input: given });
      if (tags.length === 0) fault([], 'must not be empty: enter a text, or one for each language');
      if (tags.length > MAX_LANGUAGES) fault([], `must not be more than ${MAX_LANGUAGES} languages`);
      const seen = new Set<string>();
      for (const tag of tags) {
        const known = tagOf(tag);
        if (known === null) fault([tag], 'must be a language, such as de or pt-BR');
        else if (seen.has(known)) fault([tag], `is ${known}, which is already listed`);
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

/** Text for the console and the log, where the reader's language is unknown: English, otherwise the first text. */
export function plainText(text: DisplayText): string {
  if (typeof text === 'string') return text;
  const tags = Object.keys(text);
  const english = tags.find((tag) => tag === 'en') ?? tags.find((tag) => tag.startsWith('en-'));
  return text[english ?? tags[0] ?? ''] ?? '';
}

/** Each text with its tag. A null tag means that the language is unknown. */
export function textsByLanguage(text: DisplayText): { tag: string | null; text: string }[] {
  if (typeof text === 'string') return [{ tag: null, text }];
  return Object.entries(text).map(([tag, one]) => ({ tag: tag === UNSAID ? null : tag, text: one }));
}

/** As reading gives it. */
export const displayTextRead = z.union([z.string(), z.record(z.string(), z.string())]);

/**
 * A metadata member written by strangers, with its translations (RFC 7591 §2.2): `client_name`, `client_name#de`.
 * Ignores invalid languages, non-texts, and languages above the limit. `text`: the member itself; null: missing.
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
