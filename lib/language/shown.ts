// Which language of an operator's text a page shows.
import { match } from '@formatjs/intl-localematcher';
import type { Language } from '#lib/settings/languages.ts';
import { settings } from '#lib/settings/settings.ts';

type Texts = Readonly<Record<string, string>>;
/** `lang`: of a text in another language than its page. */
export type Shown = { text: string; lang?: string; values?: never };

/** BCP 47: the language is unknown. */
const UNSAID = 'und';

/**
 * The text, or of several the one in this language, in any region; otherwise in DEFAULT_LANGUAGE, in English, in a
 * language that is unknown, or the first.
 */
export function textIn(language: Language, of: string | Texts): Shown {
  if (typeof of === 'string') return { text: of };
  const tags = Object.keys(of);
  const tag =
    closest(language, tags) ??
    closest(settings().defaultLanguage, tags) ??
    closest('en', tags) ??
    tags.find((one) => one === UNSAID) ??
    tags[0];
  if (tag === undefined) return { text: '' };
  const text = of[tag] ?? '';
  return tag === language || tag === UNSAID ? { text } : { text, lang: tag };
}

function closest(language: Language, tags: readonly string[]): string | undefined {
  if (tags.includes(language)) return language;
  const same = tags.filter((tag) => baseOf(tag) === baseOf(language));
  return same.length < 2 ? same[0] : match([language], same, same[0] ?? language);
}

const baseOf = (tag: string) => tag.split('-')[0];
