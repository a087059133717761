// Second instance: a separate process with the same database. It sends concurrent identical requests to the protocol
// core.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setLogLevel } from '#lib/kit/log.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { closePool } from '#lib/store/pool.ts';
import { ask, jsonOf } from './in-process.ts';

type Sent = { target: string; form: Record<string, string>; times: number };

/** Sends the request several times at once, and returns the JSON of each answer. */
export const sendAll = ({ target, form, times }: Sent): Promise<Record<string, unknown>[]> =>
  Promise.all(Array.from({ length: times }, async () => jsonOf(await ask(target, { form }))));

if (process.send && process.argv[1] === import.meta.filename) {
  setLogLevel('silent');
  loadSettings();
  process.on('message', async (sent: Sent) => {
    process.send?.(await sendAll(sent).catch((error: unknown) => ({ failed: String(error) })));
  });
  // closed, because idle connections would delay the exit by 30 s
  process.on('disconnect', closePool);
  process.send('ready');
}

export async function startInstance() {
  const instance = fork(import.meta.filename, { execArgv: [] });
  await once(instance, 'message');
  return {
    async send(sent: Sent): Promise<Record<string, unknown>[]> {
      const answer = once(instance, 'message');
      instance.send(sent);
      const [answers] = await answer;
      if ('failed' in answers) throw new Error(answers.failed);
      return answers;
    },
    async stop(): Promise<void> {
      const ended = once(instance, 'exit');
      instance.disconnect();
      await ended;
    },
  };
}
