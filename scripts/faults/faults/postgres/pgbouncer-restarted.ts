import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../../support/context.ts';
import {
  deafInstances,
  otherFaults,
  promote,
  startHaproxy,
  startPgbouncer,
} from '../../support/fail-over.ts';

export const pgbouncerRestarted: Fault = {
  name: 'pgbouncer-restarted',
  title: 'PgBouncer (transaction pooling) killed and restarted',
  needs: ['pgbouncer', 'haproxy', 'postgresql'],
  onPair: true,
  async run(context) {
    const rounds = context.quick ? 1 : 6;
    const haproxy = await startHaproxy(context, 'haproxy');
    const { port, program } = await startPgbouncer(context, haproxy);
    const [databaseUrl = '', DIRECT_URL = ''] = [port, haproxy].map((way) =>
      context.postgres.urlOf(context.database, 'service', way),
    );
    const instance = await context.instance('only', { databaseUrl, env: { DIRECT_URL } });
    const stop = await context.busy(instance, context.quick ? 10 : 30);
    let worst = 0;
    for (let round = 0; round < rounds; round += 1) {
      for (const end of [() => program.kill(), () => program.stop()]) {
        await sleep(200 + Math.random() * 300);
        await end();
        await program.start();
        worst = Math.max(worst, await context.untilSomebodyGetsIn(instance));
      }
    }
    if (!context.quick) {
      await context.pair.leader.stop();
      worst = Math.max(worst, await promote(context, instance));
      await context.pair.rejoin();
    }
    const broken = await deafInstances(context, 1);
    await stop();
    broken.push(...otherFaults(context), ...(await context.lostSlots(instance)));
    return {
      recoverySeconds: worst,
      broken,
      notes: `${rounds} × killed, ${rounds} × restarted${context.quick ? '' : ', one switch-over'}`,
    };
  },
};
