import { expect, test } from 'vitest';
import { isTooMany, tooMany, tooManyAttempts } from './message.ts';
import { wordsOf } from './words.ts';

const from = new Date('2026-03-01T13:52:10Z');

test('a rate limit message names the first minute after the wait', () => {
  const { told } = wordsOf('en');
  expect(told(tooManyAttempts(770, from))).toBe('Too many attempts. Try again at 14:05 UTC.');
  expect(told(tooManyAttempts(771, from))).toBe('Too many attempts. Try again at 14:06 UTC.');
});

test('messages about limits of mails and limits of linking sign-in methods also name the minute', () => {
  for (const code of ['register.too_many_mails', 'own_account.too_many_mails', 'link.too_many'] as const)
    expect(wordsOf('de').told(tooMany(code, 770, from))).toContain('um 14:05 Uhr (UTC)');
  expect(isTooMany('link.too_many')).toBe(true);
  expect(isTooMany('constructor')).toBe(false);
});

test('a rate limit message with a wait of one day names no time, since readers would assume today', () => {
  expect(tooManyAttempts(86_400, from)).toEqual({ code: 'sign_in.too_many' });
});
