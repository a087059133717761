// Reads exports piece by piece: CSV and JSON, never a whole list in memory.
import {
  decodeUtf8,
  MAX_PIECE,
  refuseUtf16,
  SourceFault,
  type SourceFile,
  type TextLine,
} from '../../../lib/kit/source-file.ts';

/** Of a file that is read as a whole. */
const MAX_WHOLE = 536_870_912;

/** The text, as UTF-8. For files without people. */
export async function wholeText(file: SourceFile): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of file.chunks()) {
    bytes += chunk.length;
    if (bytes > MAX_WHOLE) throw new SourceFault(`${file.name}: has more than ${MAX_WHOLE} bytes`);
    pieces.push(chunk);
  }
  const whole = Buffer.concat(pieces);
  refuseUtf16(file, whole);
  return decodeUtf8(whole, file.name);
}

// Rows of comma-separated values (RFC 4180), one at a time. The first row says by which character fields are apart.

/** `number`: of the line on which it begins. */
export type CsvRow = { fields: string[]; number: number };

const SEPARATORS = [',', ';', '\t'] as const;

export async function* csvRows(file: SourceFile): AsyncGenerator<CsvRow> {
  const reader = new RowReader(file);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let first = true;
  for await (const chunk of file.chunks()) {
    if (first) refuseUtf16(file, chunk);
    first = false;
    yield* reader.read(reader.decode(() => decoder.decode(chunk, { stream: true })));
  }
  yield* reader.read(reader.decode(() => decoder.decode()));
  yield* reader.end();
}

class RowReader {
  readonly #file: SourceFile;
  #separator: string | null = null;
  #text = '';
  #line = 1;

  constructor(file: SourceFile) {
    this.#file = file;
  }

  decode(read: () => string): string {
    try {
      return read();
    } catch {
      throw this.#fault('holds bytes that are no UTF-8, here or a few lines below');
    }
  }

  *read(text: string): Generator<CsvRow> {
    this.#text += text;
    for (let end = this.#endOfRow(); end >= 0; end = this.#endOfRow()) {
      const row = this.#text.slice(0, end);
      this.#text = this.#text.slice(end + 1);
      yield* this.#row(row);
    }
    if (this.#text.length > MAX_PIECE) throw this.#fault('is a row without an end');
  }

  *end(): Generator<CsvRow> {
    if (this.#text === '') return;
    if (countOf(this.#text, '"') % 2 === 1)
      throw this.#fault('begins a quoted field without an end: the file was cut');
    yield* this.#row(this.#text);
  }

  *#row(raw: string): Generator<CsvRow> {
    const number = this.#line;
    this.#line += countOf(raw, '\n') + 1;
    const text = raw.replace(/\r$/, '');
    if (text.trim() === '') return;
    this.#separator ??= SEPARATORS.toSorted((a, b) => countOf(text, b) - countOf(text, a))[0] ?? ',';
    yield { fields: this.#fields(text, number), number };
  }

  /** The line feed after the row; inside of quotes it is a part of the field. */
  #endOfRow(): number {
    let quotes = 0;
    let from = 0;
    for (let at = this.#text.indexOf('\n'); at >= 0; at = this.#text.indexOf('\n', at + 1)) {
      quotes += countOf(this.#text.slice(from, at), '"');
      from = at;
      if (quotes % 2 === 0) return at;
    }
    return -1;
  }

  #fields(text: string, number: number): string[] {
    const fields: string[] = [];
    let at = 0;
    for (;;) {
      const quoted = text[at] === '"';
      const end = quoted ? this.#closingQuote(text, at) : text.indexOf(this.#separator ?? ',', at);
      if (!quoted) {
        fields.push(text.slice(at, end < 0 ? undefined : end));
        if (end < 0) return fields;
        at = end + 1;
        continue;
      }
      fields.push(text.slice(at + 1, end).replaceAll('""', '"'));
      if (end + 1 >= text.length) return fields;
      if (text[end + 1] !== this.#separator)
        throw new SourceFault(`${this.#file.name}:${number}: has text after a quoted field`);
      at = end + 2;
    }
  }

  #closingQuote(text: string, open: number): number {
    let at = text.indexOf('"', open + 1);
    while (at >= 0 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
    if (at < 0) throw this.#fault('has a quoted field without an end');
    return at;
  }

  #fault(message: string): SourceFault {
    return new SourceFault(`${this.#file.name}:${this.#line}: ${message}`);
  }
}

function countOf(text: string, character: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) count += 1;
  return count;
}

// A JSON document whose one long list is read item by item: `{ …, "users": [ … ] }`, or a list by itself. What is
// around the list is read as a whole.

export type JsonItem = { value: unknown; at: number };

/** The items of the list `member`, or of the document where it is a list. */
export async function* itemsOf(file: SourceFile, member: string): AsyncGenerator<JsonItem> {
  const scanner = new Scanner(file, member, null);
  for await (const text of textsOf(file)) yield* scanner.read(text);
  scanner.end();
}

/** The document, with an empty list for `member`. */
export async function aroundItems(file: SourceFile, member: string): Promise<unknown> {
  const around: string[] = [];
  const scanner = new Scanner(file, member, around);
  for await (const text of textsOf(file)) {
    const items = scanner.read(text);
    while (!items.next().done);
  }
  scanner.end();
  return parsed(around.join(''), file.name);
}

async function* textsOf(file: SourceFile): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let bytes = 0;
  const decode = (read: () => string) => {
    try {
      return read();
    } catch {
      throw new SourceFault(`${file.name}: holds bytes that are no UTF-8, after byte ${bytes}`);
    }
  };
  for await (const chunk of file.chunks()) {
    if (bytes === 0) refuseUtf16(file, chunk);
    yield decode(() => decoder.decode(chunk, { stream: true }));
    bytes += chunk.length;
  }
  yield decode(() => decoder.decode());
}

function parsed(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const where = /position \d+[^)]*\)?/.exec(error instanceof Error ? error.message : '')?.[0];
    throw new SourceFault(`${place}: is not JSON${where ? `, at ${where}` : ''}`);
  }
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, OPEN_OBJECT, CLOSE_LIST, CLOSE_OBJECT] = [0x5b, 0x7b, 0x5d, 0x7d];

