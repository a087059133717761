import { expect, test } from 'vitest';
import { generateKey } from './keys.ts';

test('a kid never starts with a hyphen, because command lines would parse it as an option', async () => {
  const keys = await Promise.all(Array.from({ length: 500 }, () => generateKey('ES256')));
  expect(keys.filter(({ kid }) => kid.startsWith('-'))).toEqual([]);
  expect(new Set(keys.map(({ kid }) => kid)).size).toBe(500);
});
