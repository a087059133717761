import { expect, test } from 'vitest';
import { keepMade } from './process.ts';

test('keepMade computes each key once, and evicts the least recently used value', () => {
  const made: string[] = [];
  const kept = keepMade<string>('things of a test', 2);
  const ask = (key: string) =>
    kept(key, () => {
      made.push(key);
      return `${key}!`;
    });
  expect([ask('a'), ask('a'), ask('b'), ask('a'), ask('c'), ask('a'), ask('b')]).toEqual([
    'a!',
    'a!',
    'b!',
    'a!',
    'c!',
    'a!',
    'b!',
  ]);
  // `c` evicted `b`, because `a` was used more recently
  expect(made).toEqual(['a', 'b', 'c', 'b']);
});

test('keepMade does not store errors', () => {
  const kept = keepMade<string>('other things of a test', 2);
  const fail = () => {
    throw new Error('not now');
  };
  expect(() => kept('a', fail)).toThrow('not now');
  expect(kept('a', () => 'made')).toBe('made');
});
