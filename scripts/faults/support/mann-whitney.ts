/**
 * Returns the probability, from 0 to 1, that samples are this far apart if both come from one distribution
 * (two-sided Mann–Whitney test).
 */
export function sameDistribution(a: readonly number[], b: readonly number[]): number {
  const all = [...a.map((value) => ({ value, own: true })), ...b.map((value) => ({ value, own: false }))];
  all.sort((one, other) => one.value - other.value);
  const ranks = all.reduce((sum, { own }, at) => sum + (own ? at + 1 : 0), 0);
  const u = ranks - (a.length * (a.length + 1)) / 2;
  const mean = (a.length * b.length) / 2;
  const deviation = Math.sqrt((a.length * b.length * (a.length + b.length + 1)) / 12);
  return 2 * (1 - normal(Math.abs(u - mean) / deviation));
}

/**
 * Cumulative distribution function of the standard normal distribution (Abramowitz and Stegun 26.2.17), exact to
 * seven digits.
 */
function normal(z: number): number {
  const t = 1 / (1 + 0.2316419 * z);
  const series =
    t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return 1 - (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * series;
}
