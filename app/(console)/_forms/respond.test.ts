import { expect, it } from 'vitest';
import { sentence } from './respond.ts';

it('a message of the core becomes a sentence, and an address or an id that it begins with stays as it is', () => {
  expect(sentence('there is no client shop')).toBe('There is no client shop.');
  expect(sentence('must not be new: it is taken.')).toBe('Must not be new: it is taken.');
  expect(sentence('alice@example.com may not do this')).toBe('alice@example.com may not do this.');
  expect(sentence('shop-web was decided meanwhile')).toBe('shop-web was decided meanwhile.');
});
