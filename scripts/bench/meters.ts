// Costs of a process tree, from /proc: seconds of CPU and resident memory. Without /proc: NaN.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

type Entry = { pid: number; parent: number; ticks: number };

function entry(pid: number): Entry | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // the time of child processes that have ended is included, because database workers start and stop
    const ticks = [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0);
    return { pid, parent: Number(fields[1]), ticks };
  } catch {
    return null;
  }
}

/** Returns the process and every process that it started, directly or indirectly. */
function tree(root: number): number[] {
  let entries: Entry[];
  try {
    entries = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (entry(Number(name)) ?? []) : []));
  } catch {
    return [root];
  }
  const found = [root];
  for (const pid of found) {
    for (const other of entries) if (other.parent === pid) found.push(other.pid);
  }
  return found;
}

export function cpuSeconds(root: number): number {
  const ticks = tree(root).map((pid) => entry(pid)?.ticks ?? Number.NaN);
  return ticks.reduce((sum, one) => sum + (Number.isNaN(one) ? 0 : one), 0) / TICKS_PER_SECOND || Number.NaN;
}

export function residentMegabytes(root: number): number {
  return residentOfEach(root).reduce((sum, one) => sum + one, 0) || Number.NaN;
}

/** Returns the resident memory of the process, then of each child process. */
export function residentOfEach(root: number): number[] {
  return tree(root).flatMap((pid) => {
    try {
      const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
      return Number(line?.[1] ?? 0) / 1024;
    } catch {
      return [];
    }
  });
}

/** Pins a process, with current and future children, to one core. `false`: unsupported system. */
export function pin(pid: number, core: number): boolean {
  try {
    for (const one of tree(pid))
      execFileSync('taskset', ['-acp', String(core), String(one)], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export function hasTaskset(): boolean {
  try {
    execFileSync('taskset', ['-cp', String(process.pid)], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
