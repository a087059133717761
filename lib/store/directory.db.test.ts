import { afterEach, expect, test } from 'vitest';
import { now, shiftClock } from '#lib/kit/index.ts';
import { directory } from './index.ts';

afterEach(() => shiftClock(0));

const seconds = (date: Date) => date.getTime() / 1000;

test('the registry knows the database’s clock, and follows it when this machine’s is moved', async () => {
  const registry = await directory();
  expect(seconds(registry.now())).toBeCloseTo(seconds(now()), 0);
  expect((await directory()).readAt).toBe(registry.readAt);
});

test('a registry that is a minute old, or seems to come from the future, is read again', async () => {
  const first = await directory();
  shiftClock(61_000);
  const second = await directory();
  expect(second.readAt).toBeGreaterThan(first.readAt);
  shiftClock(0);
  expect((await directory()).readAt).toBeLessThan(second.readAt);
});
