import { expect, test } from 'vitest';
import * as tokens from '#lib/tokens/index.ts';
import {
  busyCores,
  bytesOf,
  bytesOnFullest,
  cpuMsOf,
  evenedShares,
  fewest,
  hottest,
  type Kept,
  movedTo,
  SLOTS,
  sharesOfShards,
  sharesOfSlots,
  sumOfRanks,
  togetherIn,
} from './model.ts';
import { DEFAULTS, readOptions } from './options.ts';
import { reportOf, rowsAtRest } from './report.ts';

const sum = (shares: Iterable<number>) => [...shares].reduce((all, share) => all + share, 0);

test('the slots are those of the tokens', () => {
  expect(SLOTS).toBe(tokens.SLOTS);
});

test('the sum of ranks is that of all of them one by one, beyond the head too', () => {
  for (const power of [0, 0.8, 1, 1.6]) {
    let slowly = 0;
    for (let rank = 1; rank <= 3_000_000; rank += 1) slowly += rank ** -power;
    expect(sumOfRanks(1, 3_000_000, power) / slowly).toBeCloseTo(1, 9);
  }
  expect(sumOfRanks(1, 4, 1)).toBeCloseTo(1 + 1 / 2 + 1 / 3 + 1 / 4, 12);
  // the harmonic number of 10^9 is ln(10^9) and Euler's constant
  expect(sumOfRanks(1, 1e9, 1)).toBeCloseTo(Math.log(1e9) + 0.5772156649, 6);
});

test('shares add up, are the same each time, and follow the skew', () => {
  for (const skew of [0, 0.8, 1]) {
    const of = { people: 1e9, skew, seed: 1 };
    const shares = sharesOfSlots(of);
    expect(sum(shares)).toBeCloseTo(1, 9);
    expect(shares).toEqual(sharesOfSlots(of));
    // the busiest person is in some slot
    expect(hottest(shares)).toBeGreaterThanOrEqual(1 / sumOfRanks(1, 1e9, skew) - 1e-12);
  }
  expect(hottest(sharesOfSlots({ people: 1e9, skew: 0, seed: 1 })) * SLOTS).toBeLessThan(1.05);
});

test('people who are not dealt out one by one stray as those do who are', () => {
  const strayOf = (people: number) => {
    const shares = sharesOfSlots({ people, skew: 0, seed: 3 });
    return Math.sqrt(sum(shares.map((share) => (share * SLOTS - 1) ** 2)) / SLOTS);
  };
  // of n people in so many slots: the root of slots / n
  for (const people of [1_000_000, 64_000_000])
    expect(strayOf(people) / Math.sqrt(SLOTS / people)).toBeCloseTo(1, 1);
});

test('shards have every slot once, in ranges, and dealt out by load never a hotter one', () => {
  const slots = sharesOfSlots({ people: 1e6, skew: 0.9, seed: 1 });
  for (const shards of [1, 3, 7, 64]) {
    expect(sum(sharesOfShards(slots, shards))).toBeCloseTo(1, 9);
    expect(sum(evenedShares(slots, shards))).toBeCloseTo(1, 9);
    expect(hottest(evenedShares(slots, shards))).toBeLessThanOrEqual(
      hottest(sharesOfShards(slots, shards)) + 1e-12,
    );
  }
  expect(sharesOfShards(Float64Array.of(1, 2, 3, 4), 2)).toEqual([3, 7]);
  expect(evenedShares(Float64Array.of(1, 2, 3, 4), 2)).toEqual([5, 5]);
});

test('the cost of a refresh is what was measured: 0.28 ms alone, 0.105 ms of ten', () => {
  const cost = { statementMs: DEFAULTS['statement-ms'], rowMs: DEFAULTS['row-ms'] };
  expect(cpuMsOf(cost, 1)).toBeCloseTo(0.28, 6);
  expect(cpuMsOf(cost, 10)).toBeCloseTo(0.105, 3);
  // 1,000 a second of each process, split by ten shards, gather for 5 ms
  expect(togetherIn(64_000, 10, { processes: 64, waitMs: 5 })).toBeCloseTo(1.5, 9);
});

test('the hottest shard decides, by its share of the load', () => {
  const slots = new Float64Array(SLOTS).fill(1 / SLOTS);
  const load = {
    refreshes: 10_000,
    cost: { statementMs: 0, rowMs: 0.2 },
    senders: { processes: 1, waitMs: 5 },
    cores: 1,
    utilisation: 0.5,
  };
  expect(busyCores(load, slots, 4)).toBeCloseTo(0.5, 3);
  expect(fewest((shards) => busyCores(load, slots, shards) <= 0.5)).toBe(4);
  expect(fewest(() => false)).toBeNull();
  expect(fewest((shards) => shards >= 777)).toBe(777);
});

test('rows: of people evenly, of requests where they are made', () => {
  const kept: Kept[] = [
    { table: 'people', rows: 100, bytesEach: 10, by: 'people' },
    { table: 'refresh_tokens', rows: 1_000, bytesEach: 2, by: 'requests' },
  ];
  expect(bytesOf(kept)).toBe(3_000);
  expect(bytesOnFullest(kept, Float64Array.of(0.75, 0.25), 2)).toBe(500 + 1_500);
  const rows = Object.fromEntries(rowsAtRest(DEFAULTS).map((one) => [one.table, one.rows]));
  expect(rows['refresh_tokens']).toBe(1e9 + (1e5 * 90 * 86_400) / 2);
  expect(rows['sessions']).toBeCloseTo((1e9 / (90 * 86_400)) * 43_200, 3);
});

test('from k shards to k + n each new one takes its part, and no slot moves between old ones', () => {
  expect(movedTo({ before: 3, added: 1 }, 4e12, 200)).toEqual({
    slots: SLOTS / 4,
    share: 1 / 4,
    bytes: 1e12,
    hours: 1e12 / 200e6 / 3_600,
  });
  // with more new ones than old ones, the old ones are who cannot send faster
  expect(movedTo({ before: 2, added: 6 }, 8e12, 100).hours).toBeCloseTo(6e12 / 200e6 / 3_600, 9);
});

test('what is no number, or too small to mean anything, is refused by its name', () => {
  expect(readOptions([])).toEqual(DEFAULTS);
  expect(readOptions(['--people', '1e6', '--skew', '0'])).toMatchObject({ people: 1e6, skew: 0 });
  expect(readOptions(['--help'])).toBe('help');
  for (const [name, text] of [
    ['people', '0'],
    ['people', '1.5'],
    ['cores', 'many'],
    ['skew', '-1'],
    ['filled', ''],
    ['refreshes', 'Infinity'],
  ])
    expect(() => readOptions([`--${name}=${text}`]), `${name} ${text}`).toThrow(`--${name} must be a`);
  expect(() => readOptions(['--person', '3'])).toThrow('--person');
});

test('one slot that is more than a shard carries is said, not divided', () => {
  expect(reportOf({ ...DEFAULTS, people: 1, refreshes: 1e6, cores: 1 })).toMatch(/^One slot alone/);
});
