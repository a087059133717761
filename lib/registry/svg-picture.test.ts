// SVGs of strangers: a picture, or a program in disguise.
import { describe, expect, test } from 'vitest';
import { svg } from '#testing/pictures.ts';
import { readLogo } from './brand.ts';

const said = (bytes: Buffer) => {
  const read = readLogo(bytes);
  return typeof read === 'string' ? read : read.type;
};

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
    [
      'an import behind a comment',
      svg('<style>.a{}<!-- -->@import url(https://evil.example/x.css);</style>'),
      'a style',
    ],
    [
      'an import behind an empty comment',
      svg('<style><!-- -->@import "https://evil.example/x.css";</style>'),
      'a style',
    ],
    [
      'an import behind an element',
      svg('<style><g/>@import url(https://evil.example/x.css);</style>'),
      'a style',
    ],
    ['a mask behind a comment', svg('<style>.x{}<!-- -->.a{mask:url(#b)}</style>'), 'a style'],
    ['a mask by another name', svg('<style>.a{mask-image:url(#b)}</style>'), 'a style'],
    [
      'masks within masks',
      svg(
        '<mask id="a"><rect style="mask-image:url(#b)"/></mask><mask id="b"><rect style="-webkit-mask:url(#c)"/></mask>',
      ),
      'style',
    ],
    ['an entity that only a program knows', svg('<text>&constructor</text>'), 'the entity &constructor'],
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
    ['a style sheet with an element', svg('<style><path d="M0 0"/></style>'), 'a style with more'],
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
