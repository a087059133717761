import { afterEach, expect, test } from 'vitest';
import { now, shiftClock } from '#lib/kit/index.ts';
import { directory } from './index.ts';

afterEach(() => shiftClock(0));

test('the registry knows the database’s clock, and goes on by one that nobody sets', async () => {
  const registry = await directory();
  expect(Math.abs(registry.now().getTime() - now().getTime())).toBeLessThan(2_000);
  const wrong = Date.now;
  try {
    Date.now = () => wrong() + 300_000;
    expect(now().getTime() - registry.now().getTime()).toBeGreaterThan(290_000);
  } finally {
    Date.now = wrong;
  }
});
