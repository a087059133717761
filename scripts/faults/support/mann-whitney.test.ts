import { expect, it } from 'vitest';
import { sameDistribution } from './mann-whitney.ts';

const series = (from: number, step: number) =>
  Array.from({ length: 100 }, (_, n) => from + ((n * 37) % 100) * step);

it('two samples of one distribution have a high probability of equality', () => {
  expect(sameDistribution(series(1, 0.01), series(1.0001, 0.01))).toBeGreaterThan(0.9);
});

it('two samples with a small shift (a quarter of the spread) have a low probability of equality', () => {
  expect(sameDistribution(series(1, 0.01), series(1.25, 0.01))).toBeLessThan(0.0001);
});
