// Compares sign-in times of uninvolved users during a flood and without one.
import { setTimeout as sleep } from 'node:timers/promises';
import { fixtureClient } from '#testing/data/fixtures.ts';
import type { Context } from './context.ts';
import type { Instance } from './instance.ts';

/** Maximum number of concurrent requests. */
const MOST_OPEN = 40;
/**
 * In full runs, the median sign-in time during a flood may be at most this many times the median without the
 * flood.
 */
const MOST_RATIO = 2;
const ADDRESS = '203.0.113.7';
/** Template users that no flood targets. */
const [FIRST_OTHER, OTHERS] = [20, 40];

export type SignIns = { times: number[]; refused: number };

/**
 * Sends `request` this number of times per second, or as fast as responses arrive. Returns the number of requests.
 */
export async function pour(
  { seconds, perSecond }: { seconds: number; perSecond: number },
  request: (number: number) => Promise<unknown>,
): Promise<number> {
  const answers = new Set<Promise<unknown>>();
  const began = performance.now();
  const secondsPassed = () => (performance.now() - began) / 1_000;
  let sent = 0;
  while (secondsPassed() < seconds) {
    for (const due = secondsPassed() * perSecond; sent < due && answers.size < MOST_OPEN; sent += 1) {
      const answer = request(sent).finally(() => answers.delete(answer));
      answers.add(answer);
    }
    await sleep(5);
  }
  await Promise.all(answers);
  return sent;
}

/** Signs users in with passwords, one after the other and from a separate address, until `work` ends. */
export async function signInsDuring(
  context: Context,
  instance: Instance,
  work: Promise<unknown>,
): Promise<SignIns> {
  let over = false;
  const ending = work.finally(() => {
    over = true;
  });
  const client = context.client(instance, fixtureClient('trunat'));
  client.headers = { 'x-forwarded-for': ADDRESS };
  const signIns: SignIns = { times: [], refused: 0 };
  for (let turn = 0; !over; turn += 1) {
    const { email, password } = context.person(FIRST_OTHER + (turn % OTHERS));
    const began = performance.now();
    if ((await client.signIn(email, password)) === null) signIns.refused += 1;
    signIns.times.push(performance.now() - began);
    await sleep(20);
  }
  await ending;
  return signIns;
}

/** Signs users in without other load, after a few sign-ins that are not measured. */
export async function quietSignIns(context: Context, instance: Instance): Promise<SignIns> {
  await signInsDuring(context, instance, sleep(500));
  return signInsDuring(context, instance, sleep(context.quick ? 1_000 : 5_000));
}

/**
 * Returns the faults of these sign-ins. Rejected sign-ins are faults. Slow sign-ins are faults only in full
 * runs, because quick runs share machines with other work.
 */
export function comparedSignIns(
  context: Context,
  quiet: SignIns,
  flooded: SignIns,
): { broken: string[]; note: string } {
  const [before, during] = [medianOf(quiet.times), medianOf(flooded.times)];
  const ratio = during / before;
  const broken: string[] = [];
  const refused = quiet.refused + flooded.refused;
  if (refused > 0) broken.push(`${refused} sign-ins of others were refused`);
  if (!context.quick && ratio > MOST_RATIO)
    broken.push(`sign-ins of others took ${ratio.toFixed(1)} times as long as without the flood`);
  const slowest = Math.max(...flooded.times).toFixed(0);
  const note = `sign-ins of others took ${during.toFixed(0)} ms, ${before.toFixed(0)} ms without it (× ${ratio.toFixed(2)}; medians of ${flooded.times.length} and ${quiet.times.length}), the slowest ${slowest} ms`;
  return { broken, note };
}

const medianOf = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;

/** Compares row counts with limits and returns each excess. */
export async function rowsOver(
  context: Context,
  most: Readonly<Record<string, { of: string; most: number }>>,
): Promise<{ broken: string[]; note: string }> {
  const counts = Object.entries(most).map(
    ([name, { of }]) => `(select count(*)::int from ${of}) as "${name}"`,
  );
  const [row = {}] = await context.sql<Record<string, number>>(`select ${counts.join(', ')}`);
  const broken = Object.entries(most)
    .filter(([name, bound]) => (row[name] ?? 0) > bound.most)
    .map(([name, bound]) => `${name}: ${row[name]} rows, ${bound.most} at most`);
  return {
    broken,
    note: Object.entries(row)
      .map(([name, count]) => `${name} ${count}`)
      .join(', '),
  };
}
