// A control group with a memory limit, for a program that is started in it: version 2 where the memory controller can
// be enabled, else version 1 (cgroups(7)). What it cannot make it reports as null, and the fault is skipped.
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = '/sys/fs/cgroup';

export type MemoryGroup = {
  /** a command line that runs another one inside the group */
  prefix: string[];
  peakMegabytes(): number;
  /** processes that the kernel killed at the limit */
  kills(): number;
  /** after the last process of it has ended */
  remove(): void;
};

/** `sign`: a file that its tree has, and no other. */
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

/** Null: this user or this machine may not make one. */
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
      // the other version
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
