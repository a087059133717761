// Logos that strangers upload: the stored picture is drawn again, and contains nothing else from the file.
import fc from 'fast-check';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { GIF, JPEG, png, pngChunk, SVG, svg, VP8L, WEBP, webp } from '#testing/data/pictures.ts';
import { type DrawnLogo, drawLogo } from './draw.ts';

async function drawn(bytes: Buffer): Promise<DrawnLogo> {
  const logo = await drawLogo(bytes);
  if ('fault' in logo) throw new Error(logo.fault.message);
  return logo;
}
const sizeOf = async (bytes: Buffer) => {
  const { format, width, height } = await sharp(bytes).metadata();
  return `${format} ${width} × ${height}`;
};
/** Red, green and blue of the pixel in the middle of the picture. */
async function middle(bytes: Buffer): Promise<number[]> {
  const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
  const at = (Math.floor(info.height / 2) * info.width + Math.floor(info.width / 2)) * info.channels;
  return [...data.subarray(at, at + 3)];
}

describe('a logo is stored as WebP in two sizes, with its aspect ratio, and is never enlarged', () => {
  const wide = svg('<rect width="48" height="24"/>', 'viewBox="0 0 48 24"');
  test.each([
    ['png', png(), 'webp 64 × 64', 'webp 64 × 64'],
    ['png', png({ side: 2_000 }), 'webp 64 × 64', 'webp 192 × 192'],
    ['gif', GIF, 'webp 1 × 1', 'webp 1 × 1'],
    ['jpeg', JPEG, 'webp 4 × 4', 'webp 4 × 4'],
    ['webp', WEBP, 'webp 4 × 4', 'webp 4 × 4'],
    ['svg', SVG, 'webp 64 × 64', 'webp 192 × 192'],
    ['svg', svg('<path d="M0 0h2v2z"/>', 'width="2" height="2"'), 'webp 64 × 64', 'webp 192 × 192'],
    ['svg', wide, 'webp 64 × 32', 'webp 192 × 96'],
  ])('a logo in the format %s is stored in two sizes', async (format, bytes, small, large) => {
    const logo = await drawn(bytes);
    expect([logo.format, await sizeOf(logo.small), await sizeOf(logo.large)]).toEqual([format, small, large]);
    expect(logo).toMatchObject({ hash: expect.stringMatching(/^[0-9a-f]{64}$/), source: expect.any(String) });
    // drawing the picture again yields the same bytes, so another service that imports it gets the same picture
    expect((await drawn(logo.large)).hash).toBe(logo.hash);
  });
});

test('stored pictures contain no other data of the uploaded file', async () => {
  const page = '<html><script>alert(1)</script>';
  for (const bytes of [
    Buffer.concat([png(), Buffer.from(page)]),
    Buffer.concat([WEBP, Buffer.from(page)]),
    png({ more: [pngChunk('tEXt', Buffer.from(`Comment\0${page}`))] }),
    svg(`<script>alert(1)</script><rect width="24" height="24" onload="alert(1)"/><!-- ${page} -->`),
    await sharp(png())
      .withExif({ IFD0: { Copyright: page } })
      .jpeg()
      .toBuffer(),
  ]) {
    const { small, large } = await drawn(bytes);
    for (const kept of [small, large]) {
      expect(kept.toString('latin1')).not.toContain('alert');
      expect(await sizeOf(kept)).toMatch(/^webp /);
    }
  }
});

const frame = (bytes: Buffer) => Buffer.concat([bytes.subarray(0, -1), GIF.subarray(27)]);

test.each([
  ['zeros', Buffer.alloc(200), 'is none'],
  ['a page', Buffer.from('<!DOCTYPE html><script>alert(1)</script>'), 'is none'],
  ['a page that begins as text', Buffer.from('GIF <script>alert(1)</script>'), 'is none'],
  ['a program', Buffer.from('\x7fELF and more of it'), 'is none'],
  ['a format that is not taken', await sharp(png()).tiff().toBuffer(), 'is none'],
  ['20,000 pixels wide', png({ said: 20_000 }), '20000 × 64 pixels: each side must have from 1 to 2000'],
  ['four thousand million pixels wide', png({ said: 0xffffffff }), 'is broken'],
  ['no pixels wide', png({ said: 0 }), 'is broken'],
  ['a cut PNG', png({ side: 500 }).subarray(0, -40), 'is broken'],
  [
    'a PNG whose sum is wrong',
    Buffer.concat([png().subarray(0, 29), Buffer.alloc(4), png().subarray(33)]),
    'is broken',
  ],
  ['a cut JPEG', JPEG.subarray(0, -2), 'is broken'],
  ['a GIF of two frames', frame(GIF), 'moves'],
  ['a GIF larger than its screen', Buffer.from(GIF).fill(0xff, 32, 34), '65535 × 1 pixels'],
  ['a cut WebP', WEBP.subarray(0, -2), 'is broken'],
  [
    'a WebP whose frame is larger than its canvas',
    webp(
      ['VP8X', Buffer.alloc(10)],
      ['VP8L', Buffer.concat([Buffer.from('2fffffff0f', 'hex'), VP8L.subarray(5)])],
    ),
    'is broken',
  ],
  ['an SVG that does not end', svg('<g>'), 'is broken: XML parse error: line 1, column 70'],
  ['two SVGs in one', Buffer.concat([SVG, SVG]), 'is broken: XML parse error: line'],
  ['an entity that is not there', svg('<text>&lol;</text>'), 'is broken: XML parse error: line 1'],
  ['an SVG without a size', svg('<rect width="9" height="9"/>', 'viewBox="0 0 0 24"'), 'without a size'],
  ['an empty SVG', svg(''), 'shows nothing'],
  ['an SVG with a script alone', svg('<script>alert(1)</script>'), 'shows nothing'],
])('the picture “%s” is rejected, and the error names the reason', async (_, bytes, why) => {
  expect(await drawLogo(bytes)).toMatchObject({ fault: { message: expect.stringContaining(why) } });
});

