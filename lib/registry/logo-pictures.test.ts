// Pictures that strangers to the service send, and everybody who signs in is shown.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GIF, JPEG, png, pngChunk, SVG, svg, VP8L, WEBP, webp } from '#testing/pictures.ts';
import { brand, logoAsData, MAX_LOGO_BYTES, readLogo, splitBrand } from './brand.ts';

const said = (bytes: Buffer) => {
  const read = readLogo(bytes);
  return typeof read === 'string' ? read : read.type;
};

test.each([
  ['image/png', png()],
  ['image/png', png({ side: 2_000 })],
  ['image/png', png({ more: [pngChunk('tEXt', Buffer.from('Software\0an editor'))] })],
  ['image/gif', GIF],
  ['image/jpeg', JPEG],
  ['image/webp', WEBP],
  ['image/svg+xml', SVG],
  ['image/svg+xml', svg('<path d="M0 0h24v24z"/>', 'width="24" height="24"')],
  ['image/svg+xml', svg('<text x="1" y="9">A &lt; B</text><!-- end -->')],
])('%s is taken as it is, under the hash of its bytes', (type, bytes) => {
  expect(readLogo(bytes)).toMatchObject({ type, bytes, hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
  const { brand: stored, picture } = splitBrand(brand.parse({ logo: logoAsData({ type, bytes }) }));
  expect(picture?.bytes).toEqual(bytes);
  expect(stored?.logo).toBe(`/logo/${picture?.hash}`);
  expect(splitBrand(brand.parse(stored))).toEqual({ brand: stored, picture: null });
});

const frame = (bytes: Buffer) => Buffer.concat([bytes.subarray(0, -1), GIF.subarray(27)]);

describe('no picture', () => {
  test.each([
    ['nothing', Buffer.alloc(0), 'empty'],
    ['zeros', Buffer.alloc(200), 'is none'],
    ['a page', Buffer.from('<!DOCTYPE html><script>alert(1)</script>'), 'DOCTYPE'],
    ['a page that begins as text', Buffer.from('GIF <script>alert(1)</script>'), 'is none'],
    ['a program', Buffer.from('\x7fELF and more of it'), 'is none'],
    [
      'more bytes than are kept',
      png({ more: [pngChunk('tEXt', Buffer.alloc(MAX_LOGO_BYTES))] }),
      'at most 262144',
    ],
    ['five megabytes', Buffer.alloc(5_000_000, 'x'), 'at most 262144'],
    ['20,000 pixels wide', png({ said: 20_000 }), '20000 × 64 pixels: each side must have from 1 to 2000'],
    ['four thousand million pixels wide', png({ said: 0xffffffff }), '4294967295 × 64'],
    ['no pixels wide', png({ said: 0 }), '0 × 64'],
    ['a cut PNG', png().subarray(0, -5), 'ends too early'],
    ['a PNG without its end', png().subarray(0, -12), 'ends too early'],
    [
      'a PNG whose sum is wrong',
      Buffer.concat([png().subarray(0, 29), Buffer.alloc(4), png().subarray(33)]),
      'broken at IHDR',
    ],
    [
      'a PNG and a page',
      Buffer.concat([png(), Buffer.from('<html><script>1</script>')]),
      'goes on after its end',
    ],
    [
      'a PNG and an archive',
      Buffer.concat([png(), Buffer.from('PK\x05\x06'.padEnd(22, '\0'))]),
      'goes on after its end',
    ],
    [
      'a PNG with a page in its words',
      png({ more: [pngChunk('tEXt', Buffer.from('a\0<ScRiPt>alert(1)</script>'))] }),
      'markup',
    ],
    ['a PNG that moves', png({ more: [pngChunk('acTL', Buffer.alloc(8))] }), 'moves'],
    ['a cut JPEG', JPEG.subarray(0, -2), 'ends too early'],
    [
      'a JPEG without pixels',
      Buffer.concat([JPEG.subarray(0, JPEG.indexOf(Buffer.from([0xff, 0xda]))), Buffer.from([0xff, 0xd9])]),
      'no pixels',
    ],
    ['a JPEG and a page', Buffer.concat([JPEG, Buffer.from('<body>')]), 'goes on after its end'],
    ['a cut GIF', GIF.subarray(0, -1), 'ends too early'],
    ['a GIF and a program', Buffer.concat([GIF, Buffer.from('*/=1;alert(1)')]), 'goes on after its end'],
    ['a GIF of two frames', frame(GIF), 'moves'],
    ['a GIF larger than its screen', Buffer.from(GIF).fill(0xff, 32, 34), 'does not fit'],
    ['a cut WebP', WEBP.subarray(0, -2), 'ends too early'],
    ['a WebP and a page', Buffer.concat([WEBP, Buffer.from('<body>')]), 'goes on after its end'],
    [
      'a WebP that moves',
      webp(['VP8X', Buffer.alloc(10)], ['ANIM', Buffer.alloc(6)], ['VP8L', VP8L]),
      'moves',
    ],
    [
      'a WebP whose frame is larger than its canvas',
      webp(
        ['VP8X', Buffer.alloc(10)],
        ['VP8L', Buffer.concat([Buffer.from('2fffffff0f', 'hex'), VP8L.subarray(5)])],
      ),
      '16384 × 16384',
    ],
    ['a WebP without a frame', webp(['VP8X', Buffer.alloc(18)]), 'no pixels'],
  ])('%s', (_, bytes, why) => {
    expect(said(bytes)).toContain(why);
  });
});

const MANY = (count: number, one: string) => Array.from({ length: count }, () => one).join('');

test('whatever is sent is taken or refused, at once', () => {
  const pieces = [
    '<',
    '>',
    '/',
    '="',
    '"',
    '&',
    ';',
    '<!--',
    '-->',
    'svg',
    'g',
    ' ',
    'href',
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1">',
    '</svg>',
    '<![CDATA[',
  ];
  const text = fc
    .array(fc.oneof(fc.constantFrom(...pieces), fc.string()), { maxLength: 60 })
    .map((all) => all.join(''));
  const broken = fc
    .tuple(fc.constantFrom(png(), GIF, JPEG, WEBP, SVG), fc.nat(), fc.nat({ max: 255 }))
    .map(([whole, at, value]) => {
      const copy = Buffer.from(whole);
      copy[at % copy.length] = value;
      return copy.subarray(0, copy.length - (at % 7));
    });
  fc.assert(
    fc.property(
      fc.oneof(
        text.map((one) => Buffer.from(one)),
        broken,
        fc.uint8Array({ maxLength: 400 }).map((one) => Buffer.from(one)),
      ),
      (bytes) => {
        expect(said(bytes)).toBeTypeOf('string');
      },
    ),
    { numRuns: 2_000 },
  );
  // what a reader that goes back over it would not be done with
  said(svg(`<path d="${MANY(20_000, '&amp;')}"/>${MANY(4_000, '<g a')}`));
  said(Buffer.from(`<svg ${MANY(60_000, ' ')}`));
  said(Buffer.from(`<!--${MANY(60_000, '-')}`));
  said(svg(`<style>${MANY(20_000, 'url(#')}</style>`));
});
