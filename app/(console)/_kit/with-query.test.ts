import { expect, it } from 'vitest';
import { withQuery } from './with-query.ts';

it('parameters go behind those that are there and before the fragment, and empty ones are left out', () => {
  expect(withQuery('/account', { done: '' })).toBe('/account');
  expect(withQuery('/account', { done: 'a b', draft: '' })).toBe('/account?done=a+b');
  expect(withQuery('/account?to=x#roles', { done: 'ok' })).toBe('/account?to=x&done=ok#roles');
});
