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

/** The one spelling of a name; null: the text is none. */
function spelled(text: string): string | null {
  const parts: string[] = [];
  let at = 0;
  while (true) {
    const equals = text.indexOf('=', at);
    const type = equals < 0 ? '' : text.slice(at, equals).trim();
    if (!TYPE.test(type)) return null;
    const read = readValue(text, equals + 1);
    if (read === null) return null;
    parts.push(`${type.toLowerCase()}=${read.value.replaceAll(ESCAPED, '\\$&')}`);
    if (read.at >= text.length) return parts.join('');
    parts.push(text[read.at] === '+' ? '+' : ',');
    at = read.at + 1;
  }
}

/** What texts are compared by: the one spelling of a name of a directory, or the text itself. */
export const comparedName = (text: string): string => (text.includes('=') && spelled(text)) || text;
