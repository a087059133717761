import { readableLine } from '#lib/kit/text/readable-text.ts';
import type { Words } from '#lib/language/words.ts';
import { type DisplayText, plainText } from '#lib/registry/fields/display-text.ts';

const LONGEST = 80;

/**
 * A name that another person chose: shortened, and isolated so that its direction does not turn the sentence. In the
 * reader's language where the page has `words`.
 */
export function Name({ children, words }: { children: DisplayText; words?: Words }) {
  const { text, lang } = words?.shown(children) ?? { text: plainText(children), lang: undefined };
  const letters = Array.from(readableLine(text) ?? '');
  const cut = letters.length > LONGEST ? `${letters.slice(0, LONGEST - 1).join('')}…` : letters.join('');
  return (
    <bdi className="name" lang={lang}>
      {cut}
    </bdi>
  );
}
