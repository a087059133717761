// Images for logos: small valid images, images of any size, broken images, and images that are expensive to decode.
import { crc32, deflateSync } from 'node:zlib';

export function pngChunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** Creates an image of a single colour. `said`: size in the header, without pixel data. */
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

export const GIF = decoded('R0lGODlhAQABAIAAAAAAAP///yH5BAAAAAAALAAAAAABAAEAAAIBRAA7');
/** JPEG image of 4 × 4 pixels */
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
/** WebP image (VP8L) of 4 × 4 pixels */
export const VP8L = decoded('LwPAAAAH0K9+VKn/gYjofwA=');
export const WEBP = webp(['VP8L', VP8L]);

export const svg = (inside: string, attributes = 'viewBox="0 0 24 24"'): Buffer =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${inside}</svg>`);

/** An SVG as a drawing program writes it, with a gradient, a clip path and classes. */
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

const many = (count: number, one: string) => one.repeat(count);
const numbered = (count: number, one: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => one(n)).join('');
/** SVG with nested levels. Each level draws the level below it this number of times. */
const uses = (levels: number, times: number) =>
  `<defs><g id="a0"><path d="M0 0h1v1z"/></g>${numbered(levels, (n) => `<g id="a${n + 1}">${many(times, `<use href="#a${n}"/>`)}</g>`)}</defs><use href="#a${levels}"/>`;
const filtered = (filter: string, count = 1) =>
  svg(`${filter}${many(count, '<rect width="24" height="24" filter="url(#f)"/>')}`);
const after = (doctype: string, inside: string) =>
  Buffer.concat([Buffer.from(`<!DOCTYPE svg [${doctype}]>`), svg(inside)]);
const points = numbered(40_000, (n) => `L${n % 24} ${(n * 7) % 24}`).slice(1);

/** Pictures that are small as files, but expensive to decode. */
export const COSTLY: Readonly<Record<string, Buffer>> = {
  'use a thousand million times': svg(uses(9, 10)),
  'use, doubled forty times': svg(uses(40, 2)),
  'use, 216,000 times': svg(uses(3, 60)),
  'masks within masks': svg(
    `${numbered(30, (n) => `<mask id="m${n}">${many(2, `<rect width="24" height="24" fill="#fff" mask="url(#m${n + 1})"/>`)}</mask>`)}<rect width="24" height="24" mask="url(#m0)"/>`,
  ),
  'patterns within patterns': svg(
    `${numbered(20, (n) => `<pattern id="p${n}" width="0.1" height="0.1" patternUnits="userSpaceOnUse"><rect width="24" height="24" fill="url(#p${n + 1})"/></pattern>`)}<rect width="24" height="24" fill="url(#p0)"/>`,
  ),
  'a line of marks': svg(
    `<marker id="m" markerWidth="24" markerHeight="24"><path d="M${points}"/></marker><path d="M${points}" marker-mid="url(#m)" stroke="red"/>`,
  ),
  'a huge filter, 500 times': filtered(
    '<filter id="f" x="-1e4" y="-1e4" width="2e4" height="2e4"><feGaussianBlur stdDeviation="1000"/></filter>',
    500,
  ),
  'a filter of 6,000 steps': filtered(
    `<filter id="f">${many(6_000, '<feGaussianBlur stdDeviation="50"/>')}</filter>`,
  ),
  'a filter of 3,000 results': filtered(
    `<filter id="f">${numbered(3_000, (n) => `<feFlood result="r${n}"/>`)}</filter>`,
  ),
  'a filter of a thousand million octaves': filtered(
    '<filter id="f"><feTurbulence baseFrequency="0.05" numOctaves="1000000000"/></filter>',
  ),
  'a filter of a wide radius': filtered(
    '<filter id="f"><feMorphology operator="dilate" radius="10000"/></filter>',
  ),
  'entities a thousand million times': after(
    numbered(9, (n) => `<!ENTITY l${n + 1} "${many(10, n === 0 ? 'lol' : `&l${n};`)}">`),
    '<text>&l9;</text>',
  ),
  'entities, the square of sixty thousand': after(
    `<!ENTITY a "${many(60_000, 'x')}">`,
    `<text>${many(60_000, '&a;')}</text>`,
  ),
  'sixty thousand elements deep': svg(many(60_000, '<g>') + many(60_000, '</g>')),
  '15,000 layers': svg(many(15_000, '<g opacity="0.9"><rect width="24" height="24"/></g>')),
  'half a megabyte of paths': svg(many(24_000, '<path d="M0 0h9v9z"/>')),
  'five megabytes of paths': svg(many(240_000, '<path d="M0 0h9v9z"/>')),
  'a line of tiny dashes': svg('<path d="M0 0L24 24L0 9" stroke="red" stroke-dasharray="0.000001"/>'),
  '5,000 texts': svg(many(5_000, '<text x="1" y="9">A &lt; B</text>')),
  'a style sheet of 8,000 rules for 8,000 elements': svg(
    `<style>${numbered(8_000, (n) => `g g g g g g .c${n} ~ * > *{fill:red}`)}</style>${many(20, '<g class="a">')}${many(8_000, '<path/>')}${many(20, '</g>')}`,
  ),
  'a picture in the picture that unpacks to a gigabyte': svg(
    `<image width="24" height="24" href="data:image/png;base64,${png({ said: 20_000, side: 16 }).toString('base64')}"/>`,
  ),
  'a PNG that unpacks to a gigabyte': png({ said: 20_000 }),
  'a PNG of 2,000 pixels a side': png({ side: 2_000 }),
};
