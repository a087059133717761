// Service instance for second factors: a separate process with the same database. It runs the parent's checks
// concurrently and returns outcome counts.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { proveRecoveryCode, proveTotp } from '#lib/factors/totp.ts';
import { setLogLevel } from '#lib/kit/log.ts';
import { closePool } from '#lib/store/pool.ts';

type Tries = {
  kind: 'totp' | 'recovery_code';
  ip: string | null;
  /** the checks to run */
  tries: { personId: string; code: string }[];
};
type Outcomes = { proved: number; wrong: number; slowDown: number };
/** Number of concurrent checks of an instance, limited by its database connections. */
const AT_ONCE = 34;

async function proveAll({ kind, ip, tries }: Tries): Promise<Outcomes> {
  const prove = kind === 'totp' ? proveTotp : proveRecoveryCode;
  const context = { requestId: 'instance', ip };
  const all: Awaited<ReturnType<typeof prove>>[] = [];
  for (let from = 0; from < tries.length; from += AT_ONCE) {
    const wave = tries.slice(from, from + AT_ONCE);
    all.push(...(await Promise.all(wave.map((one) => prove({ ...one, context })))));
  }
  const wrong = all.filter((one) => one === 'wrong').length;
  const slowDown = all.filter((one) => typeof one !== 'string' && one.kind === 'slow-down').length;
  return { proved: all.length - wrong - slowDown, wrong, slowDown };
}

if (process.send && process.argv[1] === import.meta.filename) {
  setLogLevel('silent');
  process.on('message', async (tries: Tries) => {
    process.send?.(await proveAll(tries).catch((error: unknown) => ({ failed: String(error) })));
  });
  // closed, because idle connections would delay the exit by 30 s
  process.on('disconnect', closePool);
  process.send('ready');
}

/** Starts instances. `prove` distributes checks among them, and adds up the outcomes. */
export async function startFactorInstances(count: number) {
  const instances = Array.from({ length: count }, () => fork(import.meta.filename, { execArgv: [] }));
  await Promise.all(instances.map((instance) => once(instance, 'message')));
  const ask = async (instance: ChildProcess, tries: Tries): Promise<Outcomes> => {
    const answer = once(instance, 'message');
    instance.send(tries);
    const [outcomes] = await answer;
    if ('failed' in outcomes) throw new Error(outcomes.failed);
    return outcomes;
  };
  return {
    async prove(asked: Tries): Promise<Outcomes> {
      const all = await Promise.all(
        instances.map((instance, at) =>
          ask(instance, { ...asked, tries: asked.tries.filter((_, n) => n % count === at) }),
        ),
      );
      const sum = (of: keyof Outcomes) => all.reduce((total, one) => total + one[of], 0);
      return { proved: sum('proved'), wrong: sum('wrong'), slowDown: sum('slowDown') };
    },
    async stop(): Promise<void> {
      const ended = instances.map((instance) => once(instance, 'exit'));
      for (const instance of instances) instance.disconnect();
      await Promise.all(ended);
    },
  };
}
