import { expect, test } from 'vitest';
import { pauseBefore } from './supervisor.ts';

test('a worker that ran long enough is replaced immediately, despite earlier failures', () => {
  expect(pauseBefore({ failures: 7, isReady: true, livedMs: 10_000 })).toEqual({ failures: 0, pauseMs: 0 });
});

test.each([
  ['that never served', false, 3_600_000],
  ['that ends soon', true, 9_999],
])('the pause before a worker %s doubles each time, up to half a minute', (_, isReady, livedMs) => {
  let failures = 0;
  const pauses = Array.from({ length: 12 }, () => {
    const next = pauseBefore({ failures, isReady, livedMs });
    failures = next.failures;
    return next.pauseMs;
  });
  expect(pauses.slice(0, 4)).toEqual([100, 200, 400, 800]);
  expect(pauses.at(-1)).toBe(30_000);
});
