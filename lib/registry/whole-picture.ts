// Whether a picture that somebody uploaded is whole, still, and nothing else besides: its parts are walked from the first byte to the
// last. A canvas that is small may hold a frame that is not (WebP), and a picture may be a page too (a polyglot).
import { crc32 } from 'node:zlib';
import { isUsable, MAX_SIDE, type Picture, pictureHead, type Size } from './picture.ts';

/** What is wrong, after `the picture`; null: nothing. */
export function pictureFault(bytes: Buffer): { type: Picture['type'] } | string {
  const head = pictureHead(bytes);
  if (!head) return 'is none: a PNG, JPEG, WebP, GIF or SVG is wanted, whole from its beginning';
  if (!isUsable(head.size)) return sizeFault(head.size);
  const fault = WALKERS[head.type](bytes);
  if (fault !== null) return fault;
  return hasMarkup(bytes) ? 'holds markup of a page' : { type: head.type };
}

export const sizeFault = ({ width, height }: Size): string =>
  `has ${width} × ${height} pixels: each side must have from 1 to ${MAX_SIDE}`;

/** Browsers that guess a type look for these (WHATWG MIME Sniffing §7.1). None is there by chance in 256 KB. */
const MARKUP = [
  '<script',
  '<!doctype',
  '<html',
  '<iframe',
  '<body',
  '<head',
  '<?php',
  '<svg xmlns',
  '<embed',
  '<object',
];
function hasMarkup(bytes: Buffer): boolean {
  const text = bytes.toString('latin1').toLowerCase();
  return MARKUP.some((mark) => text.includes(mark));
}

const CUT = 'ends too early';
const MORE = 'goes on after its end';
const MOVES = 'moves: a logo stands still';

const WALKERS: Readonly<Record<Picture['type'], (bytes: Buffer) => string | null>> = {
  'image/png': pngFault,
  'image/jpeg': jpegFault,
  'image/webp': webpFault,
  'image/gif': gifFault,
};

/** ISO/IEC 15948 §5.3: chunks, each with its sum, from IHDR to IEND. */
function pngFault(bytes: Buffer): string | null {
  let at = 8;
  let data = false;
  while (at + 12 <= bytes.length) {
    const length = bytes.readUInt32BE(at);
    const name = bytes.toString('latin1', at + 4, at + 8);
    const end = at + 12 + length;
    if (end > bytes.length) return CUT;
    if (crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) return `is broken at ${name}`;
    if (name === 'acTL') return MOVES;
    if (name === 'IDAT') data = true;
    if (name === 'IEND') return !data ? 'has no pixels' : end === bytes.length ? null : MORE;
    at = end;
  }
  return CUT;
}

/** ITU-T T.81 §B: segments, and after each start of a scan its coded data, in which 0xFF is followed by 0 or a restart. */
function jpegFault(bytes: Buffer): string | null {
  let at = 2;
  let scans = 0;
  while (at + 2 <= bytes.length) {
    if (bytes[at] !== 0xff) return 'is broken';
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === 0xd9) return scans === 0 ? 'has no pixels' : at + 2 === bytes.length ? null : MORE;
    if (at + 4 > bytes.length) return CUT;
    at += 2 + bytes.readUInt16BE(at + 2);
    if (marker !== 0xda) continue;
    scans += 1;
    while (at + 1 < bytes.length && !(bytes[at] === 0xff && !isWithinScan(bytes[at + 1] ?? 0))) at += 1;
  }
  return CUT;
}

const isWithinScan = (next: number) => next === 0 || (next >= 0xd0 && next <= 0xd7);

/** RFC 9649 §2.3: the length of the whole, and chunks of even lengths. */
function webpFault(bytes: Buffer): string | null {
  const whole = bytes.readUInt32LE(4) + 8;
  if (whole !== bytes.length) return whole > bytes.length ? CUT : MORE;
  let at = 12;
  let frames = 0;
  while (at + 8 <= bytes.length) {
    const name = bytes.toString('latin1', at, at + 4);
    const length = bytes.readUInt32LE(at + 4);
    const end = at + 8 + length + (length % 2);
    if (end > bytes.length) return CUT;
    if (name === 'ANIM' || name === 'ANMF') return MOVES;
    if (name === 'VP8 ' || name === 'VP8L') {
      frames += 1;
      const size = frameSize(name, bytes.subarray(at + 8, end));
      if (!size || !isUsable(size)) return size ? sizeFault(size) : CUT;
    }
    at = end;
  }
  if (frames !== 1) return frames === 0 ? 'has no pixels' : MOVES;
  return at === bytes.length ? null : MORE;
}

/** The frame's own size, which is what is unpacked. */
function frameSize(name: string, frame: Buffer): Size | null {
  if (frame.length < 10) return null;
  if (name === 'VP8L') {
    const bits = frame.readUInt32LE(1);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  return { width: frame.readUInt16LE(6) & 0x3fff, height: frame.readUInt16LE(8) & 0x3fff };
}

/** GIF89a §12, §17 to §27: a colour table, blocks, and one picture within the screen. */
function gifFault(bytes: Buffer): string | null {
  const tableBytes = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  /** Past sub-blocks to the empty one. */
  const pastBlocks = (from: number): number => {
    let at = from;
    while (at < bytes.length && bytes[at] !== 0) at += 1 + (bytes[at] ?? 0);
    return at + 1;
  };
  const screen = { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  let at = 13 + tableBytes(bytes[10] ?? 0);
  let frames = 0;
  while (at < bytes.length) {
    const kind = bytes[at];
    if (kind === 0x3b) return frames === 0 ? 'has no pixels' : at + 1 === bytes.length ? null : MORE;
    if (kind === 0x21) at = pastBlocks(at + 2);
    else if (kind === 0x2c) {
      frames += 1;
      if (frames > 1) return MOVES;
      if (at + 10 > bytes.length) return CUT;
      const [left, top] = [bytes.readUInt16LE(at + 1), bytes.readUInt16LE(at + 3)];
      const [width, height] = [bytes.readUInt16LE(at + 5), bytes.readUInt16LE(at + 7)];
      if (left + width > screen.width || top + height > screen.height)
        return 'does not fit on its own screen';
      at = pastBlocks(at + 11 + tableBytes(bytes[at + 9] ?? 0));
    } else return 'is broken';
  }
  return CUT;
}
