// Common data of multilingual pages.
import type { Words } from '#lib/language/words.ts';

export type HostedFrame = {
  words: Words;
  serviceName: string;
  /** parameters of the page's address, preserved by a language change */
  kept: readonly (readonly [name: string, value: string])[];
  languages: readonly string[];
};

/** Address parameter for selecting the page language. */
export const LANGUAGE_PARAMETER = 'language';

/** The same for light and dark. */
export const THEME_PARAMETER = 'theme';