/** Follows quotes, brackets and commas only: what is between them is left to JSON.parse. */
class Scanner {
  readonly #file: SourceFile;
  readonly #member: string;
  /** null: only the items are wanted */
  readonly #around: string[] | null;
  #depth = 0;
  #inText = false;
  #escaped = false;
  /** the depth of the list's items; 0: not in it */
  #listDepth = 0;
  /** what was read since the last comma between members of the document */
  #head = '';
  #piece = '';
  #count = 0;
  #empty = true;

  constructor(file: SourceFile, member: string, around: string[] | null) {
    this.#file = file;
    this.#member = member;
    this.#around = around;
  }

  *read(text: string): Generator<JsonItem> {
    if (text.trim() !== '') this.#empty = false;
    let from = 0;
    for (let at = 0; at < text.length; at += 1) {
      const character = text.charCodeAt(at);
      if (this.#inText) {
        if (this.#escaped) this.#escaped = false;
        else if (character === BACKSLASH) this.#escaped = true;
        else if (character === QUOTE) this.#inText = false;
      } else if (character === QUOTE) this.#inText = true;
      else if (character === OPEN_LIST || character === OPEN_OBJECT) {
        const isList = character === OPEN_LIST && this.#listDepth === 0;
        if (this.#depth < 2) from = this.#take(text, from, at + 1);
        const begins = isList && (this.#depth === 0 || (this.#depth === 1 && this.#isNamed()));
        this.#depth += 1;
        if (begins) this.#listDepth = this.#depth;
        if (this.#depth === 1) this.#head = '';
      } else if (character === CLOSE_LIST || character === CLOSE_OBJECT) {
        if (this.#depth === this.#listDepth) {
          from = this.#take(text, from, at);
          if (this.#piece.trim() !== '' || this.#count > 0) yield* this.#item();
          this.#listDepth = 0;
        }
        this.#depth -= 1;
      } else if (character === COMMA && this.#depth === this.#listDepth && this.#listDepth > 0) {
        this.#take(text, from, at);
        from = at + 1;
        yield* this.#item();
      } else if (character === COMMA && this.#depth === 1) {
        from = this.#take(text, from, at + 1);
        this.#head = '';
      }
    }
    this.#take(text, from, text.length);
  }

  end(): void {
    const { name } = this.#file;
    if (this.#empty) throw new SourceFault(`${name}: is empty`);
    if (this.#depth === 0 && !this.#inText) return;
    const where = this.#listDepth > 0 ? ` of ${this.#place()}` : '';
    throw new SourceFault(`${name}: ends in the middle${where}: the file was cut`);
  }

  #take(text: string, from: number, to: number): number {
    const piece = text.slice(from, to);
    if (this.#listDepth > 0) {
      if (this.#around === null) this.#piece += piece;
      if (this.#piece.length > MAX_PIECE)
        throw new SourceFault(`${this.#file.name}: ${this.#place()} has more than ${MAX_PIECE} characters`);
    } else {
      this.#around?.push(piece);
      if (this.#depth === 1) this.#head = `${this.#head}${piece}`.slice(-1000);
    }
    return to;
  }

  *#item(): Generator<JsonItem> {
    const place = this.#place();
    const at = this.#count;
    this.#count += 1;
    if (this.#around !== null) return;
    const text = this.#piece;
    this.#piece = '';
    yield { value: parsed(text, `${this.#file.name}: ${place}`), at };
  }

  #isNamed(): boolean {
    return this.#head.replaceAll(/\s/g, '').endsWith(`"${this.#member}":[`);
  }

  #place(): string {
    return `${this.#member}[${this.#count}]`;
  }
}

/** The value of a line of NDJSON. */
export function valueOfLine(file: SourceFile, { text, number, whole }: TextLine): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const cut = whole ? 'is not JSON' : 'is not JSON, and nothing follows: the file was cut';
    throw new SourceFault(`${file.name}:${number}: ${cut}`);
  }
}
