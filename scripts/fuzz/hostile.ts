// Hostile values for texts, numbers and lists; each value is sent in every field.

export type Hostile = {
  name: string;
  value: unknown;
  /** true: no field accepts this value, so any response other than 4xx is a fault */
  unstorable?: boolean;
  /** true: `npm test` also sends this value; `npm run faults` sends all values */
  quick?: boolean;
};

const cursor = (key: unknown) => Buffer.from(JSON.stringify(key)).toString('base64url');
const nestedArray = (depth: number) => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`) as unknown;

/** Values for queries, forms, paths and JSON bodies. */
export const HOSTILE_TEXTS: readonly Hostile[] = [
  { quick: true, name: 'NUL', value: 'a\u0000b', unstorable: true },
  { name: 'nothing', value: '' },
  { name: 'white space', value: ' \t\r\n' },
  { quick: true, name: 'very long', value: 'x'.repeat(9_000) },
  { name: 'long and wide', value: '😀'.repeat(300) },
  { name: 'right to left', value: '\u202e\u2066evil\u2069' },
  { quick: true, name: 'a tag', value: '"><img src=x onerror=alert(1)><script>alert(1)</script>' },
  { name: 'SQL', value: "'; drop table people; -- $1 %_\\" },
  { name: 'a percent sign', value: '%' },
  { name: 'an escape', value: '%00\\u0000' },
  { name: 'a name of every object', value: '__proto__' },
  { name: 'another', value: 'constructor' },
  { name: 'minus one', value: '-1' },
  { name: 'a fraction', value: '0.5' },
  { name: 'more than 32 bits', value: '2147483648' },
  { quick: true, name: 'more than 64 bits', value: '99999999999999999999' },
  { name: 'no number', value: '1e309' },
  { quick: true, name: 'year 0', value: '0000-01-01T00:00:00Z' },
  { name: 'no such day', value: '2026-02-30T25:61:61Z' },
  { name: 'the last year', value: '9999-12-31T23:59:59.999999Z' },
  { name: 'a year of six digits', value: '+275760-09-13T00:00:00.000Z' },
  { quick: true, name: 'a cursor of a wrong time', value: cursor(['-at', '2026-99-99 99:99:99+99', '1']) },
  { name: 'a cursor of a year 0', value: cursor(['-at', '0000-01-01 00:00:00+00', '1']) },
  { name: 'a cursor of wrong types', value: cursor(['-at', {}, []]) },
  { name: 'a cursor with a NUL', value: cursor(['name', 'a\u0000b', 'a']) },
  { quick: true, name: 'a cursor with half a character', value: cursor(['id', 'a\ud800b']) },
  { name: 'a cursor of a long number', value: cursor(['-at', '2026-01-01 00:00:00+00', '9'.repeat(18)]) },
  { name: 'an id that is none', value: '00000000-0000-0000-0000-00000000000g' },
  { name: 'an id of nobody', value: '00000000-0000-0000-0000-000000000000' },
  { name: 'an address', value: 'javascript:alert(1)' },
  { name: 'a long address', value: `https://${'a'.repeat(2_000)}.example/` },
];

/** Values that only JSON can represent. */
export const HOSTILE_JSON: readonly Hostile[] = [
  { quick: true, name: 'half a character', value: 'a\ud800b', unstorable: true },
  { name: 'the other half', value: '\udc00', unstorable: true },
  { quick: true, name: 'a NUL in a list', value: ['a\u0000b'], unstorable: true },
  { name: 'a NUL in a name', value: { 'a\u0000b': 1 }, unstorable: true },
  { name: 'half a character in a name', value: { '\ud800': 1 }, unstorable: true },
  { quick: true, name: 'two thousand deep', value: nestedArray(2_000), unstorable: true },
  { quick: true, name: 'null', value: null },
  { name: 'true', value: true },
  { name: 'zero', value: 0 },
  { name: 'a negative number', value: -1 },
  { name: 'half a number', value: 0.5 },
  { quick: true, name: 'a number of 32 bits', value: 2 ** 31 },
  { name: 'a number of 53 bits', value: 2 ** 53 },
  { name: 'a huge number', value: 1e308 },
  { name: 'an empty list', value: [] },
  { name: 'a list of anything', value: [null, 1, {}, ['x']] },
  { name: 'a long list', value: Array.from({ length: 2_000 }, (_, at) => `x${at}`) },
  { quick: true, name: 'an empty object', value: {} },
  {
    quick: true,
    name: 'a prototype',
    value: JSON.parse('{"__proto__":{"admin":true},"constructor":{"prototype":1}}'),
  },
];
