// Workers of a service, parsed from its supervisor's log.
import { readFileSync } from 'node:fs';

export type Worker = { number: number; pid: number; isReady: boolean };
export type LogLine = { msg: string; worker?: number; pid?: number };

/** Returns the JSON lines of a log. */
export function logLines(file: string): LogLine[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as LogLine);
}

/** Returns the worker that was started last for each worker number. */
export function runningWorkers(file: string): Worker[] {
  const workers = new Map<number, Worker>();
  for (const { msg, worker: number, pid } of logLines(file)) {
    if (number === undefined) continue;
    if (msg === 'a worker starts') workers.set(number, { number, pid: pid ?? 0, isReady: false });
    if (msg === 'a worker ended, and is replaced') workers.delete(number);
    const one = workers.get(number);
    if (msg === 'serving' && one) one.isReady = true;
  }
  return [...workers.values()].toSorted((a, b) => a.number - b.number);
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
