// Which picture these bytes are: PNG, JPEG, WebP or GIF, by what they begin with, and how large it unpacks. Nothing is decoded.
// Whether it is whole is whole-picture.ts's; SVG is svg-picture.ts's.

export type Picture = { type: 'image/png' | 'image/jpeg' | 'image/webp' | 'image/gif'; bytes: Buffer };

/** In pixels: a few kilobytes may unpack to gigabytes in the browser of whoever looks. */
export const MAX_SIDE = 2_000;

export type Size = { width: number; height: number };

/** Null: none of the four, broken at its beginning, or too large. */
export function pictureOf(bytes: Buffer): Picture | null {
  const { type, size } = pictureHead(bytes) ?? {};
  return type && size && isUsable(size) ? { type, bytes } : null;
}

/** What its first bytes say; null: none of the four. */
export function pictureHead(bytes: Buffer): { type: Picture['type']; size: Size } | null {
  for (const [type, sizeOf] of READERS) {
    const size = sizeOf(bytes);
    if (size) return { type, size };
  }
  return null;
}

export const isUsable = ({ width, height }: Size) =>
  width > 0 && height > 0 && width <= MAX_SIDE && height <= MAX_SIDE;

const READERS: [type: Picture['type'], sizeOf: (bytes: Buffer) => Size | null][] = [
  ['image/png', pngSize],
  ['image/jpeg', jpegSize],
  ['image/webp', webpSize],
  ['image/gif', gifSize],
];

const begins = (bytes: Buffer, text: string, at = 0) =>
  bytes.toString('latin1', at, at + text.length) === text;

/** ISO/IEC 15948 §5.2, §11.2.2. */
function pngSize(bytes: Buffer): Size | null {
  if (bytes.length < 33 || !begins(bytes, '\x89PNG\r\n\x1a\n') || !begins(bytes, 'IHDR', 12)) return null;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function gifSize(bytes: Buffer): Size | null {
  if (bytes.length < 14 || !(begins(bytes, 'GIF87a') || begins(bytes, 'GIF89a'))) return null;
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

/** ITU-T T.81 §B.2.2: the frame header is a segment among others. */
function jpegSize(bytes: Buffer): Size | null {
  if (!begins(bytes, '\xff\xd8\xff')) return null;
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

/** RFC 9649 §2.5 to §2.7: a canvas, or one frame, lossy or lossless. */
function webpSize(bytes: Buffer): Size | null {
  if (bytes.length < 30 || !begins(bytes, 'RIFF') || !begins(bytes, 'WEBP', 8)) return null;
  if (begins(bytes, 'VP8X', 12))
    return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  if (begins(bytes, 'VP8L', 12)) {
    const bits = bytes.readUInt32LE(21);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (!begins(bytes, 'VP8 ', 12)) return null;
  return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
}
