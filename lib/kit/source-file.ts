// Reads an import file in chunks and splits it into lines: at most one line is in memory. A SourceFault names file
// and line.

export type SourceFile = { name: string; chunks: () => AsyncIterable<Uint8Array> };

/** Thrown if the source cannot be read. The message begins with the position. */
export class SourceFault extends Error {
  override name = 'SourceFault';
}

/** Maximum number of bytes of one user or line. */
export const MAX_PIECE = 16_777_216;

export function decodeUtf8(bytes: Uint8Array, place: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new SourceFault(`${place}: contains bytes that are not UTF-8`);
  }
}

/** Rejects UTF-16, which some shells write. */
export function refuseUtf16({ name }: SourceFile, start: Uint8Array): void {
  if ((start[0] === 0xff && start[1] === 0xfe) || (start[0] === 0xfe && start[1] === 0xff))
    throw new SourceFault(`${name}: is UTF-16, write it as UTF-8`);
}

/** `whole`: a line break follows the line. */
export type TextLine = { text: string; number: number; whole: boolean };

const LINE_FEED = 0x0a;

/** Yields the lines of a file, except empty lines. */
export async function* linesOf(file: SourceFile): AsyncGenerator<TextLine> {
  let number = 0;
  let rest: Uint8Array = new Uint8Array();
  const lineOf = (bytes: Uint8Array, whole: boolean): TextLine => {
    number += 1;
    if (number === 1) refuseUtf16(file, bytes);
    return { text: decodeUtf8(bytes, `${file.name}:${number}`).replace(/\r$/, ''), number, whole };
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
