// Repeated failovers. All faults that end a leader use them.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from './context.ts';
import { deafInstances, otherFaults, promote, startHaproxy } from './fail-over.ts';
import type { Member } from './member.ts';

type Ended = { rounds: number; broken: string[]; recoverySeconds: number; longestMs: number };

/**
 * Ends the leader repeatedly under load. Each time the replica is promoted, and the old leader becomes the replica.
 * `longestMs`: maximum time from the end until a sign-in succeeds.
 */
export async function endLeaders(
  context: Context,
  {
    prepare,
    end,
  }: { prepare?: (leader: Member) => Promise<unknown>; end: (leader: Member) => Promise<void> },
): Promise<Ended> {
  const rounds = context.quick ? 1 : 6;
  const port = await startHaproxy(context, 'haproxy');
  const databaseUrl = context.postgres.urlOf(context.database, 'service', port);
  const instance = await context.instance('only', { databaseUrl });
  const stop = await context.busy(instance, context.quick ? 10 : 30);
  const broken: string[] = [];
  let recoverySeconds = 0;
  let longestMs = 0;
  for (let round = 0; round < rounds; round += 1) {
    await sleep(200 + Math.random() * 300);
    const { leader } = context.pair;
    await prepare?.(leader);
    const began = performance.now();
    await end(leader);
    recoverySeconds = Math.max(recoverySeconds, await promote(context, instance));
    longestMs = Math.max(longestMs, performance.now() - began);
    broken.push(...(await deafInstances(context, 1)));
    await context.pair.rejoin();
  }
  await stop();
  broken.push(...otherFaults(context), ...(await context.lostSlots(instance)));
  return { rounds, broken, recoverySeconds, longestMs };
}
