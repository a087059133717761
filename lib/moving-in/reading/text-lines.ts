// The lines of a text, each with its number. A file that ends in the middle of a line says so with the line.
import { decoded, MAX_PIECE, refuseUtf16, SourceFault, type SourceFile } from './source-file.ts';

/** `whole`: a line break follows. */
export type TextLine = { text: string; number: number; whole: boolean };

const LINE_FEED = 0x0a;

/** Empty lines are left out. */
export async function* linesOf(file: SourceFile): AsyncGenerator<TextLine> {
  let number = 0;
  let rest: Uint8Array = new Uint8Array();
  const lineOf = (bytes: Uint8Array, whole: boolean): TextLine => {
    number += 1;
    if (number === 1) refuseUtf16(file, bytes);
    return { text: decoded(bytes, `${file.name}:${number}`).replace(/\r$/, ''), number, whole };
  };
  for await (const chunk of file.chunks()) {
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
      const line = lineOf(Buffer.concat([rest, chunk.subarray(from, at)]), true);
      rest = new Uint8Array();
      from = at + 1;
      if (line.text.trim() !== '') yield line;
    }
    if (from < chunk.length) rest = Buffer.concat([rest, chunk.subarray(from)]);
    if (rest.length > MAX_PIECE)
      throw new SourceFault(`${file.name}:${number + 1}: is a line of more than ${MAX_PIECE} bytes`);
  }
  if (rest.length === 0) return;
  const last = lineOf(rest, false);
  if (last.text.trim() !== '') yield last;
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
