// What real logos have, as drawing programs write it: sizes of any length, and words that draw nothing.
import { describe, expect, test } from 'vitest';
import { svg } from '#testing/pictures.ts';
import { readLogo } from './brand.ts';

const said = (bytes: Buffer) => {
  const read = readLogo(bytes);
  return typeof read === 'string' ? read : read.type;
};
const path = '<path d="M0 0h1v1z"/>';

describe('SVG 2 §8.6: a viewBox is four numbers of any length', () => {
  test.each([
    '0 0 512 174.06729',
    '0 0 512 127.964481',
    '0 0 123456.789012345 1e2',
    '-1.5e1,+2.25 , 5E+2 .5',
    '\n0\t0 24. 24\n',
    '0,0,24,24',
  ])('%j is one', (box) => {
    expect(said(svg(path, `viewBox="${box}"`))).toBe('image/svg+xml');
  });
  test.each([
    ['', 'not four numbers'],
    ['0 0 24', 'not four numbers'],
    ['0 0 24 24 24', 'not four numbers'],
    ['0 0 24px 24px', 'not four numbers'],
    ['0 0 1e 1', 'not four numbers'],
    ['0 0 . 1', 'not four numbers'],
    ['0,,0 1 1', 'not four numbers'],
    ['0 0 NaN 1', 'not four numbers'],
    ['0 0 0x10 1', 'not four numbers'],
    ['0 0 0 24', 'without a size'],
    ['0 0 24 -24', 'without a size'],
    ['0 0 1e999 24', 'without a size'],
  ])('%j is none', (box, why) => {
    expect(said(svg(path, `viewBox="${box}"`))).toContain(
      `has a viewBox ${why === 'without a size' ? why : `that is ${why}`}`,
    );
  });
  test.each(['512.0000000000001', '2.4e1', '24px', '.5'])('width="%s" is a number of pixels', (width) => {
    expect(said(svg(path, `width="${width}" height="24"`))).toBe('image/svg+xml');
  });
  test('a size with an exponent is bounded as every other', () => {
    expect(said(svg(path, 'width="1e9" height="24"'))).toContain('pixels');
  });
  test('a number of a hundred thousand digits is read at once', () => {
    const digits = '1'.repeat(100_000);
    expect(said(svg(path, `viewBox="0 0 ${digits} ${digits}x"`))).toContain('not four numbers');
  });
});

describe('words of drawing programs that draw nothing are taken', () => {
  test.each([
    [
      'a mask as Figma writes it',
      `<mask id="a" style="mask-type:alpha">${path}</mask><g mask="url(#a)">${path}</g>`,
    ],
    [
      'a mask with its units',
      `<mask id="a" maskUnits="userSpaceOnUse" maskContentUnits="userSpaceOnUse" x="0" y="0" width="1" height="1">${path}</mask>`,
    ],
    ['its luminance', `<mask id="a" style="mask-type: luminance">${path}</mask>`],
    ['the same as an attribute', `<mask id="a" mask-type="alpha">${path}</mask>`],
    ['the same in a style sheet', `<style>mask{mask-type:alpha}</style><mask id="a">${path}</mask>`],
    ['a style sheet as Illustrator writes it', `<style type="text/css">.st0{fill:#FF0000;}</style>${path}`],
  ])('%s', (_, content) => {
    expect(said(svg(content))).toBe('image/svg+xml');
  });
  test.each([
    [
      'a mask that draws a mask beside its type',
      '<mask id="a" style="mask-type:alpha;mask:url(#a)"><path d="M0 0"/></mask>',
    ],
    ['a style sheet of another language', '<style type="text/less">.a{}</style>'],
    ['a type of something else', '<path type="text/css" d="M0 0"/>'],
  ])('%s is refused', (_, content) => {
    expect(said(svg(content))).toContain('which is not accepted');
  });
});
