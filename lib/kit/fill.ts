// Templates: text files with placeholders. docs/snippets/README.md describes the syntax.

/** Booleans, texts and lists show or hide sections. A list repeats its section. */
export type FillValues = Readonly<Record<string, string | boolean | readonly string[]>>;

/** Functions that format a value, keyed by the word after the colon of a placeholder. Default: `text`. */
export type Quotes = Readonly<Record<string, (value: string) => string>> & {
  text: (value: string) => string;
};

type Part =
  | string
  | { place: string; how: string }
  | { section: string; isInverted: boolean; parts: readonly Part[] };
export type Template = { name: string; parts: readonly Part[]; places: ReadonlySet<string> };

/** Matches a placeholder, or the start or end of a section. A line with only such a start or end is removed. */
const TAG = /^[ \t]*\{\{([#^/])(\w+)\}\}[ \t]*\n|\{\{([#^/]?)(\w+)(?::(\w+))?\}\}/gm;
const INCLUDED = /^(.*?)\{\{>([\w./-]+)\}\}/m;
const EACH = 'item';

/** Parses a template. `read` returns the text of the file or of an included file. */
export function templateOf(name: string, read: (file: string) => string): Template {
  const root: Part[] = [];
  const places = new Set<string>();
  const open: { section: string; parts: Part[] }[] = [{ section: '', parts: root }];
  const add = (part: Part) => open.at(-1)?.parts.push(part);
  const text = withIncluded(name, read, []);
  const literal = (from: number, to: number) => {
    const part = text.slice(from, to);
    if (/\{\{\S/.test(part)) throw new Error(`${name}: ${/\{\{.*/.exec(part)?.[0]} is not a place`);
    if (part !== '') add(part);
  };
  let from = 0;
  for (const tag of text.matchAll(TAG)) {
    literal(from, tag.index);
    from = tag.index + tag[0].length;
    const [, lineMark, lineName, mark = lineMark ?? '', named = lineName ?? '', how = 'text'] = tag;
    if (mark === '/') {
      const closed = open.pop();
      if (closed?.section !== named) throw new Error(`${name}: {{/${named}}} closes no section`);
    } else {
      places.add(named);
      const parts: Part[] = [];
      add(mark === '' ? { place: named, how } : { section: named, isInverted: mark === '^', parts });
      if (mark !== '') open.push({ section: named, parts });
    }
  }
  literal(from, text.length);
  if (open.length > 1) throw new Error(`${name}: {{#${open.at(-1)?.section}}} is not closed`);
  return { name, parts: root, places };
}

/** Indents each line of the included file like the line of the include. */
function withIncluded(name: string, read: (file: string) => string, above: readonly string[]): string {
  if (above.includes(name)) throw new Error(`${name} includes itself`);
  let text = read(name);
  for (let match = INCLUDED.exec(text); match; match = INCLUDED.exec(text)) {
    const [whole, before = '', file = ''] = match;
    const indent = /^\s*/.exec(before)?.[0] ?? '';
    const included = withIncluded(file, read, [...above, name])
      .replace(/\n$/, '')
      .replaceAll('\n', `\n${indent}`);
    text = text.slice(0, match.index) + before + included + text.slice(match.index + whole.length);
  }
  return text;
}

/** Fills a template. Every placeholder must have a value, even in a section that is left out. */
export function fill({ name, parts, places }: Template, values: FillValues, quotes: Quotes): string {
  const missing = [...places].filter((place) => place !== EACH && values[place] === undefined);
  if (missing.length > 0) throw new Error(`${name}: no value for ${missing.join(', ')}`);
  const writeValue = (place: string, how: string, value: FillValues[string] | undefined): string => {
    const fault = () => new Error(`${name}: {{${place}:${how}}} cannot be written`);
    if (typeof value === 'object') {
      if (how === 'list') return value.map(quotes.text).join(', ');
      if (how === 'json') return JSON.stringify(value);
    }
    const quote = Object.hasOwn(quotes, how) ? quotes[how] : undefined;
    if (typeof value !== 'string' || !quote) throw fault();
    return quote(value);
  };
  const fillParts = (some: readonly Part[], item?: string): string =>
    some
      .map((part) => {
        if (typeof part === 'string') return part;
        if ('place' in part)
          return writeValue(part.place, part.how, part.place === EACH ? item : values[part.place]);
        const value = values[part.section];
        const isOn = Array.isArray(value) ? value.length > 0 : Boolean(value);
        if (isOn === part.isInverted) return '';
        if (typeof value === 'object' && !part.isInverted)
          return value.map((nestedValues) => fillParts(part.parts, nestedValues)).join('');
        return fillParts(part.parts, item);
      })
      .join('');
  return fillParts(parts);
}
