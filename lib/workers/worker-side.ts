// The supervisor as a worker sees it: connections, background tasks, sums of metrics, and liveness.
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NodeDoor } from '#lib/http/node-door.ts';
import { log } from '#lib/kit/log.ts';
import { isOurs, type ToSupervisor, type ToWorker } from './worker-process.ts';

/** Longest wait for a response of the supervisor. */
const ANSWER_MS = 1_000;

export class WorkerSide {
  /** Starts at 1. A worker that replaces another has the same number. */
  readonly number: number;
  /** true: migrates the schema before it serves requests, and accepts connections meanwhile. */
  readonly prepares: boolean;
  readonly supervisorPid: number;
  #door: NodeDoor | undefined;
  #open = 0;
  #told = true;
  #onDuty: () => void = () => {};
  #hasDuty = false;
  #onAbandoned: () => void = () => {};
  #isAbandoned = false;
  readonly #noMore = Promise.withResolvers<void>();
  readonly #sums = new Map<number, (text: string) => void>();
  #ids = 0;

  constructor(number: number, supervisorPid: number, prepares: boolean) {
    this.number = number;
    this.supervisorPid = supervisorPid;
    this.prepares = prepares;
    process.on('message', (message, handle) => {
      if (isOurs(message)) this.#hear(message as ToWorker, handle as Socket | undefined);
    });
    const abandon = () => {
      this.#isAbandoned = true;
      this.#noMore.resolve();
      this.#onAbandoned();
    };
    process.once('disconnect', abandon);
    // the supervisor may have died while this program was loaded
    if (!process.connected) abandon();
  }

  /** Makes `/metrics` of this worker return the sums of the whole service. */
  async shareMetrics(): Promise<void> {
    // imported dynamically, because the module loads the store, and a worker must listen before that
    const { readMetricsFrom } = await import('#lib/observability/metrics.ts');
    readMetricsFrom(() => this.#askForSums());
  }

  /** Accepts connections from now on. */
  open(door: NodeDoor): void {
    this.#door = door;
    this.#say({ kind: 'open' });
  }

  /** Resolves when the supervisor will send no further connections, or does not respond. */
  async close(): Promise<void> {
    this.#say({ kind: 'closing' });
    await Promise.race([this.#noMore.promise, sleep(ANSWER_MS)]);
  }

  ready(): void {
    this.#say({ kind: 'ready' });
  }

  /** Calls `begin` when this worker gets the background tasks, or immediately if it already has them. */
  whenOnDuty(begin: () => void): void {
    this.#onDuty = begin;
    if (this.#hasDuty) begin();
  }

  /** True after the supervisor has died. */
  get isAbandoned(): boolean {
    return this.#isAbandoned;
  }

  /** Calls `begin` when the supervisor has died. */
  whenAbandoned(begin: () => void): void {
    this.#onAbandoned = begin;
    if (this.#isAbandoned) begin();
  }

  #hear(message: ToWorker, handle: Socket | undefined): void {
    switch (message.kind) {
      case 'connection':
        this.#take(handle);
        break;
      case 'duty':
        this.#hasDuty = true;
        this.#onDuty();
        break;
      case 'shed':
        this.#door?.shed(message.connections);
        break;
      case 'ping':
        this.#say({ kind: 'pong' });
        break;
      case 'no-more':
        this.#noMore.resolve();
        break;
      case 'metrics-wanted':
        void import('#lib/observability/metrics.ts')
          .then(({ ownMetrics }) => ownMetrics())
          .then(
            (metrics) => this.#say({ kind: 'metrics', id: message.id, metrics }),
            (error: Error) => log().error({ reason: error.message }, 'metrics could not be read'),
          );
        break;
      case 'sums':
        this.#sums.get(message.id)?.(message.text);
        break;
    }
  }

  #take(socket: Socket | undefined): void {
    // confirmed before the first byte is read, because after that no other worker can serve the connection
    this.#say({ kind: 'taken' });
    // the connection was closed on its way
    if (!socket) {
      this.#tellConnections();
      return;
    }
    this.#open += 1;
    socket.once('close', () => {
      this.#open -= 1;
      this.#tellConnections();
    });
    this.#door?.adopt(socket);
  }

  /** Sends one message per turn of the event loop for all connections that were closed. */
  #tellConnections(): void {
    if (!this.#told) return;
    this.#told = false;
    setImmediate(() => {
      this.#told = true;
      this.#say({ kind: 'connections', open: this.#open });
    });
  }

  async #askForSums(): Promise<string> {
    this.#ids += 1;
    const id = this.#ids;
    const text = new Promise<string>((resolve) => this.#sums.set(id, resolve));
    this.#say({ kind: 'sums-wanted', id });
    // a supervisor that has ended sends nothing
    const sumText = await Promise.race([text, this.#noMore.promise]);
    this.#sums.delete(id);
    return sumText ?? '';
  }

  #say(message: ToSupervisor): void {
    // an error means that the supervisor has ended, which `disconnect` reports
    if (process.connected) process.send?.(message, undefined, {}, () => {});
  }
}

/** The connection of this worker to its supervisor; null: this process is not a worker. */
export function workerSide(args = process.argv.slice(2)): WorkerSide | null {
  const [word, number, supervisorPid, prepares] = args;
  if (word !== 'worker' || process.send === undefined) return null;
  return new WorkerSide(Number(number), Number(supervisorPid), prepares === 'prepare');
}
