// A text in several languages as form fields: the first text in one field, and its translations below as lines, such
// as `de: Bestellungen`.
import type { DisplayText } from '#lib/registry/display-text.ts';

export type TypedText = {
  first: string;
  /** language of the first text; empty: no language is set */
  language: string;
  lines: string;
};

export function typedText(text: DisplayText): TypedText {
  if (typeof text === 'string') return { first: text, language: '', lines: '' };
  const [[language, first] = ['', ''], ...others] = Object.entries(text);
  // each translation is one line, so line breaks inside it become spaces
  const lines = others.map(([tag, one]) => `${tag}: ${one.replaceAll(/\s*\n\s*/g, ' ')}`);
  return { first, language, lines: lines.join('\n') };
}

/** `otherwise`: default language of the first text. The operation validates the result. */
export function readText({ first, language, lines }: TypedText, otherwise: () => string): DisplayText {
  const typed = linesOf(lines);
  if (typed.length === 0 && (language === '' || first === '')) return first;
  const texts: Record<string, string> = { [language || otherwise()]: first };
  for (const { tag, text } of typed) texts[unusedSpelling(tag, texts)] = text;
  return texts;
}

type Line = { at: number; tag: string; text: string };

/**
 * Parses the lines that are not empty. If a line has no colon, the whole line is read as the language, which is
 * invalid.
 */
function linesOf(lines: string): Line[] {
  return lines.split('\n').flatMap((line, at) => {
    if (line.trim() === '') return [];
    const [, tag = line, text = ''] = /^([^:]*):(.*)$/s.exec(line) ?? [];
    return [{ at: at + 1, tag: tag.trim(), text: text.trim() }];
  });
}

/** A language that occurs twice gets another spelling, so that the operation sees both texts and rejects them. */
const unusedSpelling = (tag: string, texts: object): string =>
  [tag, tag.toUpperCase(), tag.toLowerCase()].find((spelling) => !Object.hasOwn(texts, spelling)) ?? tag;

/** A fault in the translations. `line`: number of the line; 0 if the input has no line in this language. */
export type LineFault = { line: number; fault: string };

/** Faults of lines, with line numbers. The field shows faults of the first text. */
export function faultInLines(lines: string, faults: Readonly<Record<string, string>>): LineFault | undefined {
  const typed = linesOf(lines);
  const lineOf = (tag: string) =>
    typed.findLast((line) => line.tag.toLowerCase() === tag.toLowerCase())?.at ?? 0;
  return Object.entries(faults)
    .map(([tag, fault]) => ({ at: lineOf(tag), fault }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, fault }) => ({ line: at, fault }))[0];
}
