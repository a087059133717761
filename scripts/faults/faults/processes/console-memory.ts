import { setTimeout as sleep } from 'node:timers/promises';
import { startConsoleSession } from '#lib/sessions/console.ts';
import { attempt } from '#testing/net/http.ts';
import { until } from '#testing/net/until.ts';
import { isRunning, logLines } from '#testing/service/workers.ts';
import { PAGES } from '../../../../e2e/support/console/console-access.ts';
import { residentOfEach } from '../../../bench/meters.ts';
import { type Context, type Fault, PLAIN } from '../../support/context.ts';
import type { Instance } from '../../support/instance.ts';
import { createMemoryGroup, type MemoryGroup } from '../../support/memory-group.ts';

/**
 * Memory limits of the containers that docs/reference/settings.md and docs/operate/deploy-container.md describe.
 * `workers`: the number that the service chooses.
 */
const CONTAINERS = [
  { megabytes: 512, workers: 1 },
  { megabytes: 768, workers: 2 },
];
const CONNECTIONS = 4;

/** An administrator opens every page of the console repeatedly. */
export const consoleMemory: Fault = {
  name: 'console-memory',
  title: '2,000 pages of the console on four connections, in the memory of a small container',
  async run(context) {
    const pages = context.quick ? 120 : 2_000;
    const broken: string[] = [];
    const notes: string[] = [];
    const addresses = addressesOf(context);
    for (const { megabytes, workers } of CONTAINERS) {
      const name = `gatehouse-${context.database.slice(-6)}-${megabytes}`;
      const group = createMemoryGroup(name, megabytes);
      if (group === null)
        return { notes: 'skipped: this machine allows no control group with a memory limit' };
      const instance = await context.instance(`${megabytes}`, {
        prefix: group.prefix,
        env: { GATEHOUSE_WORKERS: '' },
      });
      const lost = await walk(context, instance, addresses, pages);
      const started = Math.max(1, instance.workers().length);
      if (started !== workers) broken.push(`${megabytes} MB: ${started} workers, ${workers} expected`);
      broken.push(...lost.map((line) => `${megabytes} MB: ${line}`));
      const ended = logLines(instance.launch.log).filter(
        ({ msg }) => msg === 'a worker ended, and is replaced',
      );
      if (ended.length > 0) broken.push(`${megabytes} MB: ${ended.length} workers ended`);
      if (group.kills() > 0) broken.push(`${megabytes} MB: ${group.kills()} processes killed for memory`);
      notes.push(noteOf({ megabytes, workers: started }, group, instance));
      await stop(instance);
      group.remove();
    }
    return { broken, notes: notes.join('; ') };
  },
};

function noteOf(
  { megabytes, workers }: (typeof CONTAINERS)[number],
  group: MemoryGroup,
  instance: Instance,
): string {
  const each = residentOfEach(instance.pid).map((one) => one.toFixed(0));
  return `${workers} in ${megabytes} MB: peak ${group.peakMegabytes()} MB, resident ${each.join(' + ')} MB`;
}

async function stop(instance: Instance): Promise<void> {
  const pids = [instance.pid, ...instance.workers().map(({ pid }) => pid)];
  await instance.stop();
  await until(() => !pids.some(isRunning), { seconds: 10 });
  // waits, because the kernel removes ended processes from the group a moment later
  await sleep(200);
}

function addressesOf(context: Context): string[] {
  const words: Record<string, string> = {
    own: PLAIN.clientId,
    other: 'tru',
    guarded: 'billing',
    person: context.person(1).id,
    kid: 'none',
  };
  const pages = PAGES.map(([, address]) =>
    address.replaceAll(/\{(\w+)\}/g, (_, word: string) => words[word] ?? ''),
  );
  return [...pages, '/documentation'];
}

/** Opens pages of the console, and returns the requests whose responses were wrong. */
async function walk(
  context: Context,
  instance: Instance,
  addresses: readonly string[],
  pages: number,
): Promise<string[]> {
  const { id } = context.person(0);
  await context.sql("update people set roles = '{administrator,developer,approver}' where id = $1", [id]);
  const cookie = await context.inside(async () => {
    const browser = { cookieHeader: undefined, ip: null, userAgent: null, requestId: 'console-memory' };
    const person = { authMethodId: 'pw', methodEpoch: null, personId: id, personEpoch: '0' };
    return (await startConsoleSession({ ...browser, ...person }))?.cookie.split(';')[0] ?? '';
  });
  const lost: string[] = [];
  let next = 0;
  const caller = async () => {
    while (next < pages) {
      const address = addresses[next % addresses.length] ?? '/';
      next += 1;
      const { status } = await attempt(instance.url + address, {
        headers: { cookie, accept: 'text/html' },
        timeoutMs: 60_000,
      });
      // status 503 is valid on a slow database; status 0 means that a worker died
      if (status === 0) lost.push(`${address} got no answer`);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, caller));
  return lost;
}
