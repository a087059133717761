import { expect, it } from 'vitest';
import { inBackground, settleBackground } from './process.ts';

const after = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

it('the wait for background work includes running work and the work that it starts', async () => {
  const done: string[] = [];
  const second = async () => {
    await after(10);
    done.push('second');
  };
  const first = async () => {
    await after(10);
    inBackground(second());
    done.push('first');
  };
  inBackground(first());
  expect(await settleBackground(10_000)).toBe(true);
  expect(done).toEqual(['first', 'second']);
});

it('the wait for background work stops after its limit and returns false', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  inBackground(promise);
  expect(await settleBackground(10)).toBe(false);
  resolve();
  expect(await settleBackground(10_000)).toBe(true);
});

it('the wait for background work includes work that another copy of the module started', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const copy: typeof import('./process.ts') = await import(`./process.ts?${'copy'}`);
  expect(copy.inBackground).not.toBe(inBackground);
  copy.inBackground(promise);
  expect(await settleBackground(10)).toBe(false);
  resolve();
  expect(await settleBackground(10_000)).toBe(true);
});
