// The supervisor of several workers owns the port and the embedded database. It starts the first worker, which
// migrates the schema, then the other workers, and replaces each worker that ends. It serves no requests
// (docs/project/decisions/0027).

import { createServer, type Server, type Socket } from 'node:net';
import { constants } from 'node:os';
import { log } from '#lib/kit/log.ts';
import type { Metric } from '#lib/observability/sums.ts';
import type { Settings } from '#lib/settings/settings.ts';
import { countMemoryKills } from '#lib/settings/workers.ts';
import { type End, type ToSupervisor, type WorkerEnvironment, WorkerProcess } from './worker-process.ts';

// Delay before a worker is replaced: none if it ran long enough, and increasing if it repeatedly ends early.

const SOON_MS = 10_000;
const FIRST_MS = 100;
const MOST_MS = 30_000;

/**
 * `failures`: how often in a row the worker has ended early. The parameter excludes this exit, and the result
 * includes it.
 */
export function pauseBefore(end: { failures: number; isReady: boolean; livedMs: number }): {
  failures: number;
  pauseMs: number;
} {
  if (end.isReady && end.livedMs >= SOON_MS) return { failures: 0, pauseMs: 0 };
  const failures = end.failures + 1;
  return { failures, pauseMs: Math.min(MOST_MS, FIRST_MS * 2 ** (failures - 1)) };
}

// Sends each connection to one worker: of the workers that have confirmed their last connection, the worker with the
// fewest open connections. A worker that hangs therefore delays at most one connection. If a worker ends, another
// worker receives the connection that it did not confirm (docs/project/decisions/0027).

/** Maximum number of connections that wait for a worker. If there are more, connections are closed. */
const MAX_WAITING = 1_000;

export class Connections {
  readonly server: Server;
  /** in order: the worker that received a connection last is at the end */
  readonly #open = new Set<WorkerProcess>();
  readonly #given = new Map<WorkerProcess, Socket>();
  /** the socket that was sent to the worker last before its ping */
  readonly #doubted = new Map<WorkerProcess, Socket>();
  readonly #waiting: Socket[] = [];