const path = '<path d="M0 0h24v24H0z" fill="#f00"/>';
describe('the output of drawing programs is drawn as browsers draw it', () => {
  const RED = [255, 0, 0];
  test.each([
    ['use', svg('<defs><path id="p" d="M0 0h24v24H0z" fill="#f00"/></defs><use href="#p"/>')],
    ['a filter', svg(`<filter id="f"><feOffset dx="0" dy="0"/></filter><g filter="url(#f)">${path}</g>`)],
    [
      'a pattern',
      svg(
        `<pattern id="p" width="1" height="1">${path}</pattern><rect width="24" height="24" fill="url(#p)"/>`,
      ),
    ],
    ['a style sheet', svg('<style type="text/css">.a{fill:#f00}</style><path class="a" d="M0 0h24v24H0z"/>')],
    ['CDATA', svg('<style><![CDATA[.a{fill:#f00}]]></style><path class="a" d="M0 0h24v24H0z"/>')],
    [
      'a mask by alpha',
      svg(
        `<mask id="m" style="mask-type:alpha"><rect width="24" height="24"/></mask><g mask="url(#m)">${path}</g>`,
      ),
    ],
    ['a viewBox of long numbers', svg(path, 'viewBox="0 0 23.9999999999 2.39999999E1"')],
    [
      'a viewBox larger than libvips draws',
      svg(`<g transform="scale(5000)">${path}</g>`, 'viewBox="0 0 1.2e5 1.2e5"'),
    ],
    ['a DOCTYPE with its DTD', Buffer.concat([Buffer.from(DOCTYPE()), svg(path)])],
    [
      'an entity of its own, as Illustrator writes it',
      Buffer.concat([
        Buffer.from('<!DOCTYPE svg [<!ENTITY red "#f00">]>'),
        svg('<rect width="24" height="24" fill="&red;"/>'),
      ]),
    ],
    [
      'metadata',
      svg(`<metadata><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/></metadata>${path}`),
    ],
    ['an svg in the svg', svg(`<svg width="24" height="24">${path}</svg>`)],
  ])('an SVG with %s is drawn', async (_, bytes) => {
    expect(await middle((await drawn(bytes)).large)).toEqual(RED);
  });
});
function DOCTYPE(): string {
  return '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">';
}

test('a photograph with an orientation tag is rotated', async () => {
  const bytes = await sharp(png({ side: 40 }))
    .resize(40, 20)
    .jpeg()
    .withMetadata({ orientation: 6 })
    .toBuffer();
  expect(await sizeOf((await drawn(bytes)).large)).toBe('webp 20 × 40');
});

test('SVG pictures are rejected if the settings disable SVG', async () => {
  expect(await drawLogo(SVG, { svg: false })).toMatchObject({
    fault: { message: expect.stringContaining('is none') },
  });
  expect(await drawLogo(png(), { svg: false })).toMatchObject({ format: 'png' });
  expect(await drawLogo(SVG)).toMatchObject({ format: 'svg' });
});

test('any bytes are drawn as a picture or rejected', async () => {
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
    '<![CDATA[',
    '</svg>',
  ];
  const text = fc
    .array(fc.oneof(fc.constantFrom(...pieces), fc.string()), { maxLength: 60 })
    .map((all) => svg(all.join('')));
  const broken = fc
    .tuple(fc.constantFrom(png(), GIF, JPEG, WEBP, SVG), fc.nat(), fc.nat({ max: 255 }))
    .map(([whole, at, value]) => {
      const copy = Buffer.from(whole);
      copy[at % copy.length] = value;
      return copy.subarray(0, copy.length - (at % 7));
    });
  await fc.assert(
    fc.asyncProperty(fc.oneof(text, broken), async (bytes) => {
      const logo = await drawLogo(bytes);
      if ('fault' in logo) expect(logo.fault.message).not.toContain('\n');
      else expect(logo.large.toString('latin1', 8, 12)).toBe('WEBP');
    }),
    { numRuns: 300 },
  );
});
