import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '#testing/net/until.ts';
import type { Context, Fault } from '../../support/context.ts';
import type { Instance } from '../../support/instance.ts';

/**
 * Milliseconds after a kill during which a client may still send a request to the killed worker, on a connection
 * that is about to break.
 */
const IN_HAND_MS = 1_500;

export const killWorkers: Fault = {
  name: 'kill-workers',
  title: 'kill -9 of one worker after the other under 50 refreshing clients',
  async run(context) {
    const instance = await context.instance('several', { env: { GATEHOUSE_WORKERS: '2' } });
    const broken: string[] = [];
    if (!(await allServe(instance))) return { broken: ['the second worker did not start'] };
    const stop = await context.busy(instance, context.quick ? 12 : 50);
    const rounds = context.quick ? 2 : 20;
    const killedAt: number[] = [];
    let worst = 0;
    for (let round = 0; round < rounds; round += 1) {
      await sleep(300 + Math.random() * 300);
      const worker = instance.workers()[round % 2];
      killedAt.push(performance.now());
      process.kill(worker?.pid ?? 0, 'SIGKILL');
      worst = Math.max(worst, await context.untilSomebodyGetsIn(instance));
      const isBack = () => instance.workers().length === 2 && allReady(instance, worker?.pid);
      if (!(await until(isBack, { seconds: 60 }))) broken.push(`worker ${worker?.number} was not replaced`);
    }
    await sleep(300);
    await stop();
    return {
      recoverySeconds: worst,
      broken: [...broken, ...findUnexplained(context, killedAt), ...(await context.lostSlots(instance))],
      notes: `${rounds} rounds, each worker replaced before the next`,
    };
  },
};

const allReady = (instance: Instance, gone?: number) =>
  instance.workers().every(({ isReady, pid }) => isReady && pid !== gone);

function allServe(instance: Instance): Promise<boolean> {
  return until(() => instance.workers().length === 2 && allReady(instance), { seconds: 60 });
}

/**
 * Finds failed requests that the death of a worker does not explain. An unanswered request is explained if it
 * was active when a worker was killed.
 */
function findUnexplained({ ledger }: Context, killedAt: readonly number[]): string[] {
  const lost = ledger.entries.filter(({ status }) => status !== 200 && status !== 400);
  const others = lost.filter(
    ({ status, began, ended }) =>
      status !== 0 || !killedAt.some((at) => began <= at + IN_HAND_MS && ended >= at && ended <= at + 4_000),
  );
  return others.map(({ kind, status, began }) => {
    const last = killedAt.findLast((at) => at <= began) ?? began;
    return `${kind} got ${status || 'no answer'}, ${Math.round(began - last)} ms after a worker was killed`;
  });
}
