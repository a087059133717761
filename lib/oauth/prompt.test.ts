import { expect, test } from 'vitest';
import { InvalidRequest } from './errors.ts';
import { parseMaxAge, parsePrompt } from './rules.ts';

test('AZ-19: prompt accepts none, login, consent, select_account and create, and none only alone', () => {
  expect([...parsePrompt(undefined)]).toEqual([]);
  expect([...parsePrompt('login consent')]).toEqual(['login', 'consent']);
  expect([...parsePrompt('create select_account')]).toEqual(['create', 'select_account']);
  expect([...parsePrompt(' none ')]).toEqual(['none']);
  for (const bad of ['none login', 'none create', 'bogus', 'NONE', 'select-account'])
    expect(() => parsePrompt(bad), bad).toThrow(InvalidRequest);
  expect(() => parsePrompt('bogus')).toThrow(
    "prompt must be 'none', 'login', 'consent', 'select_account' or 'create'.",
  );
  expect(() => parsePrompt('login none')).toThrow("prompt 'none' cannot be combined with other values.");
});

test('max_age is a whole number of seconds', () => {
  expect(parseMaxAge(undefined)).toBeNull();
  expect(parseMaxAge('0')).toBe(0);
  expect(parseMaxAge('300')).toBe(300);
  for (const bad of ['-1', '1.5', '1e3', 'abc', '0x10', ' 1', '1 ', '9'.repeat(10)])
    expect(() => parseMaxAge(bad), bad).toThrow(InvalidRequest);
  expect(parseMaxAge('9'.repeat(9))).toBe(999_999_999);
  expect(() => parseMaxAge('')).toThrow('max_age must be a whole number of seconds.');
});
