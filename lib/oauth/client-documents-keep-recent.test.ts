import { expect, test } from 'vitest';
import { keepRecent } from './client-documents.ts';

test('keepRecent evicts the entry that was not used for the longest time', () => {
  const map = new Map<string, number>();
  for (const [at, key] of ['a', 'b', 'c', 'a', 'd', 'a', 'e'].entries()) keepRecent(map, key, at, 3);
  expect([...map]).toEqual([
    ['d', 4],
    ['a', 5],
    ['e', 6],
  ]);
});
