// Default number of workers, and heap and environment of each worker. The figures come from `npm run faults -- --only
// console-memory`. Changed figures must still fit into the containers of that command.
import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import path from 'node:path';

/** Maximum of the default number of workers. More workers must be set explicitly. */
const MOST = 4;
const MEGABYTE = 1024 ** 2;
/**
 * Memory of a worker after an administrator has opened every page of the console: the code of all pages, and memory
 * for requests.
 */
const WORKER_BYTES = 320 * MEGABYTE;
/** Memory of the supervisor, including the files that Node maps and all processes share. */
const SUPERVISOR_BYTES = 128 * MEGABYTE;
/**
 * Memory of a worker in addition to the old space of its heap: young space, compiled code, buffers, password hashes.
 */
const BESIDE_HEAP_BYTES = 90 * MEGABYTE;
/**
 * Minimum size of the heap of a worker. With a heap of 160 MB, a worker runs out of memory when the console is used,
 * even if its container has more memory.
 */
const LEAST_HEAP_BYTES = 230 * MEGABYTE;

/** Returns one worker per core, if there is enough memory. */
export function workersFor({ cores, memoryBytes }: Machine): number {
  return Math.max(1, Math.min(cores, MOST, Math.floor((memoryBytes - SUPERVISOR_BYTES) / WORKER_BYTES)));
}

/**
 * `--max-old-space-size` of each worker in megabytes: its share of the memory. By default Node derives the heap's
 * size from the total memory, so several workers would exceed the container's limit before garbage collection starts.
 */
export function heapMegabytesOfEach(workers: number, { memoryBytes }: Pick<Machine, 'memoryBytes'>): number {
  const share = (memoryBytes - SUPERVISOR_BYTES) / workers;
  return Math.floor(Math.max(LEAST_HEAP_BYTES, share - BESIDE_HEAP_BYTES) / MEGABYTE);
}

/** Default number of database connections of an instance. */
const CONNECTIONS = 10;
/** Number of database connections that is enough for two pools, one of which is for batched statements. */
const GOOD_CONNECTIONS = 5;
/**
 * Minimum number of database connections. With one connection, code that runs a query while its transaction
 * is open would wait forever.
 */
const LEAST_CONNECTIONS = 2;

/**
 * Number of database connections of each worker, if there are several workers. `totalConnections`: DATABASE_POOL_MAX,
 * which applies to all workers together.
 */
export function connectionsOfEach(workers: number, totalConnections: number | null): number {
  if (totalConnections !== null) return Math.max(LEAST_CONNECTIONS, Math.floor(totalConnections / workers));
  return Math.max(GOOD_CONNECTIONS, Math.floor(CONNECTIONS / workers));
}

/** Variable that lists the settings which a worker received from the supervisor although they were not set. */
export const FOUND = 'GATEHOUSE_FOUND';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Environment of each worker: the environment of the service, and settings that the supervisor found or generated.
 */
export function environmentOfWorkers(
  env: Env,
  { databaseUrl, secrets }: { databaseUrl: string; secrets: readonly string[] },
  workers: number,
): Record<string, string | undefined> {
  const totalConnections = env['DATABASE_POOL_MAX'] ? Number(env['DATABASE_POOL_MAX']) : null;
  const defaults = {
    DATABASE_URL: databaseUrl,
    GATEHOUSE_SECRET: secrets.join(','),
    GATEHOUSE_WORKERS: String(workers),
    DATABASE_POOL_MAX: String(connectionsOfEach(workers, totalConnections)),
  };
  const defaultNames = Object.keys(defaults).filter((name) => !env[name]);
  return { ...env, ...defaults, [FOUND]: defaultNames.join(',') };
}

// Machine resources available to this process: cores by affinity and quotas of control groups (version 2 or 1),
// memory by the limits of these groups. A file that is malformed or cannot be read sets no limit.

/** `cores`: at least 1; a fraction is rounded up. */
export type Machine = { cores: number; memoryBytes: number };

const CONTROL_GROUPS = '/sys/fs/cgroup';

