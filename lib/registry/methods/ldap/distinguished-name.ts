// Names of a directory (RFC 4514), brought to one spelling: without spaces around separators, types in small letters,
// and each character escaped in one way. The case of values counts.

const TYPE = /^(?:[a-z][a-z0-9-]*|\d+(?:\.\d+)+)$/i;
const HEX = /^[0-9a-f]{2}/i;
const ESCAPED = /[,+"\\<>;=]/g;

/** What one value says, without its escapes; null: it is no value. `at`: behind it. */
function readValue(text: string, from: number): { value: string; at: number } | null {
  const bytes: number[] = [];
  // spaces at the end belong to no value, unless they are escaped
  let kept = 0;
  let at = from;
  while (at < text.length && text[at] === ' ') at += 1;
  while (at < text.length && !',+;'.includes(text[at] ?? '')) {
    const next = text.slice(at + 1);
    if (text[at] === '\\') {
      const hex = HEX.exec(next)?.[0];
      if (hex === undefined && next === '') return null;
      const escaped = hex === undefined ? String.fromCodePoint(next.codePointAt(0) ?? 0) : hex;
      bytes.push(...(hex === undefined ? Buffer.from(escaped) : [Number.parseInt(hex, 16)]));
      at += 1 + escaped.length;
      kept = bytes.length;
      continue;
    }
    const one = String.fromCodePoint(text.codePointAt(at) ?? 0);
    bytes.push(...Buffer.from(one));
    at += one.length;
    if (one !== ' ') kept = bytes.length;
  }
  return { value: Buffer.from(bytes.slice(0, kept)).toString('utf8'), at };
}

/** `joined`: to the one before it in the same part of the name. */
type Pair = { type: string; value: string; joined: boolean };

/** What a name says, without its escapes; null: the text is none. */
export function pairsIn(text: string): Pair[] | null {
  const pairs: Pair[] = [];
  let at = 0;
  let joined = false;
  while (true) {
    const equals = text.indexOf('=', at);
    const type = equals < 0 ? '' : text.slice(at, equals).trim();
    if (!TYPE.test(type)) return null;
    const read = readValue(text, equals + 1);
    if (read === null) return null;
    pairs.push({ type: type.toLowerCase(), value: read.value, joined });
    if (read.at >= text.length) return pairs;
    joined = text[read.at] === '+';
    at = read.at + 1;
  }
}

/** The one spelling of a name; null: the text is none. */
function spelled(text: string): string | null {
  const written = pairsIn(text)?.map(
    ({ type, value, joined }, at) =>
      `${at === 0 ? '' : joined ? '+' : ','}${type}=${value.replaceAll(ESCAPED, '\\$&')}`,
  );
  return written?.join('') ?? null;
}

/** Is the name the base or below it? A directory compares both without case. */
export function isWithin(dn: string, base: string): boolean {
  const [own, above] = [spelled(dn)?.toLowerCase(), spelled(base)?.toLowerCase()];
  return own !== undefined && above !== undefined && (own === above || own.endsWith(`,${above}`));
}

/** What texts are compared by: the one spelling of a name of a directory, or the text itself. */
export const comparedName = (text: string): string => (text.includes('=') && spelled(text)) || text;
