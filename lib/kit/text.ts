// Text from outside: allowed characters, display rules, and canonical forms of email addresses, secrets and names.
import { domainToASCII, domainToUnicode } from 'node:url';
import { type FaultText, fault } from './fault.ts';

const EMOJI = String.raw`\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})?`;
/** Sequences in which an invisible character changes what is visible. */
const SEQUENCES = new RegExp(
  [
    // a symbol with text presentation
    String.raw`\p{Extended_Pictographic}\uFE0E`,
    String.raw`\p{RGI_Emoji}`,
    String.raw`${EMOJI}(?:\u200D${EMOJI})*`,
    // ideographic variants in names
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
/**
 * Zero-width joiners and non-joiners between two letters. A joiner is also allowed after the last letter of a word.
 */
const JOINERS = new RegExp(`(?<=${LETTER})(?:\\u200C(?=${LETTER})|\\u200D)`, 'gv');

/** Visible marks around numbers, which Unicode classifies as format characters. */
const NUMBER_SIGNS = '\\u0600-\\u0605\\u06DD\\u070F\\u0890\\u0891\\u08E2\\u{110BD}\\u{110CD}';
/**
 * Characters that are invisible, like format characters: Hangul fillers, variation selectors and tags, the Braille
 * blank, the musical null notehead, the object replacement character.
 */
const UNSEEN = `[[\\p{Cf}--[${NUMBER_SIGNS}]]\\p{Default_Ignorable_Code_Point}\\u2800\\u{1D159}\\u{16FE4}\\uFFFC]`;
const BREAKS = String.raw`[\n\r\v\f\x85\u2028\u2029]`;
const CONTROLS = String.raw`[\p{Cc}\p{Cs}]`;
const FIRST_UNSEEN = new RegExp(UNSEEN, 'v');
const FIRST_BREAK = new RegExp(BREAKS, 'v');
const FIRST_CONTROL = new RegExp(CONTROLS, 'v');
/** Matches a visible character: a letter, number, punctuation mark or symbol. */
const INK = /[\p{L}\p{N}\p{P}\p{S}]/v;

/** `line`: the text has no line breaks. `lines`: the text may contain line breaks and tabs. */
export type TextShape = 'line' | 'lines';

/**
 * Describes a fault in text that pages display. The description follows the name of the field. `null`: the text is
 * valid. Callers reject empty text.
 */
export function unreadable(text: string, shape: TextShape): FaultText | null {
  const rest = (shape === 'line' ? text : text.replaceAll(/\r\n|[\n\t]/g, ' ')).replaceAll(SEQUENCES, 'x');
  const bare = rest.replaceAll(JOINERS, '');
  if (FIRST_BREAK.test(bare)) return { message: 'must be one line' };
  const control = FIRST_CONTROL.exec(bare)?.[0];
  if (control !== undefined)
    return fault('must not contain the control character {value}', { value: codePointName(control) });
  const unseen = FIRST_UNSEEN.exec(bare)?.[0];
  if (unseen !== undefined)
    return fault('must not contain {character}, which is invisible or changes the text direction', {
      character: codePointName(unseen),
    });
  return bare.trim() === '' || INK.test(bare) ? null : { message: 'must contain a visible character' };
}

const codePointName = (character: string) =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

const TO_BLANK = new RegExp(`(?:${BREAKS}|${CONTROLS})+`, 'gv');
const TO_NOTHING = new RegExp(UNSEEN, 'gv');

/**
 * Returns one line without the characters that `unreadable` rejects. Used for names from brokers and in old rows,
 * because nobody can ask their author to correct them. `null`: no visible character remains.
 */
export function readableLine(text: string): string | null {
  if (unreadable(text, 'line') === null) return text.trim() || null;
  const line = text.replaceAll(TO_BLANK, ' ').replaceAll(TO_NOTHING, '').replaceAll(/ {2,}/g, ' ').trim();
  return INK.test(line) ? line : null;
}

// Canonical email address for storage, lookup, limits and comparison. Browsers, files and APIs send A-labels or
// U-labels (RFC 5890 §2.3.2.1) and composed or decomposed letters.

/**
 * Converts the domain to A-labels, the local part to NFC, and everything to lower case. If the text contains no `@`,
 * or the domain is in neither form of labels, it is only converted to lower case.
 */
export function canonicalEmail(text: string): string {
  const plain = text.normalize('NFC').toLowerCase().normalize('NFC');
  const at = plain.lastIndexOf('@') + 1;
  const ascii = aLabels(plain.slice(at));
  return at === 0 || ascii === null ? plain : plain.slice(0, at) + ascii;
}

/** Converts a domain to A-labels. `null`: it is invalid, or written in other labels than its A-labels or U-labels. */
function aLabels(host: string): string | null {
  const ascii = domainToASCII(host);
  return ascii !== '' && (host === ascii || host === domainToUnicode(ascii)) ? ascii : null;
}

/** Returns the address for display: the domain as U-labels, if they convert back to the same address. */
export function shownEmail(address: string): string {
  const at = address.lastIndexOf('@') + 1;
  const unicodeAddress = address.slice(0, at) + domainToUnicode(address.slice(at));
  return at > 0 && canonicalEmail(unicodeAddress) === address ? unicodeAddress : address;
}

/**
 * Converts a search text to the form in which columns store addresses: an address, `@domain`, or a complete domain.
 */
export function canonicalSearch(text: string): string {
  if (text.includes('@')) return canonicalEmail(text);
  return text.includes('.') ? canonicalEmail(`@${text}`).slice(1) : canonicalEmail(text);
}

// Allowed characters in secrets (RFC 6749 Appendix A.2: VSCHAR). A value from a file or variable often ends with a
// line break, so later comparisons would fail.

/**
 * `token`: sent as a bearer token. `password`: people type it, so any letter is allowed. `url`: a URL that contains a
 * password.
 */
export type SecretKind = 'secret' | 'token' | 'password' | 'url';

/** Describes why the secret is invalid, without repeating the value. `null`: valid. */
export function secretFault(value: string, kind: SecretKind = 'secret'): string | null {
  const edge = edgeFault(value, kind);
  if (edge !== null) return edge;
  if (kind === 'password') return null;
  if (/[^\x20-\x7e]/.test(value)) return 'contains a character outside of printable ASCII';
  if (kind !== 'secret' && value.includes(' '))
    return kind === 'url' ? 'contains a space: percent-encode it as %20' : 'contains a space';
  return null;
}

/** Rejects line breaks and control characters. Also rejects spaces at the ends, except in a password. */
export function edgeFault(value: string, kind: SecretKind = 'secret'): string | null {
  if (/[\r\n]$/.test(value)) return 'ends in a line break (echo adds one, printf does not)';
  if (/^[\r\n]/.test(value)) return 'begins with a line break';
  if (/[\r\n]/.test(value)) return 'contains a line break';
  if (value.startsWith('\uFEFF')) return 'begins with a byte order mark';
  if (/\p{Cc}/u.test(value)) return 'contains a control character';
  if (kind === 'password') return null;
  if (/^\s/.test(value)) return 'begins with a space';
  return /\s$/.test(value) ? 'ends in a space' : null;
}

// Checks of all input: PostgreSQL must be able to store its text (no NUL), text must be valid Unicode (JSON allows
// lone surrogates), and the nesting depth is limited.

/** A value that the database cannot store. The sender caused this error, never the service. */
export class UnstorableValue extends Error {
  override name = 'UnstorableValue';
  /** path of the value in the input; `null`: PostgreSQL rejected the input and did not name the value */
  readonly path: readonly (string | number)[] | null;
  constructor(fault: string, path: readonly (string | number)[] | null = null, options: ErrorOptions = {}) {
    super(fault, options);
    this.path = path;
  }
}

const MAX_DEPTH = 20;

type Path = readonly (string | number)[];

/** Finds the first text or member name that PostgreSQL cannot store. */
export function findUnstorable(value: unknown): UnstorableValue | null {
  // a loop, because deeply nested input would overflow the stack of a recursion
  const left: [value: unknown, path: Path][] = [[value, []]];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [one, path] = next;
    if (typeof one === 'string') {
      const fault = faultOf(one);
      if (fault !== null) return new UnstorableValue(fault, path);
    } else if (typeof one === 'object' && one !== null) {
      if (path.length >= MAX_DEPTH) return new UnstorableValue('is nested too deeply', path);
      const members = Array.isArray(one) ? [...one.entries()] : Object.entries(one);
      for (const [name, member] of members.reverse()) {
        const fault = typeof name === 'string' ? faultOf(name) : null;
        if (fault !== null) return new UnstorableValue(`has a name that ${fault}`, path);
        left.push([member, [...path, name]]);
      }
    }
  }
  return null;
}

/** Returns the value, or throws UnstorableValue. */
export function requireStorable<Value>(value: Value): Value {
  const unstorableValue = findUnstorable(value);
  if (unstorableValue) throw unstorableValue;
  return value;
}

function faultOf(text: string): string | null {
  if (text.includes('\u0000')) return 'contains a NUL character';
  return text.isWellFormed() ? null : 'contains half of a surrogate pair';
}

// Suggests the name that was probably meant, for errors about unknown names.

/**
 * Returns the name that needs the fewest edits, at most one third of its letters (at least 1). `null`: no name is
 * similar.
 */
export function nearest(typed: string, names: readonly string[]): string | null {
  const by = names
    .map((name) => ({ name, distance: distanceOf(typed, name) }))
    .filter(({ name, distance }) => distance <= Math.max(1, Math.floor(name.length / 3)))
    .toSorted((candidate, other) => candidate.distance - other.distance);
  return by[0]?.name ?? null;
}

/** Levenshtein distance: counts inserted, deleted and replaced letters. */
function distanceOf(word: string, other: string): number {
  // names of very different length are skipped, so that the error is cheap for any input
  if (Math.abs(word.length - other.length) > other.length) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [line, letter] of [...word].entries()) {
    const next = [line + 1];
    for (const [at, wanted] of [...other].entries())
      next.push(
        Math.min((row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1, (row[at] ?? 0) + (letter === wanted ? 0 : 1)),
      );
    row = next;
  }
  return row.at(-1) ?? 0;
}

// A sentence before translation: English text in ICU MessageFormat, and its values.

export type Sentence = { text: string; values?: Readonly<Record<string, string | number>> };
