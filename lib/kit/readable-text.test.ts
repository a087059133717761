import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readableLine, unreadable } from './text.ts';

const point = (code: number) => String.fromCodePoint(code);
/** The first and the last code point of each range of invisible characters. */
const UNSEEN = [
  ...[0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069, 0x061c, 0x200e, 0x200f],
  ...[0x00ad, 0x034f, 0x115f, 0x1160, 0x17b4, 0x180e, 0x200b, 0x200c, 0x200d, 0x2060, 0x2064, 0x206f],
  ...[0x2800, 0x3164, 0xfe00, 0xfe0e, 0xfe0f, 0xfeff, 0xffa0, 0xfff9, 0xfffc, 0x1d159, 0x1d173],
  ...[0xe0001, 0xe0020, 0xe0041, 0xe007f, 0xe0100, 0xe01ef],
];
const CONTROLS = [0x00, 0x07, 0x08, 0x1b, 0x7f, 0x80, 0x9f];
const BREAKS = [0x0a, 0x0b, 0x0c, 0x0d, 0x85, 0x2028, 0x2029];

const hex = (code: number) => `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;

describe('readable text contains no invisible characters', () => {
  it.each(UNSEEN.map((code) => [hex(code), code] as const))(
    'a text with %s in any position is rejected',
    (name, code) => {
      for (const text of [`Your${point(code)}Bank`, `${point(code)}Bank`, `Bank ${point(code)}`, point(code)])
        for (const shape of ['line', 'lines'] as const)
          expect(unreadable(text, shape)?.message).toContain(name);
      expect(readableLine(`Your${point(code)}Bank`)).toBe('YourBank');
      expect(readableLine(point(code))).toBeNull();
    },
  );

  it.each(CONTROLS.map((code) => [hex(code), code] as const))('text with %s is rejected', (name, code) => {
    for (const shape of ['line', 'lines'] as const)
      expect(unreadable(`a${point(code)}b`, shape)?.message).toBe(
        `must not contain the control character ${name}`,
      );
    expect(readableLine(`a${point(code)}b`)).toBe('a b');
  });

  it.each(BREAKS.map((code) => [hex(code), code] as const))(
    'one-line text with %s is rejected',
    (_, code) => {
      expect(unreadable(`Shop${point(code)}Bank`, 'line')?.message).toBe('must be one line');
      expect(readableLine(`Shop${point(code)}Bank`)).toBe('Shop Bank');
    },
  );

  it('multi-line text allows line feeds and tabs, and rejects other breaks', () => {
    expect(unreadable('One\nTwo\r\n\tThree', 'lines')).toBeNull();
    expect(unreadable('One\tTwo', 'line')?.message).toBe('must not contain the control character U+0009');
    for (const code of BREAKS.filter((one) => one !== 0x0a))
      expect(unreadable(`One${point(code)}Two`, 'lines')).not.toBeNull();
  });

  it.each(['\u0301', '\u0301\u0302', '\u20dd', '\u3000\u0301'])(
    'the text %j is rejected, because it shows no character',
    (text) => {
      expect(unreadable(text, 'line')?.message).toBe('must contain a visible character');
      expect(readableLine(text)).toBeNull();
    },
  );
});

describe('characters that a language needs are accepted', () => {
  it.each([
    ['Persian, with non-joiners', 'می\u200cخواهم کتاب\u200cها'],
    ['Persian, a joiner at the end of an abbreviation', 'ه\u200d'],
    ['Hindi', 'क्\u200dष रक्\u200cषक'],
    ['Sinhala', 'ශ්\u200dරී ලංකා'],
    ['Malayalam', 'അവന്\u200d'],
    ['Bengali', 'র\u200d্যাম'],
    ['Arabic number sign', '\u0600123'],
    ['Hebrew and Arabic letters', 'שלום مرحبا'],
    ['Japanese, with the variant of a name', '葛\u{e0100}城'],
    ['Chinese, ideographic space', '订单\u3000服务'],
    ['Vietnamese, decomposed', 'Tie\u0302\u0301ng Vie\u0323\u0302t'],
    ['Korean', '주문 서비스'],
    ['a family', '👨\u200d👩\u200d👧\u200d👦 Families'],
    ['a rainbow flag', '🏳\ufe0f\u200d🌈'],
    ['a profession with a tone', '👩🏽\u200d💻'],
    ['a keycap', '1\ufe0f\u20e3 First'],
    ['a heart', '❤\ufe0f'],
    ['a symbol as text', '☎\ufe0e Call'],
    ['the flag of Wales', '🏴\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}'],
    ['signs', 'C++ & “Notes” – №5 €'],
  ])('this text is accepted: %s', (_, text) => {
    expect(unreadable(text, 'line')).toBeNull();
    expect(readableLine(text)).toBe(text);
  });

  it.each([
    ['a joiner between Latin letters', 'Pay\u200dPal'],
    ['a non-joiner at the end of a Persian word', 'بانک\u200c'],
    ['two joiners in a row', 'क्\u200d\u200dष'],
    ['a joiner that begins a word', '\u200dक'],
    ['a joiner that ends an emoji', '👨\u200d'],
    ['a selector after a digit without a keycap', '1\ufe0f'],
    ['a selector after a letter', 'a\ufe0f'],
    ['a flag whose tags name no place', '🏴\u{e0061}\u{e0062}\u{e007f}'],
    ['tags without a flag', 'Bank\u{e0067}\u{e0062}'],
  ])('text with %s is rejected', (_, text) => {
    expect(unreadable(text, 'line')).not.toBeNull();
  });
});

it('property: text that was made readable for one line is readable, and a second conversion changes nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const line = readableLine(text);
      if (line === null) return;
      expect(unreadable(line, 'line')).toBeNull();
      expect(readableLine(line)).toBe(line);
    }),
    { numRuns: 1000 },
  );
});
