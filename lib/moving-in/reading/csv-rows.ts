// Rows of comma-separated values (RFC 4180), one at a time. The first row says by which character fields are apart.
import { MAX_PIECE, refuseUtf16, SourceFault, type SourceFile } from './source-file.ts';

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
