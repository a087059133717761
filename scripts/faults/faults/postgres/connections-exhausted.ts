import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Fault } from '../../support/context.ts';

export const connectionsExhausted: Fault = {
  name: 'connections-exhausted',
  title: 'every connection of PostgreSQL taken by others',
  async run(context) {
    const instance = await context.instance('only');
    const stop = await context.busy(instance, 20);
    const url = context.postgres.urlOf(context.database, 'service');
    const taken: pg.Client[] = [];
    // ends connections of the service while foreign connections open, until foreign connections use all slots
    await context.postgres.asOwner(async (watcher) => {
      for (let going = true; going; ) {
        const batch = await Promise.allSettled(Array.from({ length: 20 }, () => connect(url)));
        for (const one of batch) if (one.status === 'fulfilled') taken.push(one.value);
        await watcher.query(
          "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'gatehouse'",
        );
        going = batch.some((one) => one.status === 'fulfilled');
      }
      await sleep(context.quick ? 500 : 5_000);
    }, context.database);
    const refused = context.ledger.entries.filter((entry) => entry.status === 503).length;
    await Promise.all(taken.map((client) => client.end()));
    const recoverySeconds = await context.untilSomebodyGetsIn(instance);
    await stop();
    const broken = refused === 0 ? ['nothing was refused without a connection'] : [];
    return {
      recoverySeconds,
      broken: [...broken, ...(await context.lostSlots(instance))],
      notes: `${taken.length} taken`,
    };
  },
};

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString, application_name: 'somebody else' });
  client.on('error', () => {});
  await client.connect();
  return client;
}
