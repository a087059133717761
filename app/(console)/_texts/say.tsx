// What a server component of the console says, in the language of the page that is being made.
import { cache, type ReactNode } from 'react';
import { durationParts, Sentence } from '#app/_components/pieces.tsx';
import type { MessageValues } from '#lib/language/message.ts';
import type { DisplayText } from '#lib/registry/display-text.ts';
import { type PageWords, pageWordsOf } from './page-words.ts';

/** One for each page that is made; elsewhere, as in the handler of a form, it is English. */
const reader = cache((): { words: PageWords } => ({ words: pageWordsOf('en') }));

/** Before anything of the page is said. */
export function speakIn(words: PageWords): void {
  reader().words = words;
}

/** The words of the page that is being made. */
export const spoken = (): PageWords => reader().words;

/** An English sentence in the reader's language, in ICU MessageFormat where it has values. */
export const say = (text: string, values?: MessageValues): string => spoken().say(text, values);

/** An operator's text in the reader's language, as one string. */
export const sayText = (of: DisplayText): string => spoken().shown(of).text;

/** The options of a filter, by their values. */
export const sayEach = (options: Readonly<Record<string, string>>): (readonly [string, string])[] =>
  Object.entries(options).map(([value, text]) => [value, say(text)] as const);

/** A sentence with elements inside. */
export const Say = ({ text, values }: { text: string; values: Readonly<Record<string, ReactNode>> }) => (
  <Sentence parts={spoken().sayParts<ReactNode>(text, values)} />
);

/** How long a number of seconds is, in the reader's language: `1 hour 30 minutes`. */
export function lasts(seconds: number): string {
  const { language } = spoken();
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

/** What the button says that copies this. */
export const copyWords = (label: string) => ({
  copy: say('Copy'),
  name: say('Copy {what}', { what: label }),
  copied: say('Copied'),
});
