import { expect, it } from 'vitest';
import { findUnstorable, requireStorable } from './text.ts';

const found = (value: unknown) => {
  const one = findUnstorable(value);
  return one && [one.path?.join('.'), one.message];
};

it('requireStorable returns storable values unchanged, in any script', () => {
  const value = { name: '日本 😀 \u202eevil', list: ['a', 1, null, true], deep: { er: [{}] } };
  expect(requireStorable(value)).toBe(value);
});

it('requireStorable reports paths of NUL characters, lone surrogates and member names with lone surrogates', () => {
  expect(found({ name: 'a\u0000b' })).toEqual(['name', 'contains a NUL character']);
  expect(found({ list: ['a', { b: 'x\ud800' }] })).toEqual(['list.1.b', 'contains half of a surrogate pair']);
  expect(found({ list: [{ 'a\udfff': 1 }] })).toEqual([
    'list.0',
    'has a name that contains half of a surrogate pair',
  ]);
  expect(found('\u0000')).toEqual(['', 'contains a NUL character']);
  expect(found(JSON.parse('{"__proto__": {"a": "\\u0000"}}'))).toEqual([
    '__proto__.a',
    'contains a NUL character',
  ]);
});

it('requireStorable rejects 10,000 nesting levels without a stack overflow', () => {
  const deep = JSON.parse(`${'['.repeat(10_000)}${']'.repeat(10_000)}`);
  expect(found(deep)?.[1]).toBe('is nested too deeply');
});
