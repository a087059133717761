// What every page in several languages is made with.
import type { Words } from '#lib/language/words.ts';

export type HostedFrame = {
  words: Words;
  serviceName: string;
  /** the parameters of the page's own address, which it keeps in another language */
  kept: readonly (readonly [name: string, value: string])[];
  languages: readonly string[];
};

/** The parameter of an address by which a person chooses the language of the page. */
export const LANGUAGE_PARAMETER = 'language';

/** The same for light and dark. */
export const THEME_PARAMETER = 'theme';
