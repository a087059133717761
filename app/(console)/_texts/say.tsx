// Texts for the console's server components, in the language of the page that is rendered.
import { cache, type ReactNode } from 'react';
import { durationParts, Sentence } from '#app/_components/pieces.tsx';
import type { MessageValues } from '#lib/language/message.ts';
import type { DisplayText } from '#lib/registry/display-text.ts';
import { type PageWords, pageWordsOf } from './page-words.ts';

/**
 * Holds the texts of each page that is rendered. Outside a page, for example in form handlers, the texts are English.
 */
const reader = cache((): { words: PageWords } => ({ words: pageWordsOf('en') }));

/** Sets the texts of the page; must be called before the page outputs any text. */
export function speakIn(words: PageWords): void {
  reader().words = words;
}

/** Texts of the page that is rendered. */
export const currentWords = (): PageWords => reader().words;

/** Translates an English sentence into the reader's language; sentences with values use ICU MessageFormat. */
export const say = (text: string, values?: MessageValues): string => currentWords().say(text, values);

/** Returns a text that an operator configured in several languages, in the reader's language. */
export const sayText = (of: DisplayText): string => currentWords().shown(of).text;

/** Options of a filter by value, translated. */
export const sayEach = (options: Readonly<Record<string, string>>): (readonly [string, string])[] =>
  Object.entries(options).map(([value, text]) => [value, say(text)] as const);

/** Translates a sentence that contains elements. */
export const Say = ({ text, values }: { text: string; values: Readonly<Record<string, ReactNode>> }) => (
  <Sentence parts={currentWords().sayParts<ReactNode>(text, values)} />
);

/** Describes a duration in the reader's language: `1 hour 30 minutes`. */
export function lasts(seconds: number): string {
  const { language } = currentWords();
  const { parts, isRounded } = durationParts(seconds);
  const time = parts
    .map(([unit, count]) =>
      new Intl.NumberFormat(language, {
        style: 'unit',
        unit,
        unitDisplay: 'long',
        useGrouping: false,
      }).format(count),
    )
    .join(' ');
  return isRounded ? say('about {time}', { time }) : time;
}

/** Texts of the copy button. */
export const copyWords = (label: string) => ({
  copy: say('Copy'),
  name: say('Copy {what}', { what: label }),
  copied: say('Copied'),
});
