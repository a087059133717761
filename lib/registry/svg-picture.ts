// An SVG that is a picture and nothing else. It is read by a grammar that is smaller than XML's: elements and attributes of a list, no
// DOCTYPE, no entities but XML's five, nothing that runs, moves, refers to another place, or unpacks to more than it is. What is not
// known is refused with its place, and nothing is mended: what was checked is what is served.
import { ownValue } from '#lib/kit/index.ts';
import { MAX_SIDE } from './picture.ts';
import { ATTRIBUTES, ELEMENTS, isHarmlessCss, PLAIN, REFERRING, REPEATED } from './svg-names.ts';
import { sizeFault } from './whole-picture.ts';

const SVG = 'http://www.w3.org/2000/svg';
const XLINK = 'http://www.w3.org/1999/xlink';

const MAX_ELEMENTS = 5_000;
const MAX_DEPTH = 32;

/** Thrown and caught here. */
class Fault extends Error {}

/** What is wrong, after `the picture`; null: nothing. */
export function svgFault(bytes: Buffer): string | null {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return 'is an SVG that is not UTF-8';
  }
  try {
    new Reader(text).read();
    return null;
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
}

/** Does it look like XML? What begins like this is read as SVG or not at all. */
export const looksLikeSvg = (bytes: Buffer): boolean =>
  /^(?:\ufeff|\u00ef\u00bb\u00bf)?\s*</.test(bytes.toString('latin1', 0, 64));

const NAME = /[A-Za-z_][\w.:-]{0,60}/y;
const SPACE = /[ \t\r\n]*/y;
const DECLARATION =
  /<\?xml version=(["'])1\.0\1(?: encoding=(["'])utf-8\2)?(?: standalone=(["'])(?:yes|no)\3)? ?\?>/iy;
/** XML 1.0 §2.2 has none of them. */
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/;

