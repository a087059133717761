import { expect, test } from 'vitest';
import { parseForm, parseJson, UnreadableParams } from './params.ts';

const plain = (params: ReturnType<typeof parseForm>) => Object.fromEntries(params.values);

test('PP-18: a plus is a space, escapes are UTF-8, empty parts do not count', () => {
  expect(plain(parseForm('&&a=b+c&d=%C3%A9%26&&e&'))).toEqual({ a: 'b c', d: 'é&' });
});

test('PP-19: an empty value counts as absent, and still as given when it comes again', () => {
  const params = parseForm('state=&scope=x&state=y');
  expect(plain(params)).toEqual({ scope: 'x', state: 'y' });
  expect([...params.repeated]).toEqual(['state']);
});

test('PP-18: a malformed escape is refused, never guessed', () => {
  for (const bad of ['a=%zz', 'a=%', '%=a', 'a=%u0041', 'a=%E0%A4', 'a=%ff'])
    expect(() => parseForm(bad), bad).toThrow(UnreadableParams);
});

test('PP-13: ten thousand parameters are refused before they are read', () => {
  expect(() => parseForm('a=1&'.repeat(10_000))).toThrow(/more than/);
});

test('names that an object would trip over are names like any other', () => {
  const params = parseForm('__proto__=1&constructor=2&toString=3');
  expect(params.values.get('__proto__')).toBe('1');
  expect(params.values.get('hasOwnProperty')).toBeUndefined();
});

test('a JSON body is one flat object of strings, none repeated', () => {
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

test('names of a JSON body are read right, also where the engine misreads those with escapes', () => {
  // V8 14.6 takes "\\u0055" for a backslash once an object of this shape had one
  expect(plain(parseJson('{"U":"a","\\\\":"b"}'))).toEqual({ U: 'a', '\\': 'b' });
  expect(() => parseJson('{"U":"a","\\u0055":"b"}')).toThrow('repeated');
  expect(plain(parseJson('{"U":"a","\\u0056":"b"}'))).toEqual({ U: 'a', V: 'b' });
});

test('a member that a later one of the same name would hide is refused, whatever it held', () => {
  for (const text of [
    '{"a":{"x":"y"},"a":"b"}',
    '{"a":["x"],"a":"b"}',
    '{"a":["x","y"],"a":"b","c":["x","y"],"c":"d"}',
    '{"a":1,"a":"b"}',
  ])
    expect(() => parseJson(text), text).toThrow('repeated');
});

test('RFC 8707 §2: a name may come several times, and its further values are kept where it does', () => {
  const { values, more } = parseForm('resource=&resource=a&x=1&resource=b&resource=&resource=c');
  expect(values.get('resource')).toBe('a');
  expect([...(more ?? [])]).toEqual([['resource', ['b', 'c']]]);
  expect(parseForm('a=1&b=2').more).toBeUndefined();
});
