import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../../support/context.ts';
import { startBalanced } from './round-robin.ts';

export const rollingRestart: Fault = {
  name: 'rolling-restart',
  title: 'rolling restart of three instances under load, without one error',
  async run(context) {
    const { door, instances } = await startBalanced(context, ['a', 'b', 'c']);
    const stop = await context.busy(door, context.quick ? 15 : 30);
    for (let turn = 0; turn < (context.quick ? 1 : 3); turn += 1) {
      for (const instance of instances) {
        await instance.stop();
        await instance.start();
        await sleep(300);
      }
    }
    await stop();
    const errors = context.ledger.entries.filter((entry) => entry.status !== 200);
    return { broken: errors.length === 0 ? [] : [`${errors.length} errors`] };
  },
};
