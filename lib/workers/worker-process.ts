// A worker process, as the supervisor sees it.
import { type ChildProcess, fork } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Metric } from '#lib/observability/sums.ts';

// Messages between supervisor and workers (channel of node:child_process). Numbers are integers.

export type ToWorker =
  /** sent together with the socket of a connection */
  | { kind: 'connection' }
  /** the worker must start the background tasks for all workers */
  | { kind: 'duty' }
  /** the worker must close this number of connections, which exceed its share */
  | { kind: 'shed'; connections: number }
  /** asks whether the worker still responds */
  | { kind: 'ping' }
  /** no further connections will be sent */
  | { kind: 'no-more' }
  | { kind: 'metrics-wanted'; id: number }
  | { kind: 'sums'; id: number; text: string };

export type ToSupervisor =
  /** the worker accepts connections */
  | { kind: 'open' }
  /** the worker confirms the last connection */
  | { kind: 'taken' }
  /** number of connections that are open at the worker */
  | { kind: 'connections'; open: number }
  | { kind: 'pong' }
  /** the worker serves requests */
  | { kind: 'ready' }
  /** the worker accepts no further connections */
  | { kind: 'closing' }
  | { kind: 'metrics'; id: number; metrics: Metric[] }
  | { kind: 'sums-wanted'; id: number };

/** True for messages of Gatehouse. Next or a library can also use the channel, but their messages have no `kind`. */
export function isOurs(message: unknown): message is { kind: string } {
  return typeof message === 'object' && message !== null && 'kind' in message;
}

/** `env`: the complete environment of the process. `prepares`: the worker migrates the schema before it serves. */
export type Launch = {
  program: string;
  number: number;
  prepares: boolean;
  env: WorkerEnvironment;
  heapMegabytes: number;
};
export type WorkerEnvironment = Readonly<Record<string, string | undefined>>;
export type End = { code: number | null; signal: NodeJS.Signals | null };

const HEAP_LIMIT = /--max[-_]old[-_]space[-_]size/;
const isHeapLimited = (env: WorkerEnvironment) =>
  [env['NODE_OPTIONS'] ?? '', ...process.execArgv].some((text) => HEAP_LIMIT.test(text));

export class WorkerProcess {
  readonly number: number;
  readonly startedAt = performance.now();
  /** number of open connections that the worker reported last */
  connections = 0;
  isReady = false;
  /** True while the worker drains because only this worker received a signal. */
  isClosing = false;
  #toShed = 0;
  #unanswered = 0;
  /** metrics that the worker returned last */
  lastMetrics: Metric[] = [];
  readonly #child: ChildProcess;
  readonly #asked = new Map<number, (metrics: Metric[]) => void>();
  #ids = 0;

  constructor(
    { program, number, prepares, env, heapMegabytes }: Launch,
    onMessage: (worker: WorkerProcess, message: ToSupervisor) => void,
    onEnd: (worker: WorkerProcess, end: End) => void,
  ) {
    this.number = number;
    const args = ['worker', String(number), String(process.pid), ...(prepares ? ['prepare'] : [])];
    const child = fork(program, args, {
      // keeps a limit that the operator set in NODE_OPTIONS or at the command line
      execArgv: isHeapLimited(env)
        ? process.execArgv
        : [...process.execArgv, `--max-old-space-size=${heapMegabytes}`],
      env: { ...env } as NodeJS.ProcessEnv,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#child = child;
    child.on('message', (message) => {
      if (!isOurs(message)) return;
      const workerMessage = message as ToSupervisor;
      if (workerMessage.kind === 'pong') this.#unanswered = 0;
      if (workerMessage.kind === 'metrics') this.#asked.get(workerMessage.id)?.(workerMessage.metrics);
      else onMessage(this, workerMessage);
    });
    let isOver = false;
    const over = (end: End) => {
      if (!isOver) onEnd(this, end);
      isOver = true;
    };
    // unlike `exit`, this event comes after the last message
    child.once('close', (code, signal) => over({ code, signal }));
    // without a pid the start failed; otherwise a signal or message could not be delivered, and `close` follows
    child.on('error', () => {
      if (child.pid === undefined) over({ code: 1, signal: null });
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  say(message: ToWorker): void {
    // a worker that has just ended receives nothing
    if (this.#child.connected) this.#child.send(message, () => {});
  }

  /** Tells the worker to close this number of connections. This replaces the previous message. */
  shed(connections: number): void {
    if (connections > 0 || this.#toShed > 0) this.say({ kind: 'shed', connections });
    this.#toShed = connections;
  }

  /** Sends a ping. Returns how many pings before it have no answer yet. */
  ask(): number {
    const before = this.#unanswered;
    this.#unanswered += 1;
    this.say({ kind: 'ping' });
    return before;
  }

  /** The supervisor keeps its handle of the socket open until the worker confirms the connection. */
  give(socket: Socket): void {
    if (this.#child.connected)
      this.#child.send({ kind: 'connection' } satisfies ToWorker, socket, { keepOpen: true }, () => {});
  }

  /** Returns the present metrics, or the last known metrics if the response is late. */
  async metrics(waitMs: number): Promise<Metric[]> {
    this.#ids += 1;
    const id = this.#ids;
    let timer: NodeJS.Timeout | undefined;
    const answer = new Promise<Metric[] | null>((resolve) => {
      this.#asked.set(id, resolve);
      timer = setTimeout(resolve, waitMs, null);
    });
    this.say({ kind: 'metrics-wanted', id });
    const workerMetrics = await answer;
    clearTimeout(timer);
    this.#asked.delete(id);
    if (workerMetrics) this.lastMetrics = workerMetrics;
    return this.lastMetrics;
  }
}
