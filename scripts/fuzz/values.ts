// Values that often cause faults: invented requests contain them in every parameter, header and path segment.
import fc from 'fast-check';

const NASTY = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\r\nSet-Cookie: x=1',
  "' OR 1=1--",
  '$1',
  "\\'; DROP TABLE people; --",
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  'javascript:alert(1)',
  '../../../etc/passwd',
  '%00',
  '%',
  '%zz',
  '%E0%A4%A',
  '+',
  'a b+c%20é',
  '\ud83d\ude00'.repeat(30),
  '\u202Eevil',
  '\ufeff',
  'undefined',
  'null',
  'true',
  '[object Object]',
  '__proto__',
  'constructor',
  'toString',
  '-1',
  '0',
  '99999999999999999999',
  '1e309',
  'NaN',
  'x'.repeat(5_000),
  '{"a":1}',
  '[]',
];

export const nasty = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...NASTY) },
  { weight: 2, arbitrary: fc.string({ maxLength: 40 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 200 }) },
  { weight: 1, arbitrary: fc.base64String({ maxLength: 60 }) },
);

/** Chooses at random: a `good` value, a small change of such a value, or a hostile value. */
export function like(...good: string[]): fc.Arbitrary<string> {
  const real = fc.constantFrom(...good);
  return fc.oneof(
    { weight: 10, arbitrary: real },
    { weight: 3, arbitrary: changeText(real) },
    { weight: 2, arbitrary: nasty },
  );
}

function changeText(value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(value, fc.nat(), fc.constantFrom('drop', 'double', 'flip', 'append', 'cut'), nasty)
    .map(([text, at, how, extra]) => {
      const index = text.length === 0 ? 0 : at % text.length;
      const [before, here, after] = [text.slice(0, index), text.charAt(index), text.slice(index + 1)];
      if (how === 'drop') return before + after;
      if (how === 'double') return before + here + here + after;
      if (how === 'flip')
        return before + (here === here.toUpperCase() ? here.toLowerCase() : here.toUpperCase()) + after;
      return how === 'append' ? text + extra : before;
    });
}

/** Generates header values that Node accepts: no control characters except tab. */
export const headerText = nasty.map((text) => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '').trim());

/** Generates a percent-encoded text, which sometimes contains encoding errors. */
export const percentEncoded = (text: fc.Arbitrary<string>) =>
  fc.tuple(text, fc.integer({ min: 0, max: 19 })).map(([value, dice]) => {
    if (dice === 0) return value.replace(/[&=#\s\u0000-\u001f]/g, '');
    const safe = encodeURIComponent(value.toWellFormed());
    return dice === 1 ? safe.replaceAll('%20', '+') : safe;
  });

/** Checks that the predicate holds for 5,000 generated values. */
export function always<Values extends [unknown, ...unknown[]]>(
  ...property: [...{ [At in keyof Values]: fc.Arbitrary<Values[At]> }, (...values: Values) => void]
): void {
  fc.assert(fc.property<Values>(...property), { numRuns: 5_000 });
}
