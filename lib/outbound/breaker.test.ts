import { afterEach, expect, test } from 'vitest';
import { shiftClock } from '#lib/kit/clock.ts';
import { OutboundFailed } from './failed.ts';
import { isOpen, withBreaker } from './fetch.ts';

afterEach(() => shiftClock(0));

const failing = () => Promise.reject(new OutboundFailed('unreachable'));
const reasonOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error: OutboundFailed) => error.reason ?? error.message,
  );
async function open(key: string): Promise<void> {
  for (let i = 0; i < 5; i++) expect(await reasonOf(withBreaker(key, failing))).toBe('unreachable');
}

test('after five consecutive failures, the breaker opens and rejects calls', async () => {
  await open('a');
  let called = false;
  const work = async () => {
    called = true;
  };
  expect(await reasonOf(withBreaker('a', work))).toBe('breaker-open');
  expect(called).toBe(false);
  expect(await reasonOf(withBreaker('b', work))).toBe('done');
});

test('after a pause one trial call runs and other calls fail, and if the trial succeeds, the breaker closes', async () => {
  await open('c');
  shiftClock(10_001);
  const { promise, resolve } = Promise.withResolvers<void>();
  expect(isOpen('c')).toBe(false);
  const trial = withBreaker('c', () => promise);
  expect(isOpen('c')).toBe(true);
  expect(await reasonOf(withBreaker('c', async () => 1))).toBe('breaker-open');
  resolve();
  await trial;
  expect(await reasonOf(withBreaker('c', async () => 1))).toBe('done');
});

test('if the trial call fails, the breaker opens for another pause', async () => {
  await open('d');
  shiftClock(10_001);
  expect(await reasonOf(withBreaker('d', failing))).toBe('unreachable');
  expect(await reasonOf(withBreaker('d', failing))).toBe('breaker-open');
});

test('error responses do not count as failures, so that a caller cannot open the breaker for other users', async () => {
  for (let i = 0; i < 20; i++) {
    const refused = withBreaker('e', () => Promise.reject(new Error('invalid_grant')));
    expect(await reasonOf(refused)).toBe('invalid_grant');
  }
});

test('a remote service receives at most 100 concurrent calls', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const waiting = Array.from({ length: 100 }, () => withBreaker('f', () => promise));
  expect(await reasonOf(withBreaker('f', async () => 1))).toBe('busy');
  resolve();
  await Promise.all(waiting);
  expect(await reasonOf(withBreaker('f', async () => 1))).toBe('done');
});
