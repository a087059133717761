import { expect, test } from 'vitest';
import { MAX_PASSWORD_BYTES } from '#lib/kit/typed-password.ts';
import { MAX_LOGO_BYTES } from '#lib/registry/brand.ts';
import { RECENT_SECONDS } from '#lib/sessions/page-state.ts';
import { TRANSACTION_SECONDS } from '#lib/sessions/transaction.ts';
import { constant, duration, LIMITS, size } from './limit-rows.ts';

test('a limit that is read from a constant has the value that its module exports', () => {
  expect(constant('sessions/page-state', 'RECENT_SECONDS')).toBe(RECENT_SECONDS);
  expect(constant('sessions/transaction', 'TRANSACTION_SECONDS')).toBe(TRANSACTION_SECONDS);
  expect(constant('registry/brand', 'MAX_LOGO_BYTES')).toBe(MAX_LOGO_BYTES);
  expect(constant('kit/typed-password', 'MAX_PASSWORD_BYTES')).toBe(MAX_PASSWORD_BYTES);
});

test('a missing constant or member causes an error, and not an empty cell', () => {
  expect(() => constant('oauth/par', 'REQUEST_URI_HOURS')).toThrow('lib/oauth/par.ts has 0 values');
  expect(() => constant('oauth/device', 'WAITING.none')).toThrow('is not a number');
});

test('each limit in the table has a number and the setting that changes it, or is fixed', () => {
  const rows = LIMITS.flatMap(([, read]) => read());
  expect(rows.length).toBeGreaterThan(110);
  for (const [what, value, change] of rows) {
    expect(value, what).toMatch(/\d/);
    expect(change, what).toMatch(/^fixed$|`/);
  }
  expect(new Set(rows.map(([what]) => what)).size).toBe(rows.length);
});

test('durations and sizes in the table have the largest unit without a remainder', () => {
  expect([60, 90, 3_600, 86_400, 2_592_000].map(duration)).toEqual([
    '60 seconds',
    '90 seconds',
    '60 minutes',
    '24 hours',
    '30 days',
  ]);
  expect([500, 65_536].map(size)).toEqual(['500 bytes', '64 KiB']);
});
