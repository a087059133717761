// Second instance that sends request mails: a separate process with the same database.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setLogLevel } from '#lib/kit/log.ts';
import { sendRequestMails } from '#lib/mail/request-mails.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { closePool, query } from '#lib/store/pool.ts';
import { database } from '#lib/store/prisma.ts';

const AT_ONCE = 4;
const allAtOnce = (work: () => Promise<unknown>) => Promise.all(Array.from({ length: AT_ONCE }, work));

/**
 * Opens connections and loads Prisma before both instances send mails. On a busy machine, loading blocks the process
 * for seconds, and running statements would exceed their timeout.
 */
async function connect(triesLeft = 10): Promise<void> {
  try {
    await database().person.count();
    await allAtOnce(() => query({ text: 'select pg_sleep(0.1)' }));
  } catch (error) {
    if (triesLeft === 0) throw error;
    await connect(triesLeft - 1);
  }
}

if (process.send && process.argv[1] === import.meta.filename) {
  setLogLevel('silent');
  loadSettings();
  await connect();
  process.on('message', async () => {
    const failure = await allAtOnce(() => sendRequestMails()).then(() => null, String);
    process.send?.({ failure });
  });
  // closed, because idle connections would delay the exit by 30 s
  process.on('disconnect', closePool);
  process.send('ready');
}

export async function startMailingInstance(env: NodeJS.ProcessEnv) {
  const instance = fork(import.meta.filename, { execArgv: [], env });
  await once(instance, 'message');
  return {
    /** Sends due mails, with several concurrent calls. */
    async sendDue(): Promise<void> {
      const answer = once(instance, 'message');
      instance.send('send');
      const [{ failure }] = await answer;
      if (failure !== null) throw new Error(failure);
    },
    async stop(): Promise<void> {
      const ended = once(instance, 'exit');
      instance.disconnect();
      await ended;
    },
  };
}
