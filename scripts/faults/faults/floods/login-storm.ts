import { setTimeout as sleep } from 'node:timers/promises';
import { fixtureClient } from '#testing/data/fixtures.ts';
import { attempt } from '#testing/net/http.ts';
import { type Context, type Fault, PASSWORD } from '../../support/context.ts';
import type { Instance } from '../../support/instance.ts';

const RATE = 500;
/** Maximum number of concurrent sign-ins. */
const MOST_OPEN = 150;

export const loginStorm: Fault = {
  name: 'login-storm',
  title: '500 wrong passwords a second from many addresses',
  async run(context) {
    const seconds = context.quick ? 3 : 30;
    const instance = await context.instance('only', { env: { TRUST_PROXY: '1' } });
    const before = context.ledger.entries.length;
    const stop = await context.busy(instance, 10);
    const broken: string[] = [];
    const health: number[] = [];
    const storming = storm(context, instance, seconds);
    for (let look = 0; look < seconds * 4; look += 1) {
      const began = performance.now();
      if ((await attempt(`${instance.url}/health`)).status !== 200) broken.push('/health failed');
      health.push(performance.now() - began);
      await sleep(200);
    }
    const checked = await storming;
    const recoverySeconds = await context.untilSomebodyGetsIn(instance);
    await stop();
    const refreshes = context.ledger.entries.slice(before).filter((entry) => entry.kind === 'refresh');
    const hurt = refreshes.filter((entry) => entry.status !== 200).length;
    if (hurt > 0) broken.push(`${hurt} of ${refreshes.length} refreshes failed`);
    broken.push(...(await context.lostSlots(instance)));
    const slowest = Math.max(...health).toFixed(0);
    return {
      recoverySeconds,
      broken,
      notes: `${seconds} s; ${checked} passwords were checked, ${refreshes.length} refreshes went on, the slowest /health took ${slowest} ms`,
    };
  },
};

/** Starts sign-ins at a constant rate. Returns the number of passwords that the service checked. */
async function storm(context: Context, instance: Instance, seconds: number): Promise<number> {
  const answers: Promise<void>[] = [];
  let checked = 0;
  let open = 0;
  const began = performance.now();
  for (let sent = 0; performance.now() - began < seconds * 1000; ) {
    // so that slow machines never hold thousands of connections
    const due = ((performance.now() - began) / 1000) * RATE;
    for (; sent < due && open < MOST_OPEN; sent += 1) {
      open += 1;
      const client = context.client(instance, fixtureClient('trunat'));
      client.headers = { 'x-forwarded-for': `198.51.${sent % 250}.${(sent * 7) % 250}` };
      const known = sent % 3 === 0 ? context.person(sent % 40).email : `nobody-${sent}@example.com`;
      answers.push(
        client
          .signIn(known, `not ${PASSWORD}`, true)
          .then(() => {
            if (client.last?.status === 400) checked += 1;
          })
          .finally(() => {
            open -= 1;
          }),
      );
    }
    await sleep(10);
  }
  await Promise.all(answers);
  return checked;
}
