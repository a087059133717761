// How many workers serve by default, the heap and the environment of each. The figures are those of
// `npm run faults -- --only console-memory`, whose containers a change of them must still fit.
import type { Machine } from './machine.ts';

/** A fifth one has to be asked for. */
const MOST = 4;
const MEGABYTE = 1024 ** 2;
/** An administrator opens every page of the console: code of all pages, and what requests need. */
const WORKER_BYTES = 320 * MEGABYTE;
/** With the mapped files of Node, which all processes share. */
const SUPERVISOR_BYTES = 128 * MEGABYTE;
/** What a worker needs beside the old space of its heap: young space, compiled code, buffers, password hashes. */
const BESIDE_HEAP_BYTES = 90 * MEGABYTE;
/** With 160 MB a worker whose console is used ends for want of heap, whatever memory its container has. */
const LEAST_HEAP_BYTES = 230 * MEGABYTE;

/** One for each core, as far as the memory holds them. */
export function workersFor({ cores, memoryBytes }: Machine): number {
  return Math.max(1, Math.min(cores, MOST, Math.floor((memoryBytes - SUPERVISOR_BYTES) / WORKER_BYTES)));
}

/**
 * `--max-old-space-size` of each of several workers, in megabytes: its share of the memory. Node by itself gives each
 * process a part of all of it, so that their sum is over a container's limit before any of them collects its garbage.
 */
export function heapMegabytesOfEach(workers: number, { memoryBytes }: Pick<Machine, 'memoryBytes'>): number {
  const share = (memoryBytes - SUPERVISOR_BYTES) / workers;
  return Math.floor(Math.max(LEAST_HEAP_BYTES, share - BESIDE_HEAP_BYTES) / MEGABYTE);
}

/** Of an instance, where nothing is set. */
const CONNECTIONS = 10;
/** Enough for two pools, one of them for batched statements. */
const GOOD_CONNECTIONS = 5;
/** With one, code that holds a transaction and asks for something beside it would wait for itself. */
const LEAST_CONNECTIONS = 2;

/** Connections for each of several workers. `given`: DATABASE_POOL_MAX, for all of them together. */
export function connectionsOfEach(workers: number, given: number | null): number {
  if (given !== null) return Math.max(LEAST_CONNECTIONS, Math.floor(given / workers));
  return Math.max(GOOD_CONNECTIONS, Math.floor(CONNECTIONS / workers));
}

/** Names what a worker was told that was not set. */
export const FOUND = 'GATEHOUSE_FOUND';

type Env = Readonly<Record<string, string | undefined>>;

/** What each worker is told: the service's environment, with what its supervisor has found and made. */
export function environmentOfWorkers(
  env: Env,
  { databaseUrl, secrets }: { databaseUrl: string; secrets: readonly string[] },
  workers: number,
): Record<string, string | undefined> {
  const given = env['DATABASE_POOL_MAX'] ? Number(env['DATABASE_POOL_MAX']) : null;
  const told = {
    DATABASE_URL: databaseUrl,
    GATEHOUSE_SECRET: secrets.join(','),
    GATEHOUSE_WORKERS: String(workers),
    DATABASE_POOL_MAX: String(connectionsOfEach(workers, given)),
  };
  const found = Object.keys(told).filter((name) => !env[name]);
  return { ...env, ...told, [FOUND]: found.join(',') };
}
