import { expect, test } from 'vitest';
import { InvalidRequest } from './errors.ts';
import { parseMaxAge, parsePrompt } from './rules.ts';

test('AZ-19: prompt accepts none, login, consent, select_account and create, and none only alone', () => {
  expect([...parsePrompt(undefined)]).toEqual([]);
  expect([...parsePrompt('login consent')]).toEqual(['login', 'consent']);
  expect([...parsePrompt('create select_account')]).toEqual(['create', 'select_account']);
  for (const bad of ['none login', 'none create', 'bogus', 'NONE', 'select-account'])
    expect(() => parsePrompt(bad), bad).toThrow(InvalidRequest);
});

test('max_age is a whole number of seconds', () => {
  expect(parseMaxAge(undefined)).toBeNull();
  expect(parseMaxAge('0')).toBe(0);
  expect(parseMaxAge('300')).toBe(300);
  for (const bad of ['-1', '1.5', '1e3', 'abc', '0x10', '9'.repeat(12)])
    expect(() => parseMaxAge(bad), bad).toThrow(InvalidRequest);
});
