// The arithmetic of `npm run scale`: how much of the load each slot has, how many shards that takes, and what moves when there are
// more. Nothing here is measured; what was measured comes in as parameters (options.ts). The same parameters give the same figures.

/** As in lib/tokens, which needs packages that this must do without. */
export const SLOTS = 65_536;

/** How often people refresh follows Zipf's law: the person of rank r does so in proportion to 1 / r^skew. */
export type People = { people: number; skew: number; seed: number };

/** Ranks that are summed one by one, and given to slots one by one. The others are many and small: their sum is enough. */
const HEAD = 2 ** 20;

/** The sum of 1 / r^power for r from `from` to `to`, both in it: one by one up to HEAD, by Euler and Maclaurin beyond. */
export function sumOfRanks(from: number, to: number, power: number): number {
  let sum = 0;
  const last = Math.min(to, HEAD);
  for (let rank = from; rank <= last; rank += 1) sum += rank ** -power;
  const next = Math.max(from, HEAD + 1);
  if (next > to) return sum;
  const integral =
    power === 1 ? Math.log(to / next) : (to ** (1 - power) - next ** (1 - power)) / (1 - power);
  return sum + integral + (next ** -power + to ** -power) / 2;
}

/** A number of 32 bits that looks like none of its neighbours. */
function scattered(value: number): number {
  let x = Math.imul(value ^ (value >>> 16), 0x45d9f3b) >>> 0;
  x = Math.imul(x ^ (x >>> 16), 0x45d9f3b) >>> 0;
  return (x ^ (x >>> 16)) >>> 0;
}

/** A number of the normal distribution, always the same for `at`. */
function normal(at: number, seed: number): number {
  const [first, second] = [1, 2].map((nth) => (scattered(at * 4 + nth + seed * 7_919) + 0.5) / 2 ** 32);
  return Math.sqrt(-2 * Math.log(first ?? 0.5)) * Math.cos(2 * Math.PI * (second ?? 0.5));
}

/** The share of all requests that each slot has; they add up to 1. */
export function sharesOfSlots({ people, skew, seed }: People): Float64Array {
  const shares = new Float64Array(SLOTS);
  const all = sumOfRanks(1, people, skew);
  const head = Math.min(people, HEAD);
  for (let rank = 1; rank <= head; rank += 1) {
    const slot = scattered(rank + seed * 104_729) % SLOTS;
    shares[slot] = (shares[slot] ?? 0) + rank ** -skew / all;
  }
  if (people > head) {
    const mean = sumOfRanks(head + 1, people, skew) / all / SLOTS;
    const deviation = Math.sqrt(sumOfRanks(head + 1, people, skew * 2) / SLOTS) / all;
    for (let slot = 0; slot < SLOTS; slot += 1)
      shares[slot] = (shares[slot] ?? 0) + Math.max(0, mean + deviation * normal(slot, seed));
  }
  const total = shares.reduce((sum, share) => sum + share, 0);
  return shares.map((share) => share / total);
}

/** What each of so many shards has, where slots lie in ranges of one length (give or take a slot). */
export function sharesOfShards(slots: Float64Array, shards: number): number[] {
  const sums = new Array<number>(shards).fill(0);
  for (let slot = 0; slot < slots.length; slot += 1) {
    const shard = Math.floor((slot * shards) / slots.length);
    sums[shard] = (sums[shard] ?? 0) + (slots[slot] ?? 0);
  }
  return sums;
}

/** The same after the heaviest slots were dealt out one by one, each to the shard that had least. */
export function evenedShares(slots: Float64Array, shards: number): number[] {
  const sums = new Array<number>(shards).fill(0);
  for (const share of slots.toSorted((a, b) => b - a)) {
    let least = 0;
    for (let shard = 1; shard < shards; shard += 1)
      if ((sums[shard] ?? 0) < (sums[least] ?? 0)) least = shard;
    sums[least] = (sums[least] ?? 0) + share;
  }
  return sums;
}

export const hottest = (shares: ArrayLike<number>) =>
  Array.from(shares).reduce((most, share) => Math.max(most, share), 0);

/** What a refresh costs PostgreSQL: a part for each statement, and one for each refresh in it (docs/decisions/0012). */
export type Cost = { statementMs: number; rowMs: number };
/** Who sends the statements: so many processes, each of which sends a shard what came together while an answer travelled. */
export type Senders = { processes: number; waitMs: number };

/** Refreshes in one statement, where each process splits what it has by shard. */
export function togetherIn(refreshes: number, shards: number, { processes, waitMs }: Senders): number {
  return 1 + (refreshes / processes / shards) * (waitMs / 1_000);
}

export const cpuMsOf = ({ statementMs, rowMs }: Cost, together: number): number =>
  statementMs / together + rowMs;

export type Load = { refreshes: number; cost: Cost; senders: Senders; cores: number; utilisation: number };

/** Cores that the hottest shard keeps busy. */
export function busyCores(load: Load, slots: Float64Array, shards: number): number {
  const cpuMs = cpuMsOf(load.cost, togetherIn(load.refreshes, shards, load.senders));
  return (load.refreshes * hottest(sharesOfShards(slots, shards)) * cpuMs) / 1_000;
}

/** Doubled until it is enough, then halved towards the least that is; null: a shard for each slot is not enough. */
export function fewest(enough: (shards: number) => boolean): number | null {
  let many = 1;
  while (!enough(many)) {
    if (many >= SLOTS) return null;
    many *= 2;
  }
  let few = many / 2;
  while (many - few > 1) {
    const middle = Math.floor((few + many) / 2);
    if (enough(middle)) many = middle;
    else few = middle;
  }
  return many;
}

/** `by`: what makes the rows, and so which shard has many of them. */
export type Kept = { table: string; rows: number; bytesEach: number; by: 'people' | 'requests' };
export const bytesOf = (kept: readonly Kept[]): number =>
  kept.reduce((sum, { rows, bytesEach }) => sum + rows * bytesEach, 0);

/** Of the fullest shard: people are spread evenly, but who refreshes most has most rows. */
export function bytesOnFullest(kept: readonly Kept[], slots: Float64Array, shards: number): number {
  const most = hottest(sharesOfShards(slots, shards));
  return kept.reduce(
    (sum, { rows, bytesEach, by }) => sum + rows * bytesEach * (by === 'people' ? 1 / shards : most),
    0,
  );
}

export type Move = { slots: number; share: number; bytes: number; hours: number };

/** From `before` shards to `added` more: each new one takes its part of the slots, from all that were there. */
export function movedTo(
  { before, added }: { before: number; added: number },
  bytes: number,
  megabytesPerSecond: number,
): Move {
  const share = added / (before + added);
  const moved = bytes * share;
  // each shard reads or writes at this rate
  const lanes = Math.min(before, added);
  return {
    slots: Math.round(SLOTS * share),
    share,
    bytes: moved,
    hours: moved / (lanes * megabytesPerSecond * 1e6) / 3_600,
  };
}
