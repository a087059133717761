// A file of the source. It can be read twice, and is never in memory as a whole.

export type SourceFile = { name: string; chunks: () => AsyncIterable<Uint8Array> };

/** The source cannot be read. The message begins with the place. */
export class SourceFault extends Error {
  override name = 'SourceFault';
}

/** Of one person, or of one line. */
export const MAX_PIECE = 16_777_216;
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
  return decoded(whole, file.name);
}

export function decoded(bytes: Uint8Array, place: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new SourceFault(`${place}: holds bytes that are no UTF-8`);
  }
}

/** As some shells write it. */
export function refuseUtf16({ name }: SourceFile, start: Uint8Array): void {
  if ((start[0] === 0xff && start[1] === 0xfe) || (start[0] === 0xfe && start[1] === 0xff))
    throw new SourceFault(`${name}: is UTF-16, write it as UTF-8`);
}
