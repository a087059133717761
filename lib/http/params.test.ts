import { expect, test } from 'vitest';
import { parseForm, parseJson, UnreadableParams } from './params.ts';

const plain = (params: ReturnType<typeof parseForm>) => Object.fromEntries(params.values);

test('PP-18: a plus is decoded as a space, escapes as UTF-8, and empty parts are ignored', () => {
  expect(plain(parseForm('&&a=b+c&d=%C3%A9%26&&e&'))).toEqual({ a: 'b c', d: 'é&' });
});

test('PP-19: an empty value counts as absent, but its name still counts as repeated', () => {
  const params = parseForm('state=&scope=x&state=y');
  expect(plain(params)).toEqual({ scope: 'x', state: 'y' });
  expect([...params.repeated]).toEqual(['state']);
});

test('PP-18: a malformed escape is rejected, never guessed', () => {
  for (const bad of ['a=%zz', 'a=%', '%=a', 'a=%u0041', 'a=%E0%A4', 'a=%ff'])
    expect(() => parseForm(bad), bad).toThrow(UnreadableParams);
});

test('PP-13: ten thousand parameters are rejected before they are read', () => {
  expect(() => parseForm('a=1&'.repeat(10_000))).toThrow(/more than/);
});

test('parameter names that equal inherited object members are ordinary names', () => {
  const params = parseForm('__proto__=1&constructor=2&toString=3');
  expect(params.values.get('__proto__')).toBe('1');
  expect(params.values.get('hasOwnProperty')).toBeUndefined();
});

test('a JSON body is one flat object of strings without repeated names', () => {
  expect(plain(parseJson('{"a":"b","c":"\\"quoted\\", \\\\ and {\\"a\\":\\"b\\"}"}'))).toEqual({
    a: 'b',
    c: '"quoted", \\ and {"a":"b"}',
  });
  for (const bad of [
    '',
    'null',
    '[]',
    '"a"',
    '{"a":1}',
    '{"a":["b"]}',
    '{"a":{"b":"c"}}',
    '{"a":"b","a":"c"}',
    '{"a":"b"',
  ])
    expect(() => parseJson(bad), bad).toThrow(UnreadableParams);
});

test('names in JSON are parsed correctly, despite a bug of the JavaScript engine with escapes', () => {
  // if an earlier object of the same shape contained a backslash, V8 14.6 reads "\\u0055" as a backslash
  expect(plain(parseJson('{"U":"a","\\\\":"b"}'))).toEqual({ U: 'a', '\\': 'b' });
  expect(() => parseJson('{"U":"a","\\u0055":"b"}')).toThrow('repeated');
  expect(plain(parseJson('{"U":"a","\\u0056":"b"}'))).toEqual({ U: 'a', V: 'b' });
});

test('a JSON member that a later member with the same name hides is rejected, whatever its value', () => {
  for (const text of [
    '{"a":{"x":"y"},"a":"b"}',
    '{"a":["x"],"a":"b"}',
    '{"a":["x","y"],"a":"b","c":["x","y"],"c":"d"}',
    '{"a":1,"a":"b"}',
  ])
    expect(() => parseJson(text), text).toThrow('repeated');
});

test('RFC 8707 §2: the resource parameter can repeat, and further values are kept', () => {
  const { values, more } = parseForm('resource=&resource=a&x=1&resource=b&resource=&resource=c');
  expect(values.get('resource')).toBe('a');
  expect([...(more ?? [])]).toEqual([['resource', ['b', 'c']]]);
  expect(parseForm('a=1&b=2').more).toBeUndefined();
});