/** `root`: root folder of the system's files. Tests pass a temporary folder. */
export function usableMachine(
  root = '/',
  has: Machine = { cores: availableParallelism(), memoryBytes: totalmem() },
): Machine {
  const quotas: number[] = [];
  const limits: number[] = [];
  for (const { controllers, group } of groupsOf(read(root, '/proc/self/cgroup'))) {
    // version 2 has a single tree, version 1 has one tree per controller
    const trees = controllers.length === 0 ? [''] : [controllers.join(','), ...controllers];
    for (const tree of trees) {
      for (const folder of upwards(path.posix.join(CONTROL_GROUPS, tree), group)) {
        quotas.push(quotaIn(root, folder));
        limits.push(limitIn(root, folder));
      }
    }
  }
  return {
    cores: Math.max(1, Math.ceil(Math.min(has.cores, ...quotas))),
    memoryBytes: Math.min(has.memoryBytes, ...limits),
  };
}

/**
 * Number of processes in this control group that the kernel killed at the memory limit: `oom_kill` in `memory.events`
 * (version 2) or `memory.oom_control` (version 1). 0 if there is no counter.
 */
export function countMemoryKills(root = '/'): number {
  const counts = groupsOf(read(root, '/proc/self/cgroup')).flatMap(({ controllers, group }) => {
    if (controllers.length > 0 && !controllers.includes('memory')) return [];
    const tree = path.posix.join(CONTROL_GROUPS, controllers.length === 0 ? '' : 'memory');
    const texts = upwards(tree, group)
      .toReversed()
      .flatMap((folder) =>
        ['memory.events', 'memory.oom_control'].map((file) => read(root, `${folder}/${file}`)),
      );
    // the first counter, starting with the process's own group, because a container may show only a parent folder
    const memoryEvents = texts.find((text) => OOM_KILL.test(text));
    return memoryEvents === undefined ? [] : [Number(OOM_KILL.exec(memoryEvents)?.[1])];
  });
  return Math.max(0, ...counts);
}

const OOM_KILL = /^oom_kill (\d+)$/m;

type Group = { controllers: string[]; group: string };

/** Parses lines such as `0::/a/b` (version 2) and `4:cpu,cpuacct:/a/b` (version 1); see cgroups(7). */
function groupsOf(text: string): Group[] {
  return text.split('\n').flatMap((line) => {
    const [, controllers, group] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    if (controllers === undefined || group === undefined) return [];
    return [{ controllers: controllers.split(',').filter(Boolean), group }];
  });
}

/** The folder of the group and its parents, because each may set a limit. A container may show only parents. */
function upwards(tree: string, group: string): string[] {
  const parts = group.split('/').filter((part) => part !== '' && part !== '..');
  return Array.from({ length: parts.length + 1 }, (_, length) =>
    path.posix.join(tree, ...parts.slice(0, length)),
  );
}

/** Returns the limit of cores. */
function quotaIn(root: string, folder: string): number {
  const [quota, period] = read(root, `${folder}/cpu.max`).split(' ');
  const second = atLeast1(quota) / atLeast1(period);
  if (Number.isFinite(second)) return second;
  const first =
    atLeast1(read(root, `${folder}/cpu.cfs_quota_us`)) / atLeast1(read(root, `${folder}/cpu.cfs_period_us`));
  return Number.isFinite(first) ? first : Number.POSITIVE_INFINITY;
}

/** Returns the limit of memory in bytes. */
function limitIn(root: string, folder: string): number {
  return Math.min(
    atLeast1(read(root, `${folder}/memory.max`)),
    atLeast1(read(root, `${folder}/memory.limit_in_bytes`)),
  );
}

/** Parses a whole number of at least 1. Any other text, such as `max`, `-1` or empty, becomes Infinity. */
function atLeast1(text: string | undefined): number {
  const digits = /^\s*([1-9]\d*)\s*$/.exec(text ?? '')?.[1];
  return digits === undefined ? Number.POSITIVE_INFINITY : Number(digits);
}

function read(root: string, file: string): string {
  try {
    return readFileSync(path.join(root, file), 'utf8');
  } catch {
    return '';
  }
}
