// The profile of a user: one row for each claim that users set on their account page (OpenID Connect Core §5.1). From
// it follow the column of `people` in statements, the field of the management API, the key of an import, the claim of
// scope `profile`, the input of the account page and the label in the audit log.
import { z } from 'zod';
import { snake } from '#lib/kit/wire.ts';
import type { Snake } from '#lib/registry/definition.ts';
import { languageTag } from '#lib/registry/display-text.ts';

/** Schema of a text. An empty text deletes the value. */
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

const PICTURE = 'must be an https:// address of at most 2048 characters, without a username or password';
const MAX_PICTURE = 2048;

/** Converts an address to the ASCII form of the URL standard. Returns null if the address is invalid. */
function pictureAddress(text: string): string | null {
  if (!/^https:\/\/\S+$/i.test(text) || !URL.canParse(text)) return null;
  const { href, username, password } = new URL(text);
  return href.length <= MAX_PICTURE && username === '' && password === '' ? href : null;
}

/**
 * Returns the name as the time zone database writes it. Returns null if it is not a zone, or only an offset from UTC.
 */
function timeZone(text: string): string | null {
  if (!/^[A-Za-z]/.test(text)) return null;
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(text).timeZoneId;
  } catch {
    return null;
  }
}

type Attribute = {
  value: ReturnType<typeof read>;
  /** label in the audit log of the console */
  label: string;
  /** texts of the account page, in `lib/language/messages` */
  words: { label: string; hint: string };
  input: { type: 'text' | 'url'; maxLength: number } | { choices: 'languages' | 'zones' };
  /** description in the management API */
  row: z.ZodNullable<z.ZodString>;
  /** description of the claim */
  claim: string;
};

const shown = z.string().nullable();

export const PROFILE = {
  picture: {
    value: read(pictureAddress, PICTURE, 'own_account.picture'),
    label: 'Picture',
    words: { label: 'my.picture', hint: 'my.picture_hint' },
    input: { type: 'url', maxLength: MAX_PICTURE },
    row: shown,
    claim: 'an https address',
  },
  locale: {
    value: read(languageTag, 'must be a language, such as de or pt-BR', 'own_account.language'),
    label: 'Language',
    words: { label: 'my.language', hint: 'my.language_hint' },
    input: { choices: 'languages' },
    row: shown.describe('the language that the person chose (BCP 47)'),
    claim: 'a language (BCP 47)',
  },
  zoneinfo: {
    value: read(timeZone, 'must be a time zone, such as Europe/Berlin', 'own_account.zone'),
    label: 'Time zone',
    words: { label: 'my.zone', hint: 'my.zone_hint' },
    input: { choices: 'zones' },
    row: shown.describe('their time zone'),
    claim: 'a time zone',
  },
} as const satisfies Record<string, Attribute>;

export type ProfileName = keyof typeof PROFILE;
export type ProfileKey = Snake<ProfileName>;
export type ProfileValues = Record<ProfileName, string | null>;

export const PROFILE_NAMES = Object.keys(PROFILE) as ProfileName[];

/** Name of an attribute as column, as claim, in the management API and in people.jsonl. */
export const profileKey = (name: ProfileName) => snake(name) as ProfileKey;
export const PROFILE_KEYS = PROFILE_NAMES.map(profileKey);

/** Builds an object with one member for each attribute. */
export const byProfileName = <Value>(value: (name: ProfileName) => Value) =>
  Object.fromEntries(PROFILE_NAMES.map((name) => [name, value(name)])) as Record<ProfileName, Value>;

const values = byProfileName((name) => PROFILE[name].value.optional());
/** A change. Missing members stay unchanged. */
export const profileChoices = z.strictObject(values);

/** Members of a line of people.jsonl. */
export const profileOfLine = Object.fromEntries(
  PROFILE_NAMES.map((name) => [profileKey(name), values[name]]),
) as Record<ProfileKey, (typeof values)[ProfileName]>;
