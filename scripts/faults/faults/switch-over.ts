import { setTimeout as sleep } from 'node:timers/promises';
import type { Context, Fault } from '../support/context.ts';
import { deafInstances, otherFaults, promote, startHaproxy } from '../support/fail-over.ts';

export const switchOver: Fault = {
  name: 'switch-over',
  title: 'of two PostgreSQL servers the replica takes over as planned',
  needs: ['haproxy', 'postgresql'],
  onPair: true,
  async run(context) {
    const rounds = context.quick ? 1 : 6;
    const port = await startHaproxy(context, 'haproxy');
    const databaseUrl = context.postgres.urlOf(context.database, 'service', port);
    const instance = await context.instance('only', { databaseUrl });
    const stop = await context.busy(instance, context.quick ? 10 : 30);
    const broken: string[] = [];
    let worst = 0;
    let longest = 0;
    for (let round = 0; round < rounds; round += 1) {
      await sleep(200 + Math.random() * 300);
      const { leader } = context.pair;
      // so that it has little left to write when it stops
      await leader.asOwner((client) => client.query('checkpoint'), 'postgres');
      const began = performance.now();
      // it ends once the replica has all of it
      await leader.stop();
      worst = Math.max(worst, await promote(context, instance));
      longest = Math.max(longest, performance.now() - began);
      broken.push(...(await deafInstances(context, 1)));
      await context.pair.rejoin();
    }
    await stop();
    broken.push(...otherFaults(context), ...(await context.lostSlots(instance)), ...unasked(context));
    const notes = `${rounds} ×; nobody got in for ${(longest / 1000).toFixed(1)} s at most`;
    return { recoverySeconds: worst, broken, notes };
  },
};

/** The load went on: otherwise nothing was tried. */
function unasked({ ledger }: Context): string[] {
  return ledger.entries.some(({ status }) => status === 503)
    ? []
    : ['nobody noticed that the servers changed'];
}
