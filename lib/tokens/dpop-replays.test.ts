import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { currentNonce, isCurrentNonce, isFirstProof } from './dpop.ts';

const SECRETS = ['a-secret-of-the-service-with-32-characters'];

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 28, 10, 0, 0) }));
afterEach(() => vi.useRealTimers());
const waitSeconds = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1_000);

test('a DPoP proof is rejected on second use while its nonce is valid', () => {
  const nonce = currentNonce(SECRETS);
  expect(isFirstProof('with a nonce', {})).toBe(true);
  let seconds = 0;
  for (; isCurrentNonce(nonce, SECRETS) !== null; seconds += 1) {
    expect(isFirstProof('with a nonce', {}), `after ${seconds} seconds`).toBe(false);
    waitSeconds(1);
  }
  expect(seconds).toBe(180);
});

test('if Gatehouse retries a request, the request can use its DPoP proof again', () => {
  const request = {};
  expect([isFirstProof('one', request), isFirstProof('one', request), isFirstProof('one', {})]).toEqual([
    true,
    true,
    false,
  ]);
});
