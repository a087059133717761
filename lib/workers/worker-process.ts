// A worker process, from the supervisor's view.
import { type ChildProcess, fork } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Metric } from '#lib/observability/sums.ts';

// Channel messages between supervisor and workers (node:child_process). Counts are integers.

export type ToWorker =
  /** with the connection's socket */
  | { kind: 'connection' }
  /** start background tasks for all workers */
  | { kind: 'duty' }
  /** so many connections are more than your share */
  | { kind: 'shed'; connections: number }
  /** are you there? */
  | { kind: 'ping' }
  /** no more connections follow */
  | { kind: 'no-more' }
  | { kind: 'metrics-wanted'; id: number }
  | { kind: 'sums'; id: number; text: string };

export type ToSupervisor =
  /** give me connections */
  | { kind: 'open' }
  /** worker confirms the last connection */
  | { kind: 'taken' }
  /** how many I have open */
  | { kind: 'connections'; open: number }
  | { kind: 'pong' }
  /** I serve */
  | { kind: 'ready' }
  /** give me no more connections */
  | { kind: 'closing' }
  | { kind: 'metrics'; id: number; metrics: Metric[] }
  | { kind: 'sums-wanted'; id: number };

/** Next or libraries can also use the channel; their messages lack `kind`. */
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
  /** as far as it has told */
  connections = 0;
  isReady = false;
  /** True while the worker drains after an individual signal. */
  isClosing = false;
  #toShed = 0;
  #unanswered = 0;
  /** metrics of the last request */
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
      // keeps the operator's limit from NODE_OPTIONS or command line
      execArgv: isHeapLimited(env)
        ? process.execArgv
        : [...process.execArgv, `--max-old-space-size=${heapMegabytes}`],
      env: { ...env } as NodeJS.ProcessEnv,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#child = child;
    child.on('message', (message) => {
      if (!isOurs(message)) return;
      const said = message as ToSupervisor;
      if (said.kind === 'pong') this.#unanswered = 0;
      if (said.kind === 'metrics') this.#asked.get(said.id)?.(said.metrics);
      else onMessage(this, said);
    });
    let isOver = false;
    const over = (end: End) => {
      if (!isOver) onEnd(this, end);
      isOver = true;
    };
    // after its last message, unlike `exit`
    child.once('close', (code, signal) => over({ code, signal }));
    // without a pid the start failed; otherwise a signal or message was undeliverable, and `close` follows
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
    // one that has just ended hears nothing
    if (this.#child.connected) this.#child.send(message, () => {});
  }

  /** Requests closing this surplus; replaces the previous request. */
  shed(connections: number): void {
    if (connections > 0 || this.#toShed > 0) this.say({ kind: 'shed', connections });
    this.#toShed = connections;
  }

  /** Sends a ping. Returns the number of earlier pings in sequence without an answer. */
  ask(): number {
    const before = this.#unanswered;
    this.#unanswered += 1;
    this.say({ kind: 'ping' });
    return before;
  }

  /** The supervisor's handle stays open until the worker confirms the connection. */
  give(socket: Socket): void {
    if (this.#child.connected)
      this.#child.send({ kind: 'connection' } satisfies ToWorker, socket, { keepOpen: true }, () => {});
  }

  /** Returns current metrics. Without a timely response, returns the last known metrics. */
  async metrics(waitMs: number): Promise<Metric[]> {
    this.#ids += 1;
    const id = this.#ids;
    let timer: NodeJS.Timeout | undefined;
    const answer = new Promise<Metric[] | null>((resolve) => {
      this.#asked.set(id, resolve);
      timer = setTimeout(resolve, waitMs, null);
    });
    this.say({ kind: 'metrics-wanted', id });
    const found = await answer;
    clearTimeout(timer);
    this.#asked.delete(id);
    if (found) this.lastMetrics = found;
    return this.lastMetrics;
  }
}
