import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../support/context.ts';
import { deafInstances, otherFaults, promote, startHaproxy } from '../support/fail-over.ts';

export const leaderKilled: Fault = {
  name: 'leader-killed',
  title: 'of two PostgreSQL servers the leader killed (kill -9), and its replica promoted',
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
    for (let round = 0; round < rounds; round += 1) {
      await sleep(200 + Math.random() * 300);
      await context.pair.leader.kill();
      worst = Math.max(worst, await promote(context, instance));
      broken.push(...(await deafInstances(context, 1)));
      await context.pair.rejoin();
    }
    await stop();
    broken.push(...otherFaults(context), ...(await context.lostSlots(instance)));
    return { recoverySeconds: worst, broken, notes: `${rounds} × each in turn; it came back as the replica` };
  },
};
