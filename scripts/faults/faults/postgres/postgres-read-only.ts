import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../../support/context.ts';

export const postgresReadOnly: Fault = {
  name: 'postgres-read-only',
  title: 'PostgreSQL read-only (a replica that was promoted too late, a full disk)',
  async run(context) {
    const instance = await context.instance('only');
    const stop = await context.busy(instance, 20);
    const readOnly = (value: 'on' | 'off') =>
      context.postgres.asOwner(async (client) => {
        await client.query('set default_transaction_read_only = off');
        await client.query(`alter system set default_transaction_read_only = ${value}`);
        await client.query('select pg_reload_conf()');
      }, 'postgres');
    await readOnly('on');
    await sleep(context.quick ? 800 : 5_000);
    const refused = context.ledger.entries.filter((entry) => entry.status === 503).length;
    await readOnly('off');
    const recoverySeconds = await context.untilSomebodyGetsIn(instance);
    await stop();
    const broken = refused === 0 ? ['nothing was refused while nothing could be written'] : [];
    return { recoverySeconds, broken: [...broken, ...(await context.lostSlots(instance))] };
  },
};
