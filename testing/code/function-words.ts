// The share of function words in a text: articles, prepositions, pronouns, auxiliary verbs. A text with many of them has
// few nouns, and is hard to read.
import type { Source } from './sources.ts';

const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  `a an the of to in on at by for with from and or but not no none nor as is are was were be been being it its they
  them their theirs that which who whom whose what where when there here this these those one ones other others
  another same such so than then too also any some each all only more most less least may must can could would will
  has have had do does did if whether how long already again still yet ever never until once both either neither else
  own without within into out up down over under between before after about through makes made make goes go went gone
  comes come came gives give gave given takes take took taken asks ask asked says say said told tell tells known know
  knows kept keep keeps left leave leaves let lets stands stay stays`.split(/\s+/),
);

/** A comment of fewer words, or of more (a licence, an example), is not judged. */
const COMMENT_WORDS = { least: 9, most: 80 };
const LEAST_WORDS_OF_TITLE = 6;
const NO_PROSE = /biome-ignore|SPDX|Copyright/;
const TITLE = /\b(?:it|test)(?:\.\w+(?:\([^)]*\))?)?\(\s*(['"`])((?:\\.|(?!\1)[\s\S])*?)\1/g;

/** Code in backquotes and values in braces count as one noun. */
export function shareOfFunctionWords(text: string): { words: number; share: number } {
  const words = text.replace(/`[^`]*`|\$\{[^}]*\}/g, 'X').match(/[A-Za-z’']+/g) ?? [];
  const few = words.filter((word) => FUNCTION_WORDS.has(word.toLowerCase())).length;
  return { words: words.length, share: words.length === 0 ? 0 : few / words.length };
}

/** The share of each comment of the file that is long enough to be judged. */
export function commentShares({ text }: Source): number[] {
  return commentsIn(text)
    .filter((comment) => !NO_PROSE.test(comment))
    .map(shareOfFunctionWords)
    .filter(({ words }) => words >= COMMENT_WORDS.least && words <= COMMENT_WORDS.most)
    .map(({ share }) => share);
}

/** The share of each title of a test that is long enough to be judged. */
export function titleShares({ text }: Source): number[] {
  return [...text.matchAll(TITLE)]
    .map(([, , title = '']) => shareOfFunctionWords(title))
    .filter(({ words }) => words >= LEAST_WORDS_OF_TITLE)
    .map(({ share }) => share);
}

/** Comments that begin a line; neighbouring lines of `//` are one comment. */
function commentsIn(text: string): string[] {
  const comments: string[] = [];
  let open: { lines: string[]; isBlock: boolean } | null = null;
  const close = () => {
    if (open) comments.push(open.lines.join(' ').trim());
    open = null;
  };
  for (const line of text.split('\n').map((one) => one.trim())) {
    if (open?.isBlock === true || line.startsWith('/*')) {
      if (open?.isBlock !== true) close();
      open ??= { lines: [], isBlock: true };
      open.lines.push(
        line
          .replace(/^(?:\/\*\*?|\*\/?)\s?/, '')
          .replace('*/', '')
          .trim(),
      );
      if (line.includes('*/')) close();
    } else if (line.startsWith('//')) {
      open ??= { lines: [], isBlock: false };
      open.lines.push(line.slice(2).trim());
    } else close();
  }
  close();
  return comments;
}
