export { isLanguage, languageOf, languageOfUiLocales } from './negotiate.ts';
export { type Shown, textIn } from './shown.ts';
export { type Words, wordsOf } from './words.ts';
