// The sentences of the components that run in the browser: a page in another language carries their translations.
import type { PageWords } from './page-words.ts';

export const BROWSER_TEXTS: readonly string[] = [
  'The file is larger than {size} bytes. Nothing was sent.',
  'The service did not answer. Wait a moment, then send this again: it is taken only once.',
];

export const inBrowser = ({ language, say }: PageWords): Readonly<Record<string, string>> =>
  language === 'en' ? {} : Object.fromEntries(BROWSER_TEXTS.map((text) => [text, say(text)]));
