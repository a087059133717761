// The supervisor of several workers: owns the port and the embedded database, starts the first worker, which brings the
// schema forward, then the others, and replaces each that dies. It serves no request itself (docs/decisions/0027).

import { createServer, type Server, type Socket } from 'node:net';
import { constants } from 'node:os';
import { log } from '#lib/kit/log.ts';
import type { Metric } from '#lib/observability/sums.ts';
import type { Settings } from '#lib/settings/settings.ts';
import { countMemoryKills } from '#lib/settings/workers.ts';
import { type End, type ToSupervisor, type WorkerEnvironment, WorkerProcess } from './worker-process.ts';

// How long the supervisor waits before it replaces a worker: not at all for one that served for a while, longer and
// longer for one that ends soon again and again.

const SOON_MS = 10_000;
const FIRST_MS = 100;
const MOST_MS = 30_000;

/** `failures`: how often in a row it ended soon, before and now. */
export function pauseBefore(end: { failures: number; isReady: boolean; livedMs: number }): {
  failures: number;
  pauseMs: number;
} {
  if (end.isReady && end.livedMs >= SOON_MS) return { failures: 0, pauseMs: 0 };
  const failures = end.failures + 1;
  return { failures, pauseMs: Math.min(MOST_MS, FIRST_MS * 2 ** (failures - 1)) };
}

// Gives each connection to one worker: of those that took their last one, to the one with the fewest open. A worker
// that hangs therefore holds up one connection at most, and what a dead one has not taken goes to another
// (docs/decisions/0027).

/** Connections that wait for a worker; more are closed. */
const MAX_WAITING = 1_000;

export class Connections {
  readonly server: Server;
  /** the process that was given a connection last is last */
  readonly #open = new Set<WorkerProcess>();
  readonly #given = new Map<WorkerProcess, Socket>();
  /** the socket last sent to a worker, at the time of its ping */
  readonly #doubted = new Map<WorkerProcess, Socket>();
  readonly #waiting: Socket[] = [];

