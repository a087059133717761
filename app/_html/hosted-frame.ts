// Data that the frame of every page in several languages needs.
import type { Words } from '#lib/language/words.ts';

export type HostedFrame = {
  words: Words;
  serviceName: string;
  /** parameters of the page's address that a change of language preserves */
  kept: readonly (readonly [name: string, value: string])[];
  languages: readonly string[];
};

/** Parameter of the address that selects the page language. */
export const LANGUAGE_PARAMETER = 'language';

/** Parameter of the address that selects the theme, light or dark. */
export const THEME_PARAMETER = 'theme';
