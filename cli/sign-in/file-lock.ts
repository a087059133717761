// One process at a time works with a file: a refresh token is used once, and its successor must not be lost to another
// command. The lock is a file beside it, whose time its holder renews; one that is no longer renewed was left behind.
import { randomUUID } from 'node:crypto';
import { readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandFailed } from '../typed.ts';

const RENEWED_MS = 1_000;
const LEFT_BEHIND_MS = 30_000;
const PATIENCE_MS = 120_000;
const PAUSE_MS = 50;

/** The folder of the file is there. A process that was suspended for long has lost the lock: `work` looks again. */
export async function withFileLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  const lock = `${file}.lock`;
  const own = randomUUID();
  await take(lock, own);
  const isOurs = async () => (await readFile(lock, 'utf8').catch(() => '')) === own;
  const renewing = setInterval(() => void renew(lock, isOurs), RENEWED_MS);
  renewing.unref();
  try {
    return await work();
  } finally {
    clearInterval(renewing);
    // one that was taken from us is another's
    if (await isOurs()) await rm(lock, { force: true });
  }
}

async function take(lock: string, own: string): Promise<void> {
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until; await sleep(PAUSE_MS)) {
    if (await makes(lock, own)) return;
    if (await isLeftBehind(lock)) await remove(lock);
  }
  throw new CommandFailed(`another command holds ${lock}: end it, or delete this file`);
}

async function makes(file: string, content: string): Promise<boolean> {
  try {
    await writeFile(file, content, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Another's is not kept alive. */
async function renew(lock: string, isOurs: () => Promise<boolean>): Promise<void> {
  if (await isOurs()) await utimes(lock, new Date(), new Date()).catch(() => {});
}

async function isLeftBehind(lock: string): Promise<boolean> {
  const found = await stat(lock).catch(() => null);
  return found !== null && Date.now() - found.mtimeMs > LEFT_BEHIND_MS;
}

/** One process at a time looks again and removes it, so that none removes the lock that another has just made. */
async function remove(lock: string): Promise<void> {
  const guard = `${lock}.removal`;
  if (!(await makes(guard, ''))) {
    if (await isLeftBehind(guard)) await rm(guard, { force: true });
    return;
  }
  try {
    if (await isLeftBehind(lock)) await rm(lock, { force: true });
  } finally {
    await rm(guard, { force: true });
  }
}
