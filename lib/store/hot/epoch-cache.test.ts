import { expect, test } from 'vitest';
import { EpochCache } from './person-facts.ts';

test('a cached value is returned only for the version (epoch) for which it was stored, and never stored for an older version', () => {
  const cache = new EpochCache<string | null>(2);
  cache.set('a', 'one', 1);
  expect(cache.get('a', 1)).toBe('one');
  expect(cache.get('a', 2)).toBeUndefined();
  cache.set('a', null, 2);
  cache.set('a', 'one', 1);
  expect([cache.get('a', 1), cache.get('a', 2)]).toEqual([undefined, null]);
  for (const key of ['b', 'c']) cache.set(key, key, 2);
  expect(['a', 'b', 'c'].map((key) => cache.get(key, 2))).toEqual([undefined, undefined, 'c']);
});