class Reader {
  #at = 0;
  #elements = 0;
  readonly #text: string;
  readonly #open: string[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  read(): void {
    const control = CONTROL.exec(this.#text);
    if (control) this.#fail('has a character that XML has not', control.index);
    this.#take(DECLARATION);
    this.#between();
    if (this.#at >= this.#text.length) this.#fail('has no element');
    while (this.#at < this.#text.length) {
      if (this.#elements > 0 && this.#open.length === 0) this.#fail('goes on after its end');
      if (this.#starts('</')) this.#close();
      else if (this.#starts('<')) this.#element();
      else this.#characters();
      this.#between();
    }
    if (this.#elements === 0 || this.#open.length > 0) this.#fail('ends too early');
  }

  /** Comments, and space where no text may stand. */
  #between(): void {
    while (true) {
      if (this.#open.length === 0) this.#take(SPACE);
      if (!this.#starts('<!--')) return;
      const end = this.#text.indexOf('--', this.#at + 4);
      if (end < 0 || this.#text[end + 2] !== '>') this.#fail('has a comment without an end');
      this.#at = end + 3;
    }
  }

  #element(): void {
    const began = this.#at;
    if (this.#starts('<!')) this.#fail('has a DOCTYPE or CDATA, which is not accepted');
    if (this.#starts('<?')) this.#fail('has an instruction, which is not accepted');
    this.#at += 1;
    const name = this.#take(NAME);
    if (name === '') this.#fail('has a < that begins no element', began);
    if (!ELEMENTS.has(name)) this.#fail(`has the element ${name}, which is not accepted`, began);
    if ((name === 'svg') !== (this.#elements === 0)) this.#fail('must be one svg element', began);
    this.#elements += 1;
    if (this.#elements > MAX_ELEMENTS) this.#fail(`has more than ${MAX_ELEMENTS} elements`);
    if (this.#open.length >= MAX_DEPTH) this.#fail(`has elements more than ${MAX_DEPTH} deep`);
    const attributes = this.#attributes(name);
    if (name === 'svg') this.#root(attributes);
    const empty = this.#starts('/>');
    if (!empty && !this.#starts('>')) this.#fail(`has an element ${name} that does not end`, began);
    this.#at += empty ? 2 : 1;
    if (!empty) this.#open.push(name);
    if (name === 'style' && !empty) this.#style();
  }

  #attributes(element: string): Map<string, string> {
    const found = new Map<string, string>();
    while (true) {
      const spaced = this.#take(SPACE) !== '';
      const at = this.#at;
      const name = this.#take(NAME);
      if (name === '') return found;
      if (!spaced || found.has(name))
        this.#fail(`has the attribute ${name} twice, or without a space before`, at);
      if (!ATTRIBUTES.has(name)) this.#fail(`has the attribute ${name}, which is not accepted`, at);
      this.#take(SPACE);
      if (!this.#starts('=')) this.#fail(`has the attribute ${name} without a value`, at);
      this.#at += 1;
      this.#take(SPACE);
      const quote = this.#text[this.#at];
      const end = quote === '"' || quote === "'" ? this.#text.indexOf(quote, this.#at + 1) : -1;
      if (end < 0) this.#fail(`has the attribute ${name} without quotes`, at);
      const value = this.#plain(this.#text.slice(this.#at + 1, end), at);
      this.#at = end + 1;
      this.#check(element, name, value, at);
      found.set(name, value);
    }
  }

  #check(element: string, name: string, value: string, at: number): void {
    const refuse = () => this.#fail(`has ${name}="${value.slice(0, 60)}", which is not accepted`, at);
    if (name === 'href' || name === 'xlink:href') {
      if (!REFERRING.has(element) || !/^#[\w.-]{1,100}$/.test(value)) refuse();
      return;
    }
    if (name.startsWith('xmlns')) {
      if (value !== (name === 'xmlns:xlink' ? XLINK : SVG)) refuse();
      return;
    }
    if (name === 'type') {
      if (element !== 'style' || !/^\s*text\/css\s*$/i.test(value)) refuse();
      return;
    }
    if (PLAIN.test(name)) return;
    if (!isHarmlessCss(value)) refuse();
    const within = this.#open.some((one) => REPEATED.has(one)) || REPEATED.has(element);
    if (within && REPEATS.test(name === 'style' ? value : `${name}:`)) refuse();
  }

  #root(attributes: ReadonlyMap<string, string>): void {
    if (attributes.get('xmlns') !== SVG) this.#fail(`must say xmlns="${SVG}"`);
    const given = attributes.get('viewBox');
    const box = given === undefined ? null : BOX.exec(given);
    if (given !== undefined && !box) this.#fail('has a viewBox that is not four numbers');
    if (box && !box.slice(1).every((side) => Number(side) > 0 && Number.isFinite(Number(side))))
      this.#fail('has a viewBox without a size');
    const [width, height] = ['width', 'height'].map((side) => {
      const length = attributes.get(side);
      if (length === undefined || length.endsWith('%')) return null;
      const pixels = PIXELS.exec(length)?.[1];
      if (pixels === undefined) this.#fail(`has a ${side} that is no number of pixels`);
      return Number(pixels);
    });
    if ((width == null || height == null) && !box) this.#fail('has neither width and height nor a viewBox');
    const size = { width: width ?? 1, height: height ?? 1 };
    const fits = (side: number) => side > 0 && side <= MAX_SIDE;
    if (!fits(size.width) || !fits(size.height)) throw new Fault(sizeFault(size));
  }

  /** Rules for classes: no more of CSS than colours and lines need. */
  #style(): void {
    const at = this.#at;
    const end = this.#text.indexOf('<', at);
    const css = this.#plain(end < 0 ? '' : this.#text.slice(at, end), at);
    // a browser reads on behind a comment or an element
    const whole = end >= 0 && this.#text.startsWith('</style', end);
    if (!whole || !isHarmlessCss(css) || REPEATS.test(css))
      this.#fail('has a style with more than plain rules, which is not accepted', at);
    this.#at = end;
  }

  #close(): void {
    const at = this.#at;
    this.#at += 2;
    const name = this.#take(NAME);
    this.#take(SPACE);
    if (name !== this.#open.pop() || !this.#starts('>')) this.#fail('has an end tag that closes nothing', at);
    this.#at += 1;
  }

  #characters(): void {
    const next = this.#text.indexOf('<', this.#at);
    const end = next < 0 ? this.#text.length : next;
    this.#plain(this.#text.slice(this.#at, end), this.#at);
    if (this.#open.length === 0) this.#fail('has text outside of its elements');
    this.#at = end;
  }

  /** With XML's own references in place; there are no others. */
  #plain(text: string, at: number): string {
    if (text.includes('<')) this.#fail('has a < in a value', at);
    return text.replace(/&([^;&\s]{0,12};?)/g, (_, reference: string) => {
      const named = ownValue(NAMED, reference);
      const code = /^#(?:x([0-9a-f]{1,6})|(\d{1,7}));$/i.exec(reference);
      const point = code ? Number.parseInt(code[1] ?? code[2] ?? '', code[1] ? 16 : 10) : Number.NaN;
      if (named === undefined && !(point >= 32 && point <= 0x10ffff) && point !== 9 && point !== 10)
        this.#fail(`has the entity &${reference.slice(0, 20)}, which is not accepted`, at);
      return named ?? String.fromCodePoint(point);
    });
  }

  #starts(text: string): boolean {
    return this.#text.startsWith(text, this.#at);
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }

  #fail(what: string, at = this.#at): never {
    const before = this.#text.slice(0, at).split('\n');
    throw new Fault(`${what} (line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1})`);
  }
}

/** `mask`, `-webkit-mask-image`, `clip-path`: what draws an element again. */
const REPEATS = /(?:mask(?!-type\s*:|(?:Content)?Units:)|clip-path)[\w-]*\s*:/i;

/** CSS Values 3 §4.2: of any length, with an exponent or without. */
const NUMBER = '[+-]?(?:\\d+(?:\\.\\d*)?|\\.\\d+)(?:e[+-]?\\d+)?';
const BETWEEN = '(?:\\s*,\\s*|\\s+)';
/** SVG 2 §8.6: the last two numbers are the size. */
const BOX = new RegExp(
  `^\\s*${NUMBER}${BETWEEN}${NUMBER}${BETWEEN}(${NUMBER})${BETWEEN}(${NUMBER})\\s*$`,
  'i',
);
const PIXELS = new RegExp(`^\\s*(${NUMBER})(?:px)?\\s*$`, 'i');

const NAMED: Readonly<Record<string, string>> = {
  'amp;': '&',
  'lt;': '<',
  'gt;': '>',
  'quot;': '"',
  'apos;': "'",
};
