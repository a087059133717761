import { expect, it } from 'vitest';
import { withQuery } from './with-query.ts';

it('added query parameters follow the existing ones and precede the fragment, and empty ones are omitted', () => {
  expect(withQuery('/account', { done: '' })).toBe('/account');
  expect(withQuery('/account', { done: 'a b', draft: '' })).toBe('/account?done=a+b');
  expect(withQuery('/account?to=x#roles', { done: 'ok' })).toBe('/account?to=x&done=ok#roles');
});