  constructor() {
    // nothing is read here: that is the worker's
    const options = { pauseOnConnect: true, allowHalfOpen: true, noDelay: true };
    this.server = createServer(options, (socket) => this.#distribute(socket));
  }

  /** The worker takes connections from now on. */
  open(worker: WorkerProcess): void {
    this.#open.add(worker);
    this.#next();
  }

  /** It takes no more. */
  close(worker: WorkerProcess): void {
    this.#open.delete(worker);
  }

  /** The process ended: the connection that it did not take goes to another worker. */
  ended(worker: WorkerProcess): void {
    this.#open.delete(worker);
    const socket = this.#given.get(worker);
    this.#given.delete(worker);
    this.#doubted.delete(worker);
    if (socket) this.#distribute(socket);
  }

  /** Called before a ping: remembers the socket last sent to this worker. */
  asked(worker: WorkerProcess): void {
    const socket = this.#given.get(worker);
    if (socket) this.#doubted.set(worker, socket);
    else this.#doubted.delete(worker);
  }

  /**
   * It has answered. Messages arrive in order: what it had been given before the question, and has not taken, never
   * reached it, for example because it has no file descriptor left.
   */
  answered(worker: WorkerProcess): void {
    const socket = this.#doubted.get(worker);
    this.#doubted.delete(worker);
    if (!socket || this.#given.get(worker) !== socket) return;
    log().warn({ worker: worker.number }, 'a connection did not reach its worker, and goes to another');
    worker.connections -= 1;
    // to another worker, if one accepts connections now
    this.#distribute(socket);
    this.#given.delete(worker);
    this.#next();
  }

  /** It took the one that was given last. */
  taken(worker: WorkerProcess): void {
    // ours was a second name for the same connection
    this.#given.get(worker)?.destroy();
    this.#given.delete(worker);
    this.#next();
  }

  /** It has said how many it has open: without the one that is on its way to it. */
  told(worker: WorkerProcess, open: number): void {
    worker.connections = open + (this.#given.has(worker) ? 1 : 0);
  }

  /** Tells each worker that has more connections than its share to end so many, and no more once it has not. */
  share(): void {
    const all = [...this.#open];
    const share = Math.ceil(all.reduce((sum, { connections }) => sum + connections, 0) / all.length);
    for (const worker of all) worker.shed(Math.max(0, worker.connections - share));
  }

  /** Stops listening once no worker takes connections. */
  stopWhenNobodyTakes(): void {
    if (this.#open.size > 0) return;
    this.server.close();
    for (const socket of this.#waiting.splice(0)) socket.destroy();
  }

  #distribute(socket: Socket): void {
    if (this.#waiting.length >= MAX_WAITING) {
      socket.destroy();
      return;
    }
    // a caller that hangs up meanwhile is no fault of ours
    socket.on('error', () => {});
    this.#waiting.push(socket);
    this.#next();
  }

  #next(): void {
    while (this.#waiting.length > 0) {
      const worker = this.#fewest();
      if (worker === undefined) return;
      const socket = this.#waiting.shift() as Socket;
      this.#given.set(worker, socket);
      // of those that have as many the next one is another
      this.#open.delete(worker);
      this.#open.add(worker);
      worker.connections += 1;
      worker.give(socket);
    }
  }

  #fewest(): WorkerProcess | undefined {
    let found: WorkerProcess | undefined;
    for (const worker of this.#open) {
      if (this.#given.has(worker)) continue;
      if (found === undefined || worker.connections < found.connections) found = worker;
    }
    return found;
  }
}

export type Supervision = {
  settings: Settings;
  workers: number;
  /** what each worker runs, and all of its environment */
  program: string;
  env: WorkerEnvironment;
  /** of each worker */
  heapMegabytes: number;
  listen: (server: Connections['server']) => Promise<void>;
  /** after the last worker */
  stop: () => Promise<void>;
};

/** What an orchestrator waits for after its signal, past what workers take for themselves. */
const KILL_AFTER_MS = 4_000;
const ASK_EVERY_MS = 2_000;
const SHARE_EVERY_MS = 2_000;
/** A worker that was asked so often without an answer hangs. Counted, since a machine that slept has not asked. */
const HANGS_AFTER = 10;

const REMEDY =
  'raise the memory limit, or set GATEHOUSE_WORKERS to fewer (docs/settings.md, GATEHOUSE_WORKERS)';
const KILLED_FOR_MEMORY = `a worker was killed: the memory of the container or service is used up; ${REMEDY}`;
const HEAP_IS_FULL = `a worker ended, probably because its heap is full; ${REMEDY}`;
/** 128 and the number of SIGABRT, as a shell tells it. */
const ABORTED = 134;

export async function supervise(supervision: Supervision): Promise<void> {
  await new Supervisor(supervision).start();
}

class Supervisor {
  readonly #given: Supervision;
  readonly #connections = new Connections();
  readonly #workers = new Set<WorkerProcess>();
  readonly #pauses = new Map<number, NodeJS.Timeout>();
  /** for each number, how often in a row its worker ended soon */
  readonly #failures = new Map<number, number>();
  #onDuty: WorkerProcess | undefined;
  #hasServed = false;
  #stopping: NodeJS.Signals | undefined;
  #exitCode = 0;
  #replaced = 0;
  #memoryKills = countMemoryKills();
  /** what workers counted that are gone */
  #remaining: Promise<Metric[]> = Promise.resolve([]);
  #stopMetrics: () => void = () => {};

  constructor(given: Supervision) {
    this.#given = given;
  }

  async start(): Promise<void> {
    const { settings, workers, listen } = this.#given;
    await listen(this.#connections.server);
    const { metricsPort, metricsHost } = settings;
    if (metricsPort !== null) {
      // a supervisor that counts nothing does not load it
      const { serveMetrics } = await import('#lib/observability/listener.ts');
      this.#stopMetrics = await serveMetrics(metricsPort, metricsHost, () => this.#sums());
    }
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => this.#end(signal));
    setInterval(() => this.#askAll(), ASK_EVERY_MS).unref();
    // callers that come at the same moment are not always handed out evenly, and then stay where they are
    setInterval(() => this.#connections.share(), SHARE_EVERY_MS).unref();
    const { heapMegabytes } = this.#given;
    log().info({ workers, heap_mb: heapMegabytes, pid: process.pid }, 'supervising');
    this.#launch(1);
  }

  #launch(number: number): void {
    this.#pauses.delete(number);
    const { program, env, heapMegabytes } = this.#given;
    const launch = { program, number, prepares: !this.#hasServed, env, heapMegabytes };
    const worker = new WorkerProcess(
      launch,
      (from, message) => this.#hear(from, message),
      (from, end) => void this.#gone(from, end),
    );
    this.#workers.add(worker);
    log().info({ worker: number, pid: worker.pid }, 'a worker starts');
  }

  #hear(worker: WorkerProcess, message: ToSupervisor): void {
    switch (message.kind) {
      case 'open':
        this.#connections.open(worker);
        break;
      case 'taken':
        this.#connections.taken(worker);
        break;
      case 'pong':
        this.#connections.answered(worker);
        break;
      case 'connections':
        this.#connections.told(worker, message.open);
        break;
      case 'ready':
        this.#ready(worker);
        break;
      case 'closing':
        worker.isClosing = true;
        this.#connections.close(worker);
        worker.say({ kind: 'no-more' });
        if (this.#stopping) this.#connections.stopWhenNobodyTakes();
        break;
      case 'sums-wanted':
        void this.#sums()
          .catch(noSums)
          .then(({ text }) => worker.say({ kind: 'sums', id: message.id, text }));
        break;
    }
  }

  #ready(worker: WorkerProcess): void {
    worker.isReady = true;
    this.#giveDuty();
    // who has been here longer has all the connections
    this.#connections.share();
    if (this.#hasServed || this.#stopping) return;
    this.#hasServed = true;
    for (let number = 2; number <= this.#given.workers; number += 1) this.#launch(number);
  }

  /** A worker that hangs is killed. Otherwise it would stay unseen: the others answer most requests. */
  #askAll(): void {
    for (const worker of this.#workers) {
      // one that is starting may have long migrations before it, one that is ending has its deadline
      if (!worker.isReady || this.#stopping) continue;
      this.#connections.asked(worker);
      if (worker.ask() < HANGS_AFTER) continue;
      log().error({ worker: worker.number, pid: worker.pid }, 'a worker does not answer, and is killed');
      worker.kill('SIGKILL');
    }
  }

  #giveDuty(): void {
    if (this.#onDuty || this.#stopping) return;
    this.#onDuty = [...this.#workers].find((one) => one.isReady && !one.isClosing);
    if (!this.#onDuty) return;
    this.#onDuty.say({ kind: 'duty' });
    log().debug({ worker: this.#onDuty.number, pid: this.#onDuty.pid }, 'a worker maintains the database');
  }

  async #gone(worker: WorkerProcess, end: End): Promise<void> {
    const { number, pid } = worker;
    this.#workers.delete(worker);
    this.#connections.ended(worker);
    if (this.#onDuty === worker) this.#onDuty = undefined;
    if (this.#stopping) {
      if (end.signal !== this.#stopping) this.#exitCode ||= codeOf(end);
      this.#connections.stopWhenNobodyTakes();
      if (this.#workers.size === 0) await this.#exit();
      return;
    }
    if (worker.lastMetrics.length > 0)
      this.#remaining = this.#remaining.then(async (ended) => {
        try {
          const { remainingMetrics } = await import('#lib/observability/sums.ts');
          return await remainingMetrics([ended, worker.lastMetrics]);
        } catch (error) {
          noSums(error as Error);
          return ended;
        }
      });
    const memory = this.#memoryEnd(end);
    if (memory !== null) log().error({ worker: number, pid }, memory);
    if (!this.#hasServed) {
      // it has logged why it ended, unless a signal ended it
      if (end.signal) process.stderr.write(`gatehouse: the first worker was ended by ${end.signal}\n`);
      this.#exitCode = codeOf(end);
      await this.#exit();
      return;
    }
    this.#giveDuty();
    this.#replaced += 1;
    const { failures, pauseMs } = pauseBefore({
      failures: this.#failures.get(number) ?? 0,
      isReady: worker.isReady,
      livedMs: performance.now() - worker.startedAt,
    });
    this.#failures.set(number, failures);
    this.#pauses.set(
      number,
      setTimeout(() => this.#launch(number), pauseMs),
    );
    const { code: status, signal } = end;
    const line = { worker: number, pid, status, signal, restart_ms: pauseMs, failures };
    log()[end.code === 0 ? 'info' : 'error'](line, 'a worker ended, and is replaced');
  }

  /** What to do about a worker that ended because memory ran out; null: it ended otherwise. */
  #memoryEnd({ code, signal }: End): string | null {
    const before = this.#memoryKills;
    this.#memoryKills = countMemoryKills();
    if (signal === 'SIGKILL' && this.#memoryKills > before) return KILLED_FOR_MEMORY;
    // V8 has written its own lines before
    return signal === 'SIGABRT' || code === ABORTED ? HEAP_IS_FULL : null;
  }

  async #sums() {
    const { sumsOf } = await import('./metrics.ts');
    const workers = [...this.#workers];
    return sumsOf({
      // of this moment: a worker that ends meanwhile counts as alive
      ended: await this.#remaining,
      workers,
      ready: workers.filter(({ isReady }) => isReady).length,
      replaced: this.#replaced,
    });
  }

  /** Each worker drains as a single process does. */
  #end(signal: NodeJS.Signals): void {
    if (this.#stopping) return;
    this.#stopping = signal;
    for (const pause of this.#pauses.values()) clearTimeout(pause);
    for (const worker of this.#workers) worker.kill(signal);
    if (this.#workers.size === 0) void this.#exit();
    const drainMs = Math.max(10_000, this.#given.settings.drainSeconds * 1_000 + 1_000);
    setTimeout(() => {
      for (const worker of this.#workers) worker.kill('SIGKILL');
    }, drainMs + KILL_AFTER_MS);
  }

  async #exit(): Promise<void> {
    this.#stopMetrics();
    await this.#given.stop();
    process.exit(this.#exitCode);
  }
}

function noSums(error: Error): { text: string } {
  log().error({ reason: error.message }, 'the metrics of the workers could not be added up');
  return { text: '' };
}

/** As a shell tells it: 128 and the signal's number. */
function codeOf({ code, signal }: End): number {
  return signal === null ? (code ?? 1) : 128 + constants.signals[signal];
}
