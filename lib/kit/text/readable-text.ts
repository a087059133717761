// Texts of others that people read and decide by: what a page shows must be all that is there. Characters that cannot
// be seen, that turn the direction of text around (UTS #39, "bidirectional spoofing"), and line breaks in a text of one
// line are refused. What languages need stays: joiners in Persian and Indic words (RFC 5892 appendix A), emoji
// sequences (UTS #51) and variants of Han characters.

const EMOJI = String.raw`\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})?`;
/** Sequences in which an unseen character has a meaning that can be seen. */
const SEQUENCES = new RegExp(
  [
    // a symbol that is shown as text
    String.raw`\p{Extended_Pictographic}\uFE0E`,
    String.raw`\p{RGI_Emoji}`,
    String.raw`${EMOJI}(?:\u200D${EMOJI})*`,
    // ideographic variants of names
    String.raw`\p{Script=Han}[\uFE00-\uFE02\u{E0100}-\u{E01EF}]`,
    String.raw`\p{Script=Mongolian}[\u180B-\u180F]`,
  ].join('|'),
  'gv',
);
const JOINING = [
  ...['Arabic', 'Syriac', 'Nko', 'Mandaic', 'Mongolian', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati'],
  ...['Oriya', 'Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Khmer', 'Myanmar', 'Tibetan'],
].map((script) => String.raw`\p{Script_Extensions=${script}}`);
const LETTER = `[[${JOINING.join('')}]&&[\\p{L}\\p{M}]]`;
/** Between two letters that it keeps apart, or, a joiner, after one at the end of a word. */
const JOINERS = new RegExp(`(?<=${LETTER})(?:\\u200C(?=${LETTER})|\\u200D)`, 'gv');

/** Visible marks around numbers, which Unicode counts as format characters. */
const NUMBER_SIGNS = '\\u0600-\\u0605\\u06DD\\u070F\\u0890\\u0891\\u08E2\\u{110BD}\\u{110CD}';
/**
 * As format characters: Hangul fillers, variation selectors and tags; the blank of Braille, an empty note, an object's
 * place.
 */
const UNSEEN = `[[\\p{Cf}--[${NUMBER_SIGNS}]]\\p{Default_Ignorable_Code_Point}\\u2800\\u{1D159}\\u{16FE4}\\uFFFC]`;
const BREAKS = String.raw`[\n\r\v\f\x85\u2028\u2029]`;
const CONTROLS = String.raw`[\p{Cc}\p{Cs}]`;
const FIRST_UNSEEN = new RegExp(UNSEEN, 'v');
const FIRST_BREAK = new RegExp(BREAKS, 'v');
const FIRST_CONTROL = new RegExp(CONTROLS, 'v');
/** A letter, number, sign or symbol: something that leaves ink. */
const INK = /[\p{L}\p{N}\p{P}\p{S}]/v;

/** `line`: no line breaks; `lines`: line breaks and tabs are part of it */
export type TextShape = 'line' | 'lines';

/**
 * What is wrong with a text that people read, after the name of its field, or null. An empty text is for others to
 * refuse.
 */
export function unreadable(text: string, shape: TextShape): string | null {
  const rest = (shape === 'line' ? text : text.replaceAll(/\r\n|[\n\t]/g, ' ')).replaceAll(SEQUENCES, 'x');
  const bare = rest.replaceAll(JOINERS, '');
  if (FIRST_BREAK.test(bare)) return 'must be one line';
  const control = FIRST_CONTROL.exec(bare)?.[0];
  if (control !== undefined) return `must not hold the control character ${named(control)}`;
  const unseen = FIRST_UNSEEN.exec(bare)?.[0];
  if (unseen !== undefined)
    return `must not hold ${named(unseen)}, which cannot be seen or turns the direction of text around`;
  return bare.trim() === '' || INK.test(bare) ? null : 'must hold something that can be seen';
}

const named = (character: string) =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

const TO_BLANK = new RegExp(`(?:${BREAKS}|${CONTROLS})+`, 'gv');
const TO_NOTHING = new RegExp(UNSEEN, 'gv');

/**
 * One line, without what `unreadable` refuses: for texts that cannot be sent back to who wrote them, such as a name
 * that a broker gives, and for rows of before the rule. Null: nothing is left that can be seen.
 */
export function readableLine(text: string): string | null {
  if (unreadable(text, 'line') === null) return text.trim() || null;
  const line = text.replaceAll(TO_BLANK, ' ').replaceAll(TO_NOTHING, '').replaceAll(/ {2,}/g, ' ').trim();
  return INK.test(line) ? line : null;
}
