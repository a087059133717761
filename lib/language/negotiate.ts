// Selects the language of a page. Its input may be hostile, so values are truncated before they are parsed, and
// invalid tags are ignored.
import { match } from '@formatjs/intl-localematcher';
import { LANGUAGES, type Language } from '#lib/settings/languages.ts';

type Asked = {
  /**
   * parameter of the request: language tags in order of preference, separated by spaces (OpenID Connect Core
   * §3.1.2.1)
   */
  uiLocales?: string | null | undefined;
  /** language that the user selected on a page of Gatehouse */
  chosen?: Language | null | undefined;
  /** the tag in the person's profile */
  profile?: string | null | undefined;
  /** the header Accept-Language (RFC 9110 §12.5.4) */
  acceptLanguage?: string | null | undefined;
};

const MAX_CHARACTERS = 500;
const MAX_TAGS = 20;
const TAG = /^[a-z]{2,3}(?:-[a-z0-9]{1,8}){0,4}$/i;
const NONE = 'und';

/**
 * Returns the first requested language that Gatehouse supports, either exactly or a close one; otherwise `fallback`.
 * Never throws.
 */
export function languageOf(
  { uiLocales, chosen, profile, acceptLanguage }: Asked,
  fallback: Language,
): Language {
  return (
    ownLanguage(tagsIn(uiLocales)) ??
    chosen ??
    ownLanguage(profile ? [profile] : undefined) ??
    ownLanguage(preferredTags(acceptLanguage)) ??
    fallback
  );
}

export function isLanguage(tag: string | null | undefined): tag is Language {
  return LANGUAGES.some((language) => language === tag);
}

/** Language of the ui_locales parameter. `null`: it contains no supported language. */
export const languageOfUiLocales = (uiLocales: string): Language | null => ownLanguage(tagsIn(uiLocales));

/** Language tags in the parameter. Some clients separate tags by commas instead of spaces. */
const tagsIn = (text: string | null | undefined): string[] =>
  (text ?? '').slice(0, MAX_CHARACTERS).split(/[ ,]+/);

/**
 * Converts `de_AT` and `de_AT.UTF-8`, locale names of Java and POSIX, to `de-AT` (OpenID Connect Core §5.1, `locale`).
 */
const tagOf = (text: string): string => text.replace(/[.@].*$/s, '').replaceAll('_', '-');

function ownLanguage(texts: readonly string[] | undefined): Language | null {
  const good = (texts ?? [])
    .map(tagOf)
    .filter((tag) => TAG.test(tag))
    .slice(0, MAX_TAGS);
  const [first] = good;
  if (first === undefined) return null;
  if (isLanguage(first)) return first;
  try {
    const matchedTag = match(good, LANGUAGES, NONE);
    return isLanguage(matchedTag) ? matchedTag : null;
  } catch {
    // the text has the syntax of a tag, but is invalid
    return null;
  }
}

/** Tags in the header, sorted by weight. Tags with weight 0 are excluded. */
function preferredTags(header: string | null | undefined): string[] {
  if (!header) return [];
  const weighed = header
    .slice(0, MAX_CHARACTERS)
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.split(';').map((text) => text.trim());
      const weight = parameters.find((text) => /^q=/i.test(text));
      return { tag, weight: weight === undefined ? 1 : Number(weight.slice(2)) };
    })
    .filter(({ weight }) => weight > 0);
  return weighed.sort((a, b) => b.weight - a.weight).map(({ tag }) => tag);
}
