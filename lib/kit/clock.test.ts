import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { followClock, machineNow, now } from './clock.ts';

const aheadBy = () => now().getTime() - machineNow().getTime();
// fake timers, because the test reads the clock twice
beforeEach(() => vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => {
  followClock(Date.now());
  vi.useRealTimers();
});

test('the service time follows the database clock, even if the local clock is five minutes off', () => {
  followClock(Date.now() + 300_000);
  expect(aheadBy()).toBeGreaterThan(299_000);
  followClock(Date.now() - 300_000);
  expect(aheadBy()).toBeLessThan(-299_000);
  followClock(Date.now());
  expect(aheadBy()).toBe(0);
});

test('database round-trip time does not shift the service time', () => {
  followClock(Date.now() - 200);
  expect(aheadBy()).toBe(0);
});
