// Reads exports piece by piece, CSV or JSON, so a list is never in memory as a whole.
import { pipeline, Readable } from 'node:stream';
import {
  decodeUtf8,
  MAX_PIECE,
  refuseUtf16,
  SourceFault,
  type SourceFile,
  type TextLine,
} from '../../../lib/kit/source-file.ts';
import { ownValue } from '../../../lib/kit/wire.ts';

/** Maximum size, in bytes, of a file that is read as a whole. */
const MAX_WHOLE = 536_870_912;

/** Reads a whole file as UTF-8. Used only for files that contain no users. */
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

// Rows of comma-separated values (RFC 4180), one at a time. The first line determines the separator.

/** A row of a CSV file. `number`: the line on which the row begins. */
export type CsvRow = { fields: string[]; number: number };

const SEPARATORS = [',', ';', '\t'] as const;

/** Messages for faults of a row, keyed by the error code of csv-parse. */
const CSV_FAULTS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'begins a quoted field without an end: the file is incomplete',
  CSV_INVALID_CLOSING_QUOTE: 'has text after a quoted field',
  INVALID_OPENING_QUOTE:
    'has a quote inside of a field without quotes: put the field in quotes, and write each of its quotes twice',
  CSV_MAX_RECORD_SIZE: 'is a row without an end',
};

/** Yields the rows of a CSV file, without blank lines. */
export async function* csvRows(file: SourceFile): AsyncGenerator<CsvRow> {
  // loaded only if a CSV file is imported
  const { parse } = await import('csv-parse');
  let line = 1;
  const fault = (message: string) => new SourceFault(`${file.name}:${line}: ${message}`);
  const texts = textsOf(file, () =>
    fault('contains bytes that are not UTF-8, on this line or a few lines below'),
  );
  const start = await firstLine(texts);
  const separator = separatorOf(start);
  /** the line on which each row begins, for rows that csv-parse has read but the loop has not reached */
  const begins: number[] = [];
  const parser = parse({
    delimiter: separator,
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    max_record_size: MAX_PIECE,
    // csv-parse counts a quoted CR LF as two lines, and reports an unclosed quote only at the end of the file
    on_record: (fields) => {
      const isBlank = fields.join(separator).trim() === '';
      if (!isBlank) begins.push(line);
      line += 1 + countOf(fields.join(''), '\n');
      return isBlank ? null : fields;
    },
  });
  // an error of the pipeline is not handled by its callback, because the loop over the rows throws it
  pipeline(Readable.from(prependText(start, texts)), parser, () => {});
  try {
    for await (const fields of parser as AsyncIterable<string[]>)
      yield { fields, number: begins.shift() ?? line };
  } catch (error) {
    const message = ownValue(CSV_FAULTS, (error as { code?: string }).code ?? '');
    throw message === undefined ? error : fault(message);
  }
}

/** Returns the text up to the end of the first line that is not blank. */
async function firstLine(texts: AsyncIterator<string>): Promise<string> {
  let text = '';
  for (let next = await texts.next(); !next.done; next = await texts.next()) {
    text += next.value;
    if (text.trimStart().includes('\n') || text.length > MAX_PIECE) break;
  }
  return text;
}

/** Returns the most frequent separator of the first line. */
function separatorOf(text: string): string {
  const start = text.lastIndexOf('\n', text.search(/\S/)) + 1;
  const [line = ''] = text.slice(start).split('\n', 1);
  return SEPARATORS.toSorted((a, b) => countOf(line, b) - countOf(line, a))[0] ?? ',';
}

async function* prependText(start: string, texts: AsyncIterable<string>): AsyncGenerator<string> {
  yield start;
  yield* texts;
}

function countOf(text: string, character: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) count += 1;
  return count;
}

// Streams a JSON document that contains a long list, item by item: `{ …, "users": [ … ] }`, or a list at the top
// level. The rest of the document is read as a whole.

export type JsonItem = { value: unknown; at: number };

const noUtf8 = (file: SourceFile) => (bytes: number) =>
  new SourceFault(`${file.name}: contains bytes that are not UTF-8, after byte ${bytes}`);

/** Yields the items of the list `member`, or of a list at the top level. */
export async function* itemsOf(file: SourceFile, member: string): AsyncGenerator<JsonItem> {
  const scanner = new Scanner(file, member, null);
  for await (const text of textsOf(file, noUtf8(file))) yield* scanner.read(text);
  scanner.end();
}

/** Returns the document with an empty list for `member`. */
export async function aroundItems(file: SourceFile, member: string): Promise<unknown> {
  const around: string[] = [];
  const scanner = new Scanner(file, member, around);
  for await (const text of textsOf(file, noUtf8(file))) {
    const items = scanner.read(text);
    while (!items.next().done);
  }
  scanner.end();
  return parseJson(around.join(''), file.name);
}

/**
 * Yields the text of a file. `fault` creates the error for bytes that are not UTF-8, from the number of preceding
 * bytes.
 */
async function* textsOf(file: SourceFile, fault: (bytes: number) => SourceFault): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let bytes = 0;
  const decode = (read: () => string) => {
    try {
      return read();
    } catch {
      throw fault(bytes);
    }
  };
  for await (const chunk of file.chunks()) {
    if (bytes === 0) refuseUtf16(file, chunk);
    yield decode(() => decoder.decode(chunk, { stream: true }));
    bytes += chunk.length;
  }
  yield decode(() => decoder.decode());
}

function parseJson(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const where = /position \d+[^)]*\)?/.exec(error instanceof Error ? error.message : '')?.[0];
    throw new SourceFault(`${place}: is not JSON${where ? `, at ${where}` : ''}`);
  }
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, OPEN_OBJECT, CLOSE_LIST, CLOSE_OBJECT] = [0x5b, 0x7b, 0x5d, 0x7d];

/** Finds the items of a list. It tracks only quotes, brackets and commas; JSON.parse handles the content. */
class Scanner {
  readonly #file: SourceFile;
  readonly #member: string;
  /** `null`: the caller needs only the items */
  readonly #around: string[] | null;
  #depth = 0;
  #inText = false;
  #escaped = false;
  /** nesting depth of the items in the list; 0: the scanner is outside the list */
  #listDepth = 0;
  /** text since the last comma between two members of the document */
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
    throw new SourceFault(`${name}: ends in the middle${where}: the file is incomplete`);
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
    yield { value: parseJson(text, `${this.#file.name}: ${place}`), at };
  }

  #isNamed(): boolean {
    return this.#head.replaceAll(/\s/g, '').endsWith(`"${this.#member}":[`);
  }

  #place(): string {
    return `${this.#member}[${this.#count}]`;
  }
}

/** Parses an NDJSON line. */
export function valueOfLine(file: SourceFile, { text, number, whole }: TextLine): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const cut = whole ? 'is not JSON' : 'is not JSON, and nothing follows: the file is incomplete';
    throw new SourceFault(`${file.name}:${number}: ${cut}`);
  }
}
