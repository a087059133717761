import { setTimeout as sleep } from 'node:timers/promises';
import { createPerson } from '#lib/catalogue/people/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { givenToken } from '#testing/data/registry.ts';
import { givenOps } from '#testing/in-process/management.ts';
import type { Context, Fault } from '../../support/context.ts';
import type { Instance } from '../../support/instance.ts';

const AT_ONCE = 20;
/** Maximum size of a client. */
const REDIRECT_URIS = Array.from({ length: 16 }, (_, at) =>
  `https://flood.example/${at}/`.padEnd(2_000, 'a'),
);
/** Developer without limits: the service must survive without help of limits. */
const UNLIMITED = { CLIENTS_PER_OWNER: '1000000', EDITS_PER_MINUTE: '1000000' };
const CLIENTS_PER_OWNER = 100;
/**
 * Minimum share of the usual refreshes per second during a flood. Floods and refreshes share two cores, so
 * refreshes may slow down.
 */
const LEAST_SHARE = 0.1;

export const registryFlood: Fault = {
  name: 'registry-flood',
  title: 'a developer creates clients as fast as the service answers, with limits and without',
  async run(context) {
    const broken: string[] = [];
    const notes: string[] = [];
    for (const [name, env] of [
      ['limited', {}],
      ['unlimited', UNLIMITED],
    ] as const) {
      const instance = await context.instance(name, { env });
      const { id, token } = await developer(context, name);
      const stop = await context.busy(instance, 10);
      const calm = await during(context, instance, broken, () => pause(context));
      const answers = new Map<number, number>();
      const flooded = await during(context, instance, broken, () => flood(context, instance, token, answers));
      await stop();
      const [owned] = await context.sql<{ n: number }>(
        'select count(*)::int as n from clients where owner_id = $1',
        [id],
      );
      const share = flooded / calm;
      if (share < LEAST_SHARE) broken.push(`${name}: refreshes fell to ${share.toFixed(2)}`);
      if (name === 'limited' && (owned?.n ?? 0) > CLIENTS_PER_OWNER)
        broken.push(`${owned?.n} clients of one owner`);
      const odd = [...answers.keys()].filter((status) => ![201, 409, 429].includes(status));
      if (odd.length > 0) broken.push(`${name}: answered ${odd.join(', ')}`);
      broken.push(...(await context.lostSlots(instance)));
      notes.push(
        `${name}: ${owned?.n} clients of ${[...answers.values()].reduce((sum, one) => sum + one, 0)} asked for, refreshes at ${share.toFixed(2)}`,
      );
      await instance.kill();
      // restarts the service, which then loads all created clients
      await instance.start();
      if ((await fetch(`${instance.url}/ready`)).status !== 200)
        broken.push(`${name}: not ready after a restart`);
      await instance.kill();
    }
    return { broken, notes: notes.join('; ') };
  },
};

const pause = (context: Context) => sleep(secondsOf(context) * 1_000);
const secondsOf = (context: Context) => (context.quick ? 3 : 20);

async function developer(context: Context, name: string) {
  return context.inside(async () => {
    const email = `${name}@example.com`;
    const { id } = await createPerson(OPERATOR, {
      email,
      roles: ['developer'],
      password: 'flood-password-1',
    });
    if (name === 'limited') await givenOps();
    const developer = {
      kind: 'person',
      id,
      email,
      roles: ['developer'],
      signedInAt: null,
      request: null,
    } as const;
    const token = await givenToken({ ...developer, roles: ['developer'] }, { authMethodId: 'pw' });
    return { id, token };
  });
}

/** Measures refreshes per second during `work`. Each refresh and each request to `/ready` must return 200. */
async function during(
  context: Context,
  instance: Instance,
  broken: string[],
  work: () => Promise<void>,
): Promise<number> {
  const before = context.ledger.entries.length;
  const began = performance.now();
  let over = false;
  const ending = work().finally(() => {
    over = true;
  });
  while (!over) {
    const { status } = await fetch(`${instance.url}/ready`);
    if (status !== 200) broken.push(`/ready said ${status}`);
    await sleep(200);
  }
  await ending;
  const refreshes = context.ledger.entries.slice(before).filter((entry) => entry.kind === 'refresh');
  const hurt = refreshes.filter((entry) => entry.status !== 200).length;
  if (hurt > 0) broken.push(`${hurt} of ${refreshes.length} refreshes failed`);
  return refreshes.length / ((performance.now() - began) / 1_000);
}

async function flood(
  context: Context,
  instance: Instance,
  token: string,
  answers: Map<number, number>,
): Promise<void> {
  const end = performance.now() + secondsOf(context) * 1_000;
  const one = async () => {
    while (performance.now() < end) {
      const { status } = await fetch(`${instance.url}/api/v1/clients`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'Flood', kind: 'browser', redirect_uris: REDIRECT_URIS }),
      });
      answers.set(status, (answers.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: context.quick ? AT_ONCE / 2 : AT_ONCE }, one));
}
