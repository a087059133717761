export { sentencesOf } from './formats.ts';
export {
  type Arguments,
  asSentence,
  type EnglishSentence,
  english,
  type Message,
  type MessageValues,
  type Plain,
  type Told,
} from './message.ts';
export type { EnglishTexts, Key } from './messages/types.ts';
export { isLanguage, languageOf, languageOfUiLocales } from './negotiate.ts';
export { type Shown, textIn } from './shown.ts';
export { isTooMany, tooMany, tooManyAttempts } from './too-many.ts';
export {
  inEnglish,
  isMessage,
  messageText,
  type OwnLine,
  type PageTheme,
  type Words,
  withOwnTexts,
  wordsOf,
} from './words.ts';
