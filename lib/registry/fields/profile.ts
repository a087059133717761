// What people say of themselves, as claims name it (OpenID Connect Core §5.1). An empty text takes it away.
import { z } from 'zod';

const PICTURE = 'must be an https:// address of at most 2048 characters, without a name or password';
const MAX_PICTURE = 2048;

/** In the form of the URL standard, which is ASCII. Null: no such address. */
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
 * The tag as RFC 5646 §4.5 has it: a language that there is, with a script and a region where it names some. Null: it
 * is no tag, a part of it was invented, or it has more parts.
 */
export function languageTag(text: string): string | null {
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

/** The name as the time zone database spells it. Null: no zone, or only a distance from UTC. */
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

/** What is left out stays as it is. */
export const profileChoices = z.strictObject(CHOICES).partial();
export type ProfileChoices = { [Name in keyof typeof CHOICES]: string | null };
