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

/**
 * Minimum and maximum number of words of a comment that is judged. Shorter comments are ignored, and so are longer
 * ones, such as licences and examples.
 */
const COMMENT_WORDS = { least: 9, most: 80 };
const LEAST_WORDS_OF_TITLE = 6;
const NO_PROSE = /biome-ignore|SPDX|Copyright/;
const TITLE = /\b(?:it|test)(?:\.\w+(?:\([^)]*\))?)?\(\s*(['"`])((?:\\.|(?!\1)[\s\S])*?)\1/g;

/** Computes the share. Code in backquotes and values in braces are counted as one noun. */
export function shareOfFunctionWords(text: string): { words: number; share: number } {
  const words = text.replace(/`[^`]*`|\$\{[^}]*\}/g, 'X').match(/[A-Za-z’']+/g) ?? [];
  const few = words.filter((word) => FUNCTION_WORDS.has(word.toLowerCase())).length;
  return { words: words.length, share: words.length === 0 ? 0 : few / words.length };
}

/** A comment or a test title that is long enough to be judged. `line` counts from 1. */
export type Passage = { kind: 'comment' | 'title'; file: string; line: number; text: string; share: number };

/** Returns the comments of a file, and the titles of its tests. */
export function passagesIn({ file, text }: Pick<Source, 'file' | 'text'>): Passage[] {
  const comments = commentsIn(text)
    .filter((comment) => !NO_PROSE.test(comment.text))
    .map((comment) => ({ kind: 'comment' as const, file, ...comment, ...shareOfFunctionWords(comment.text) }))
    .filter(({ words }) => words >= COMMENT_WORDS.least && words <= COMMENT_WORDS.most);
  if (!/\.(?:test|spec)\.tsx?$/.test(file)) return comments;
  const titles = [...text.matchAll(TITLE)]
    .map(({ 2: title = '', index }) => ({
      kind: 'title' as const,
      file,
      line: lineAt(text, index),
      text: title,
      ...shareOfFunctionWords(title),
    }))
    .filter(({ words }) => words >= LEAST_WORDS_OF_TITLE);
  return [...comments, ...titles];
}

const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length;

/** Returns the comments that begin a line; adjacent `//` lines are one comment. */
function commentsIn(text: string): { line: number; text: string }[] {
  const comments: { line: number; text: string }[] = [];
  let open: { line: number; lines: string[]; isBlock: boolean } | null = null;
  const close = () => {
    if (open) comments.push({ line: open.line, text: open.lines.join(' ').trim() });
    open = null;
  };
  for (const [index, line] of text
    .split('\n')
    .map((one) => one.trim())
    .entries()) {
    if (open?.isBlock === true || line.startsWith('/*')) {
      if (open?.isBlock !== true) close();
      open ??= { line: index + 1, lines: [], isBlock: true };
      open.lines.push(
        line
          .replace(/^(?:\/\*\*?|\*\/?)\s?/, '')
          .replace('*/', '')
          .trim(),
      );
      if (line.includes('*/')) close();
    } else if (line.startsWith('//')) {
      open ??= { line: index + 1, lines: [], isBlock: false };
      open.lines.push(line.slice(2).trim());
    } else close();
  }
  close();
  return comments;
}

/** Returns the median share, and the percentage of passages at or above `limit`. */
export function summaryOf(passages: readonly Passage[], limit: number): { median: number; above: number } {
  const shares = passages.map(({ share }) => share).sort((a, b) => a - b);
  const above = shares.filter((share) => share >= limit).length;
  return {
    median: shares[Math.floor(shares.length / 2)] ?? 0,
    above: shares.length === 0 ? 0 : (100 * above) / shares.length,
  };
}
