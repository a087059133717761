import { setTimeout as sleep } from 'node:timers/promises';
import { attempt } from '#testing/net/http.ts';
import type { Fault } from '../../support/context.ts';

const LONGEST_MS = 6_000;

export const postgresFrozen: Fault = {
  name: 'postgres-frozen',
  title: 'PostgreSQL frozen (SIGSTOP)',
  async run(context) {
    const seconds = context.quick ? 5 : 20;
    const instance = await context.instance('only');
    const stop = await context.busy(instance, 20);
    await sleep(300);
    const broken: string[] = [];
    await context.postgres.freeze();
    const frozen = performance.now();
    while (performance.now() - frozen < seconds * 1000) {
      await sleep(500);
      if ((await attempt(`${instance.url}/health`)).status !== 200)
        broken.push('/health failed with the database frozen');
    }
    await context.postgres.thaw();
    const recoverySeconds = await context.untilSomebodyGetsIn(instance);
    await sleep(300);
    await stop();
    const slowest = Math.max(...context.ledger.entries.map((entry) => entry.ended - entry.began));
    if (slowest > LONGEST_MS) broken.push(`a request waited ${(slowest / 1000).toFixed(1)} s`);
    broken.push(...(await context.lostSlots(instance)));
    return {
      recoverySeconds,
      broken,
      notes: `${seconds} s; the longest answer took ${(slowest / 1000).toFixed(1)} s`,
    };
  },
};
