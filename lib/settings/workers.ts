// How many workers serve by default, and the environment of each.
import type { Machine } from './machine.ts';

/** A fifth one has to be asked for. */
const MOST = 4;
const MEMORY_EACH = 256 * 1024 ** 2;

/** One for each core, as far as the memory holds them. */
export function workersFor({ cores, memoryBytes }: Machine): number {
  return Math.max(1, Math.min(cores, MOST, Math.floor(memoryBytes / MEMORY_EACH)));
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
