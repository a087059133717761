import { setTimeout as sleep } from 'node:timers/promises';
import type { Tokens } from '../../support/client.ts';
import { type Context, type Fault, PASSWORD } from '../../support/context.ts';
import { deafInstances, LEASE_MS, otherFaults, promote, startHaproxy } from '../../support/fail-over.ts';
import type { Instance } from '../../support/instance.ts';
import { Link } from '../../support/link.ts';
import type { Postgres } from '../../support/postgres.ts';

export const leaderCutOff: Fault = {
  name: 'leader-cut-off',
  title:
    'of two PostgreSQL servers the leader cut off but alive, an instance on its side, and its replica promoted',
  needs: ['haproxy', 'postgresql'],
  onPair: true,
  async run(context) {
    const { leader: old, replica: next } = context.pair;
    const across = { old: await Link.to(old.port), next: await Link.to(next.port) };
    // network split: each instance uses the HAProxy on its side
    const [instance, beside] = await Promise.all([
      onSide(context, 'with-the-replica', { [old.name]: across.old.port }),
      onSide(context, 'with-the-leader', { [next.name]: across.next.port }),
    ]);
    const client = context.client(instance);
    const family = (await client.signIn(context.person(0).email, PASSWORD)) as Tokens;
    const clients = context.quick ? 6 : 20;
    const stops = [await context.busy(instance, clients), await context.busy(beside, clients)];

    const cut = [across.old, across.next, old.link];
    for (const link of cut) link.cut();
    context.onEnd(() => Promise.all([across.old.close(), across.next.close()]).then(() => {}));
    const cutAt = performance.now();
    await context.pair.leave();
    await impatience(old, LEASE_MS);
    const leftAt = performance.now();
    const recoverySeconds = await promote(context, instance);
    const broken = (await client.revoke(family)) ? [] : ['the new leader did not revoke'];
    broken.push(...(await asksInVain(context, beside, family)));
    await sleep(context.quick ? 300 : 10_000);
    broken.push(...servedBeside(context, beside, cutAt, leftAt));

    // the old leader is reachable and still accepts writes
    for (const link of cut) link.heal();
    await context.untilSomebodyGetsIn(beside);
    await sleep(context.quick ? 300 : 5_000);
    await old.stop();
    await context.pair.rejoin();
    for (const stop of stops) await stop();
    broken.push(...(await deafInstances(context, 2)));
    broken.push(...otherFaults(context));
    for (const each of [instance, beside]) broken.push(...(await context.lostSlots(each)));
    return {
      recoverySeconds,
      broken,
      notes: `promoted ${LEASE_MS / 1000} s after the cut; no token was given on the side that was cut off`,
    };
  },
};

async function onSide(context: Context, name: string, ways: Record<string, number>): Promise<Instance> {
  const port = await startHaproxy(context, name, ways);
  return context.instance(name, { databaseUrl: context.postgres.urlOf(context.database, 'service', port) });
}

/** Simulates an operator who cancels each hanging statement: PostgreSQL then reports success. */
async function impatience(server: Postgres, milliseconds: number): Promise<void> {
  const until = performance.now() + milliseconds;
  await server.asOwner(async (operator) => {
    while (performance.now() < until) {
      await operator.query(
        "select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'",
      );
      await sleep(50);
    }
  }, 'postgres');
}

/**
 * Checks on the isolated side that introspection and refresh fail with 503 for a token family that was revoked on
 * the other side.
 */
async function asksInVain(context: Context, beside: Instance, family: Tokens): Promise<string[]> {
  const client = context.client(beside);
  const broken: string[] = [];
  for (let round = 0; round < 3; round += 1) {
    if ((await client.isActive(family.accessToken, family.family)) !== null)
      broken.push('a server that was cut off answered for a token');
    await client.refresh(family);
    if (client.last?.status !== 503)
      broken.push(`a refresh on the side that was cut off got ${client.last?.status}`);
  }
  return broken;
}

/**
 * Checks that the isolated side issued no token after the cut, and gave no response below 500 after the
 * lease.
 */
function servedBeside({ ledger }: Context, beside: Instance, cutAt: number, leftAt: number): string[] {
  const asked = ledger.entries.filter(({ at, began }) => at === beside.url && began >= cutAt);
  const given = asked.filter(({ status, kind }) => status === 200 && kind !== 'introspect');
  const told = asked.filter(({ status, began }) => status > 0 && status < 500 && began >= leftAt);
  return [
    ...(asked.length > 0 ? [] : ['nobody asked on the side that was cut off']),
    ...given.map(
      ({ kind, began }) => `${kind} succeeded there ${Math.round(began - cutAt)} ms after the cut`,
    ),
    ...told.map(({ kind, status }) => `${kind} got ${status} there once the other server could lead`),
  ];
}
