import { setTimeout as sleep } from 'node:timers/promises';
import { attempt } from '#testing/net/http.ts';
import type { Fault } from '../../support/context.ts';

export const postgresKilled: Fault = {
  name: 'postgres-killed',
  title: 'PostgreSQL killed (kill -9) and back',
  async run(context) {
    const cycles = context.quick ? 2 : 10;
    const instance = await context.instance('only');
    const stop = await context.busy(instance, 20);
    const { pid } = instance;
    const broken: string[] = [];
    let worst = 0;
    for (let cycle = 0; cycle < cycles; cycle += 1) {
      await sleep(200 + Math.random() * 300);
      await context.postgres.kill();
      await sleep(300);
      if ((await attempt(`${instance.url}/health`)).status !== 200)
        broken.push('/health failed with the database away');
      if ((await attempt(`${instance.url}/ready`)).status !== 503)
        broken.push('/ready said yes with the database away');
      await context.postgres.start();
      worst = Math.max(worst, await context.untilSomebodyGetsIn(instance));
    }
    await stop();
    if (instance.hasExited || instance.pid !== pid) broken.push('the service did not live through it');
    broken.push(...(await context.lostSlots(instance)));
    return { recoverySeconds: worst, broken, notes: `${cycles} cycles` };
  },
};
