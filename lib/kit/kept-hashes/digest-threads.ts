// Old digests of many rounds are made in worker threads, as many as are asked for at once; an idle one ends.
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { DigestAnswer, DigestJob } from './digest-worker.ts';
import { isOnce, makeOldDigest, type Recipe } from './old-digest.ts';

type Thread = import('node:worker_threads').Worker;

const IDLE_MS = 10_000;
const restingThreads = new Map<Thread, NodeJS.Timeout>();

/** Where no thread starts, in slices between other work. */
export async function oldDigestOf(recipe: Recipe, password: string): Promise<string> {
  if (isOnce(recipe)) return makeOldDigest(recipe, password);
  const thread = restingThread() ?? startThread();
  if (thread === null) return makeOldDigest(recipe, password);
  const answer = await answerOf(thread, { ...recipe, password });
  if (answer === null) return makeOldDigest(recipe, password);
  rest(thread);
  if ('failed' in answer) throw new Error(answer.failed);
  return answer.digest;
}

function restingThread(): Thread | null {
  const [found] = restingThreads;
  if (!found) return null;
  const [thread, timer] = found;
  clearTimeout(timer);
  restingThreads.delete(thread);
  return thread;
}

function rest(thread: Thread): void {
  thread.unref();
  const timer = setTimeout(() => {
    restingThreads.delete(thread);
    void thread.terminate();
  }, IDLE_MS).unref();
  restingThreads.set(thread, timer);
}

function startThread(): Thread | null {
  // past the bundler, which would put the program into a file of its own
  const { Worker } = process.getBuiltinModule('node:worker_threads');
  try {
    const thread = new Worker(programFile(), { env: {}, execArgv: [], argv: [] });
    const forget = () => {
      clearTimeout(restingThreads.get(thread));
      restingThreads.delete(thread);
    };
    thread.on('exit', forget).on('error', forget);
    return thread;
  } catch {
    return null;
  }
}

/** Beside this file; where Next has bundled it, below the folder that it was started in. */
function programFile(): string {
  const name = 'digest-worker.ts';
  const beside = path.join(import.meta.dirname ?? '', name);
  return existsSync(beside)
    ? beside
    : path.resolve(/*turbopackIgnore: true*/ process.cwd(), 'lib/kit/kept-hashes', name);
}

/** Null: the thread has ended. */
function answerOf(thread: Thread, job: DigestJob): Promise<DigestAnswer | null> {
  return new Promise((resolve) => {
    const end = (answer: DigestAnswer | null) => {
      thread.off('message', end).off('exit', gone).off('error', gone);
      resolve(answer);
    };
    const gone = () => end(null);
    thread.once('message', end).once('exit', gone).once('error', gone);
    thread.ref();
    thread.postMessage(job);
  });
}
