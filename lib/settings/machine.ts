// What of this machine the process may use: its cores by affinity and by the quotas of its control groups (version 2,
// or 1), its memory by their limits. A file that cannot be read or does not say what it should limits nothing.
import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import path from 'node:path';

/** `cores`: from 1; a part of a core counts as one. */
export type Machine = { cores: number; memoryBytes: number };

const CONTROL_GROUPS = '/sys/fs/cgroup';

/** `root`: where the system's files are; a test has some of its own. */
export function usableMachine(
  root = '/',
  has: Machine = { cores: availableParallelism(), memoryBytes: totalmem() },
): Machine {
  const quotas: number[] = [];
  const limits: number[] = [];
  for (const { controllers, group } of groupsOf(read(root, '/proc/self/cgroup'))) {
    // version 2 has one tree for all, version 1 one for each controller
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
 * Processes of this control group that the kernel has killed at its memory limit: `oom_kill` of `memory.events`
 * (version 2) or `memory.oom_control` (version 1). 0 where nothing counts them.
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
    // the group's own; in a container only an upper folder may exist
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

/** The group's folder and all above it: each may have a limit. In a container only the upper ones may exist. */
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

/** Infinity for what is no whole number from 1: `max`, `-1`, nothing. */
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
