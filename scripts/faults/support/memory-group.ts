// A control group with a memory limit for one program: version 2 if the memory controller is available, otherwise
// version 1 (cgroups(7)). If no group can be created, the fault is skipped.
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = '/sys/fs/cgroup';

export type MemoryGroup = {
  /** a command line that runs another command line inside the group */
  prefix: string[];
  peakMegabytes(): number;
  /** returns the number of processes that the kernel killed at the limit */
  kills(): number;
  /** must be called after the last process of the group has ended */
  remove(): void;
};

/** File names of one version of control groups. `sign`: file that only this version has. */
type Files = { sign: string; parent: string; limit: string; peak: string; events: string };

const SECOND: Files = {
  sign: 'cgroup.controllers',
  parent: ROOT,
  limit: 'memory.max',
  peak: 'memory.peak',
  events: 'memory.events',
};
const FIRST: Files = {
  sign: 'memory.limit_in_bytes',
  parent: path.join(ROOT, 'memory'),
  limit: 'memory.limit_in_bytes',
  peak: 'memory.max_usage_in_bytes',
  events: 'memory.oom_control',
};

/** Creates the group. `null`: this user or machine cannot create a control group. */
export function createMemoryGroup(name: string, megabytes: number): MemoryGroup | null {
  for (const files of [SECOND, FIRST]) {
    const folder = path.join(files.parent, name);
    try {
      if (!existsSync(path.join(files.parent, files.sign))) continue;
      if (files === SECOND) writeFileSync(path.join(ROOT, 'cgroup.subtree_control'), '+memory');
      mkdirSync(folder);
      writeFileSync(path.join(folder, files.limit), String(megabytes * 1024 ** 2));
      return groupIn(folder, files);
    } catch {
      // ignored, because the other version of control groups is tried next
    }
  }
  return null;
}

function groupIn(folder: string, files: Files): MemoryGroup {
  const read = (file: string) => readFileSync(path.join(folder, file), 'utf8');
  return {
    prefix: ['sh', '-c', `echo $$ > ${folder}/cgroup.procs && exec "$@"`, 'in-memory-group'],
    peakMegabytes: () => Math.round(Number(read(files.peak)) / 1024 ** 2),
    kills: () => Number(/^oom_kill (\d+)$/m.exec(read(files.events))?.[1] ?? 0),
    remove: () => rmdirSync(folder),
  };
}
