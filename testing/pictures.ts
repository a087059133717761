// Pictures for logos, small and whole; and how to make one of any size, or a broken one.
import { crc32, deflateSync } from 'node:zlib';

export function pngChunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** Of one colour. `said`: the size that its header says, and nothing behind it. */
export function png({
  side = 64,
  said = side,
  colour = [31, 95, 74],
  more = [] as Buffer[],
}: {
  side?: number;
  said?: number;
  colour?: number[];
  more?: Buffer[];
} = {}): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(said, 0);
  header.writeUInt32BE(side, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const row = Buffer.concat([Buffer.alloc(1), Buffer.concat(Array(side).fill(Buffer.from(colour)))]);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    pngChunk('IHDR', header),
    ...more,
    pngChunk('IDAT', deflateSync(Buffer.concat(Array(side).fill(row)))),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

const decoded = (base64: string) => Buffer.from(base64, 'base64');

export const GIF = decoded('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7');
/** 4 × 4 */
export const JPEG = decoded(
  `/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABsSFBcUERsXFhceHBsgKEIrKCUlKFE6PTBCYFVlZF9VXVtqeJmBanGQc1tdhbWGkJ6jq62rZ4C8ybqmx5moq6T/
2wBDARweHigjKE4rK06kbl1upKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKT/wAARCAAEAAQDASIAAhEBAxEB/8QAFQAB
AQAAAAAAAAAAAAAAAAAAAAX/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFQEBAQAAAAAAAAAAAAAAAAAAAAT/xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oADAMBAAIR
AxEAPwCeAJn/2Q==`,
);
export const webp = (...chunks: [name: string, data: Buffer][]): Buffer => {
  const parts = chunks.map(([name, data]) => {
    const head = Buffer.alloc(8);
    head.write(name, 'latin1');
    head.writeUInt32LE(data.length, 4);
    return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
  });
  const body = Buffer.concat([Buffer.from('WEBP'), ...parts]);
  const head = Buffer.alloc(8);
  head.write('RIFF');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body]);
};
/** 4 × 4 */
export const VP8L = decoded('LwPAAAAH0K9+VKn/gYjofwA=');
export const WEBP = webp(['VP8L', VP8L]);

export const svg = (inside: string, attributes = 'viewBox="0 0 24 24"'): Buffer =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${inside}</svg>`);

/** As an editor writes it: a gradient, a clip, classes. */
export const SVG = Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>
<!-- a gate -->
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="64" height="64px" viewBox="0 0 64 64">
  <title>Shop &amp; Sons</title>
  <style>.a { fill: #fffdf9 } .b { stroke: url(#g); stroke-width: 4 }</style>
  <defs>
    <linearGradient id="f"><stop offset="0" stop-color="#d97706"/><stop offset="1" style="stop-color:#b45309"/></linearGradient>
    <linearGradient id="g" xlink:href="#f" gradientUnits="userSpaceOnUse"/>
    <clipPath id="c"><rect width="64" height="64" rx="14"/></clipPath>
  </defs>
  <g clip-path="url(#c)"><rect width="64" height="64" fill="url(#g)"/><path class="a" d="M18 46V30a14 14 0 0 1 28 0v16h-8V30a6 6 0 0 0-12 0v16z"/></g>
</svg>
`);