  constructor() {
    // the supervisor reads no data from connections, because workers read it
    const options = { pauseOnConnect: true, allowHalfOpen: true, noDelay: true };
    this.server = createServer(options, (socket) => this.#distribute(socket));
  }

  /** From now on the worker receives connections. */
  open(worker: WorkerProcess): void {
    this.#open.add(worker);
    this.#next();
  }

  /** The worker receives no further connections. */
  close(worker: WorkerProcess): void {
    this.#open.delete(worker);
  }

  /** Called when the process exits: another worker receives the connection that was not confirmed. */
  noteExit(worker: WorkerProcess): void {
    this.#open.delete(worker);
    const socket = this.#given.get(worker);
    this.#given.delete(worker);
    this.#doubted.delete(worker);
    if (socket) this.#distribute(socket);
  }

  /** Called before a ping: remembers the socket that was last sent to this worker. */
  notePing(worker: WorkerProcess): void {
    const socket = this.#given.get(worker);
    if (socket) this.#doubted.set(worker, socket);
    else this.#doubted.delete(worker);
  }

  /**
   * Called after a ping response. Messages arrive in order. If a connection that was sent before the ping is not
   * confirmed, it never reached the worker, for example because the worker has no free file descriptor.
   */
  notePong(worker: WorkerProcess): void {
    const socket = this.#doubted.get(worker);
    this.#doubted.delete(worker);
    if (!socket || this.#given.get(worker) !== socket) return;
    log().warn({ worker: worker.number }, 'a connection did not reach its worker, and goes to another');
    worker.connections -= 1;
    // sends the connection to another worker, if one accepts connections now
    this.#distribute(socket);
    this.#given.delete(worker);
    this.#next();
  }

  /** Called after the worker confirms its last connection. */
  noteTaken(worker: WorkerProcess): void {
    // closes the supervisor's own handle of the connection
    this.#given.get(worker)?.destroy();
    this.#given.delete(worker);
    this.#next();
  }

  /** Number of open connections that the worker reported, without the connection that is on its way. */
  noteConnections(worker: WorkerProcess, open: number): void {
    worker.connections = open + (this.#given.has(worker) ? 1 : 0);
  }

  /**
   * Tells each worker with more connections than its share to close some of them, and cancels the message if it is no
   * longer needed.
   */
  share(): void {
    const all = [...this.#open];
    const share = Math.ceil(all.reduce((sum, { connections }) => sum + connections, 0) / all.length);
    for (const worker of all) worker.shed(Math.max(0, worker.connections - share));
  }

  /** Stops listening if no worker accepts connections. */
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
    // ignores callers that close the connection while they wait
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
      // round robin among workers with the same number of connections
      this.#open.delete(worker);
      this.#open.add(worker);
      worker.connections += 1;
      worker.give(socket);
    }
  }

  #fewest(): WorkerProcess | undefined {
    let workerProcess: WorkerProcess | undefined;
    for (const worker of this.#open) {
      if (this.#given.has(worker)) continue;
      if (workerProcess === undefined || worker.connections < workerProcess.connections)
        workerProcess = worker;
    }
    return workerProcess;
  }
}

export type Supervision = {
  settings: Settings;
  workers: number;
  /** program of each worker, and its complete environment */
  program: string;
  env: WorkerEnvironment;
  /** heap of each worker */
  heapMegabytes: number;
  listen: (server: Connections['server']) => Promise<void>;
  /** called after the last worker has ended */
  stop: () => Promise<void>;
};

/** Milliseconds between the end of the workers' own time for shutdown and the moment when they are killed. */
const KILL_AFTER_MS = 4_000;
const ASK_EVERY_MS = 2_000;
const SHARE_EVERY_MS = 2_000;
/**
 * Number of pings without an answer after which a worker is treated as hanging. A time would not work, because a
 * suspended machine sends no pings.
 */
const HANGS_AFTER = 10;

const REMEDY =
  'raise the memory limit, or set GATEHOUSE_WORKERS to fewer (docs/reference/settings.md, GATEHOUSE_WORKERS)';
const KILLED_FOR_MEMORY = `a worker was killed: the memory of the container or service is used up; ${REMEDY}`;
const HEAP_IS_FULL = `a worker ended, probably because its heap is full; ${REMEDY}`;
/** 128 plus the number of SIGABRT, as exit status of a shell. */
const ABORTED = 134;

export async function supervise(supervision: Supervision): Promise<void> {
  await new Supervisor(supervision).start();
}

class Supervisor {
  readonly #given: Supervision;
  readonly #connections = new Connections();
  readonly #workers = new Set<WorkerProcess>();
  readonly #pauses = new Map<number, NodeJS.Timeout>();
  /** number of times in a row that a worker ended early, keyed by worker number */
  readonly #failures = new Map<number, number>();
  #onDuty: WorkerProcess | undefined;
  #hasServed = false;
  #stopping: NodeJS.Signals | undefined;
  #exitCode = 0;
  #replaced = 0;
  #memoryKills = countMemoryKills();
  /** metrics of workers that have ended */
  #remaining: Promise<Metric[]> = Promise.resolve([]);
  #stopMetrics: () => void = () => {};

  constructor(supervision: Supervision) {
    this.#given = supervision;
  }

  async start(): Promise<void> {
    const { settings, workers, listen } = this.#given;
    await listen(this.#connections.server);
    const { metricsPort, metricsHost } = settings;
    if (metricsPort !== null) {
      // loaded only if the supervisor serves metrics
      const { serveMetrics } = await import('#lib/observability/listener.ts');
      this.#stopMetrics = await serveMetrics(metricsPort, metricsHost, () => this.#sums());
    }
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => this.#end(signal));
    setInterval(() => this.#askAll(), ASK_EVERY_MS).unref();
    // connections that arrive at the same time may be distributed unevenly, and a connection does not move to another
    // worker by itself
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
        this.#connections.noteTaken(worker);
        break;
      case 'pong':
        this.#connections.notePong(worker);
        break;
      case 'connections':
        this.#connections.noteConnections(worker, message.open);
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
    // without this, the older workers would keep all connections
    this.#connections.share();
    if (this.#hasServed || this.#stopping) return;
    this.#hasServed = true;
    for (let number = 2; number <= this.#given.workers; number += 1) this.#launch(number);
  }

  /**
   * Pings all workers and kills those that hang, because nobody would notice them while other workers serve most
   * requests.
   */
  #askAll(): void {
    for (const worker of this.#workers) {
      // a worker that starts may run long migrations, and a worker that ends has a deadline
      if (!worker.isReady || this.#stopping) continue;
      this.#connections.notePing(worker);
      if (worker.ask() < HANGS_AFTER) continue;
      log().error({ worker: worker.number, pid: worker.pid }, 'a worker does not answer, and is killed');
      worker.kill('SIGKILL');
    }
  }

  #giveDuty(): void {
    if (this.#onDuty || this.#stopping) return;
    this.#onDuty = [...this.#workers].find(
      (workerProcess) => workerProcess.isReady && !workerProcess.isClosing,
    );
    if (!this.#onDuty) return;
    this.#onDuty.say({ kind: 'duty' });
    log().debug({ worker: this.#onDuty.number, pid: this.#onDuty.pid }, 'a worker maintains the database');
  }

  async #gone(worker: WorkerProcess, end: End): Promise<void> {
    const { number, pid } = worker;
    this.#workers.delete(worker);
    this.#connections.noteExit(worker);
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
      // the worker has already logged why it ended, unless a signal ended it
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

  /** Advice for the operator if a worker ended because it ran out of memory. Null if it ended for another reason. */
  #memoryEnd({ code, signal }: End): string | null {
    const before = this.#memoryKills;
    this.#memoryKills = countMemoryKills();
    if (signal === 'SIGKILL' && this.#memoryKills > before) return KILLED_FOR_MEMORY;
    // V8 has already logged the details
    return signal === 'SIGABRT' || code === ABORTED ? HEAP_IS_FULL : null;
  }

  async #sums() {
    const { sumsOf } = await import('./metrics.ts');
    const workers = [...this.#workers];
    return sumsOf({
      // metrics of the workers that have ended by now; a worker that ends during this call is still treated as
      // running
      ended: await this.#remaining,
      workers,
      ready: workers.filter(({ isReady }) => isReady).length,
      replaced: this.#replaced,
    });
  }

  /** Forwards the signal: each worker drains like a single process. */
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

/** Exit status of a shell: 128 plus the number of the signal. */
function codeOf({ code, signal }: End): number {
  return signal === null ? (code ?? 1) : 128 + constants.signals[signal];
}
