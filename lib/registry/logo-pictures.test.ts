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
const ENTITIES = `<!DOCTYPE svg [${Array.from({ length: 9 }, (_, n) => `<!ENTITY l${n + 1} "${MANY(10, n === 0 ? 'lol' : `&l${n};`)}">`).join('')}]>`;

describe('an SVG with more in it than a picture is refused with its place', () => {
  test.each([
    ['a script', svg('<script>alert(1)</script>'), 'the element script'],
    ['a script in other letters', svg('<SCRIPT>alert(1)</SCRIPT>'), 'the element SCRIPT'],
    [
      'a script under a prefix',
      svg('<svg:script xmlns:svg="http://www.w3.org/2000/svg">1</svg:script>'),
      'the element svg:script',
    ],
    ['an event', svg('', 'viewBox="0 0 1 1" onload="alert(1)"'), 'the attribute onload'],
    ['an event in other letters', svg('<g ONCLICK="alert(1)"/>'), 'the attribute ONCLICK'],
    ['an event after a slash', svg('<g/onclick="alert(1)"/>'), 'does not end'],
    [
      'a page inside',
      svg('<foreignObject><body xmlns="http://www.w3.org/1999/xhtml"/></foreignObject>'),
      'the element foreignObject',
    ],
    ['a frame', svg('<iframe src="https://evil.example"/>'), 'the element iframe'],
    ['a link', svg('<a href="javascript:alert(1)"><path d="M0 0"/></a>'), 'the element a'],
    ['another picture', svg('<image href="https://evil.example/x.png"/>'), 'the element image'],
    ['a picture in data', svg('<image href="data:image/svg+xml;base64,PHN2Zz4="/>'), 'the element image'],
    ['use of another file', svg('<use href="https://evil.example/x.svg#a"/>'), 'the element use'],
    ['an svg in the svg', svg('<svg><path d="M0 0"/></svg>'), 'one svg element'],
    [
      'a gradient of another file',
      svg('<linearGradient href="https://evil.example/#a"/>'),
      'href="https://evil',
    ],
    [
      'a gradient in data',
      svg('<linearGradient xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="data:,x"/>'),
      'xlink:href="data:',
    ],
    [
      'a link that is written in entities',
      svg('<linearGradient href="&#106;avascript:alert(1)"/>'),
      'href="javascript:',
    ],
    ['a fill from elsewhere', svg('<path fill="url(https://evil.example/x)" d="M0 0"/>'), 'fill="url(https'],
    ['a style from elsewhere', svg('<path style="fill:url(//evil.example/x)" d="M0 0"/>'), 'style='],
    [
      'a style sheet that imports',
      svg('<style>@import "https://evil.example/x.css";</style>'),
      'a style with more',
    ],
    [
      'a style sheet with an address',
      svg('<style>.a{background:url(https://evil.example)}</style>'),
      'a style with more',
    ],
    ['a style sheet with an escape', svg('<style>.a{fill:u\\72l(x)}</style>'), 'a style with more'],
    [
      'a style sheet with a font',
      svg('<style>@font-face{font-family:x;src:local(x)}</style>'),
      'a style with more',
    ],
    ['a style sheet with an element', svg('<style><path d="M0 0"/></style><![CDATA[x]]>'), 'CDATA'],
    ['a style that moves', svg('<style>.a{animation:a 1s}</style>'), 'a style with more'],
    ['what moves', svg('<animate attributeName="href" to="javascript:alert(1)"/>'), 'the element animate'],
    [
      'a handler of its own',
      svg('<handler type="application/ecmascript">1</handler>'),
      'the element handler',
    ],
    ['a filter', svg('<filter id="a"><feTurbulence/></filter>'), 'the element filter'],
    ['a DOCTYPE', Buffer.concat([Buffer.from('<!DOCTYPE svg>'), svg('')]), 'DOCTYPE'],
    [
      'entities a thousand million times',
      Buffer.concat([Buffer.from(ENTITIES), svg('<text>&l9;</text>')]),
      'DOCTYPE',
    ],
    ['an entity that nobody made', svg('<text>&lol;</text>'), 'the entity &lol;'],
    ['an entity of a file', svg('<text>&xxe;</text>'), 'the entity &xxe;'],
    [
      'an instruction',
      Buffer.concat([Buffer.from('<?xml-stylesheet href="https://evil.example"?>'), svg('')]),
      'an instruction',
    ],
    [
      'a clip in a clip',
      svg('<clipPath id="a"><path clip-path="url(#a)" d="M0 0"/></clipPath>'),
      'clip-path=',
    ],
    [
      'a mask in a mask, by its style',
      svg('<mask id="a"><path style="mask:url(#a)" d="M0 0"/></mask>'),
      'style=',
    ],
    [
      'a mask for a class',
      svg('<style>path{mask:url(#a)}</style><mask id="a"><path d="M0 0"/></mask>'),
      'a style with more',
    ],
    ['a thousand deep', svg(`${MANY(100, '<g>')}${MANY(100, '</g>')}`), 'deep'],
    ['too many elements', svg(MANY(5_001, '<g/>')), 'more than 5000'],
    [
      'what does not end',
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><g>'),
      'ends too early',
    ],
    ['what ends twice', Buffer.concat([svg(''), svg('')]), 'goes on after its end'],
    ['what closes another', svg('<g></path>'), 'closes nothing'],
    ['an attribute twice', svg('<path d="M0 0" d="M1 1"/>'), 'twice'],
    ['an attribute without quotes', svg('<path d=M0/>'), 'without quotes'],
    ['no SVG', Buffer.from('<svg viewBox="0 0 1 1"/>'), 'xmlns'],
    ['HTML', Buffer.from('<html xmlns="http://www.w3.org/2000/svg"/>'), 'the element html'],
    ['UTF-16', Buffer.from('\ufeff<svg xmlns="http://www.w3.org/2000/svg"/>', 'utf16le'), 'is none'],
    ['a NUL', svg('<text>\0</text>'), 'a character'],
    ['20,000 pixels wide', svg('', 'width="20000" height="10"'), '20000 × 10 pixels'],
    ['without a size', svg('', ''), 'neither width'],
    ['of a size in centimetres', svg('', 'width="1cm" height="1cm"'), 'no number of pixels'],
  ])('%s', (_, bytes, why) => {
    expect(said(bytes)).toContain(why);
  });

  test('the place is a line and a column', () => {
    expect(said(svg('\n  <g>\n    <script/></g>'))).toMatch(
      /script, which is not accepted \(line 3, column 5\)$/,
    );
  });
});

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
