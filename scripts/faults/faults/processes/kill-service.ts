import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../../support/context.ts';

export const killService: Fault = {
  name: 'kill-service',
  title: 'kill -9 of the service under 50 refreshing clients',
  async run(context) {
    const rounds = context.quick ? 2 : 20;
    const instance = await context.instance('only');
    const stop = await context.busy(instance, context.quick ? 25 : 50);
    let worst = 0;
    for (let round = 0; round < rounds; round += 1) {
      await sleep(300 + Math.random() * 700);
      await instance.kill();
      instance.spawn();
      worst = Math.max(worst, await context.untilSomebodyGetsIn(instance));
    }
    await sleep(300);
    await stop();
    const broken = await context.lostSlots(instance);
    return {
      recoverySeconds: worst,
      broken,
      notes: `${rounds} rounds; the time includes the start of the process`,
    };
  },
};
