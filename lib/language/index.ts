export { isLanguage, languageOf, languageOfUiLocales } from './negotiate.ts';
export { type Words, wordsOf } from './words.ts';
