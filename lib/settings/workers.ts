// Default worker count, and heap and environment of each worker. Figures come from `npm run faults -- --only
// console-memory`; changed figures must still fit its containers.
import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import path from 'node:path';

/** Default maximum. More workers require an explicit setting. */
const MOST = 4;
const MEGABYTE = 1024 ** 2;
/**
 * Memory of a worker after an administrator has opened every console page: the code of all pages, and the needs of
 * requests.
 */
const WORKER_BYTES = 320 * MEGABYTE;
/** Includes Node's mapped files, which all processes share. */
const SUPERVISOR_BYTES = 128 * MEGABYTE;
/** Memory of a worker in addition to its heap's old space: young space, compiled code, buffers, password hashes. */
const BESIDE_HEAP_BYTES = 90 * MEGABYTE;
/** A worker with 160 MB ends for lack of heap when the console is used, whatever memory its container has. */
const LEAST_HEAP_BYTES = 230 * MEGABYTE;

/** One worker per core, limited by memory. */
export function workersFor({ cores, memoryBytes }: Machine): number {
  return Math.max(1, Math.min(cores, MOST, Math.floor((memoryBytes - SUPERVISOR_BYTES) / WORKER_BYTES)));
}

/**
 * `--max-old-space-size` of each worker in megabytes: its share of memory. Node sizes each heap by total memory, so
 * several workers would exceed the container limit before garbage collection.
 */
export function heapMegabytesOfEach(workers: number, { memoryBytes }: Pick<Machine, 'memoryBytes'>): number {
  const share = (memoryBytes - SUPERVISOR_BYTES) / workers;
  return Math.floor(Math.max(LEAST_HEAP_BYTES, share - BESIDE_HEAP_BYTES) / MEGABYTE);
}

/** Default connections of an instance. */
const CONNECTIONS = 10;
/** Enough for two pools, one of them for batched statements. */
const GOOD_CONNECTIONS = 5;
/** Minimum. With one connection, code that runs a query beside its open transaction would deadlock. */
const LEAST_CONNECTIONS = 2;

/**
 * Connections of each worker, if there are several. `given`: DATABASE_POOL_MAX, which applies to all workers
 * together.
 */
export function connectionsOfEach(workers: number, given: number | null): number {
  if (given !== null) return Math.max(LEAST_CONNECTIONS, Math.floor(given / workers));
  return Math.max(GOOD_CONNECTIONS, Math.floor(CONNECTIONS / workers));
}

/** Lists unset settings that a worker received from the supervisor. */
export const FOUND = 'GATEHOUSE_FOUND';

type Env = Readonly<Record<string, string | undefined>>;

/** Environment of each worker: the service's environment plus settings that the supervisor discovered or generated. */
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

// Machine resources available to this process: cores by affinity and quotas of control groups (version 2 or 1), memory
// by their limits. Unreadable or malformed files impose no limit.

/** `cores`: minimum 1; fractions are rounded up. */
export type Machine = { cores: number; memoryBytes: number };

const CONTROL_GROUPS = '/sys/fs/cgroup';

/** `root`: root folder of system files; tests pass a temporary folder. */
export function usableMachine(
  root = '/',
  has: Machine = { cores: availableParallelism(), memoryBytes: totalmem() },
): Machine {
  const quotas: number[] = [];
  const limits: number[] = [];
  for (const { controllers, group } of groupsOf(read(root, '/proc/self/cgroup'))) {
    // version 2 has a single tree, version 1 one tree per controller
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
 * Number of this control group's processes that the kernel has killed at its memory limit: `oom_kill` of
 * `memory.events` (version 2) or `memory.oom_control` (version 1). 0 if there is no counter.
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
    // counter of the process's group, because containers can expose only a parent folder
    const own = texts.find((text) => OOM_KILL.test(text));
    return own === undefined ? [] : [Number(OOM_KILL.exec(own)?.[1])];
  });
  return Math.max(0, ...counts);
}

const OOM_KILL = /^oom_kill (\d+)$/m;

type Group = { controllers: string[]; group: string };

/** Lines such as `0::/a/b` (version 2) and `4:cpu,cpuacct:/a/b` (version 1); cgroups(7). */
function groupsOf(text: string): Group[] {
  return text.split('\n').flatMap((line) => {
    const [, controllers, group] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    if (controllers === undefined || group === undefined) return [];
    return [{ controllers: controllers.split(',').filter(Boolean), group }];
  });
}

/** The group's folder and its parents, because each may set a limit. Containers may expose parents only. */
function upwards(tree: string, group: string): string[] {
  const parts = group.split('/').filter((part) => part !== '' && part !== '..');
  return Array.from({ length: parts.length + 1 }, (_, length) =>
    path.posix.join(tree, ...parts.slice(0, length)),
  );
}

/** Cores. */
function quotaIn(root: string, folder: string): number {
  const [quota, period] = read(root, `${folder}/cpu.max`).split(' ');
  const second = atLeast1(quota) / atLeast1(period);
  if (Number.isFinite(second)) return second;
  const first =
    atLeast1(read(root, `${folder}/cpu.cfs_quota_us`)) / atLeast1(read(root, `${folder}/cpu.cfs_period_us`));
  return Number.isFinite(first) ? first : Number.POSITIVE_INFINITY;
}

/** Bytes. */
function limitIn(root: string, folder: string): number {
  return Math.min(
    atLeast1(read(root, `${folder}/memory.max`)),
    atLeast1(read(root, `${folder}/memory.limit_in_bytes`)),
  );
}

/** Returns Infinity for text that is no whole number of at least 1: `max`, `-1`, empty. */
function atLeast1(text: string | undefined): number {
  const found = /^\s*([1-9]\d*)\s*$/.exec(text ?? '')?.[1];
  return found === undefined ? Number.POSITIVE_INFINITY : Number(found);
}

function read(root: string, file: string): string {
  try {
    return readFileSync(path.join(root, file), 'utf8');
  } catch {
    return '';
  }
}
