// The supervisor as one worker sees it: connections, the duty, sums of metrics, and whether it is still there.
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NodeDoor } from '#lib/http/node-door.ts';
import { log } from '#lib/kit/log.ts';
import { isOurs, type ToSupervisor, type ToWorker } from './worker-process.ts';

/** Which the supervisor has for an answer. */
const ANSWER_MS = 1_000;

export class WorkerSide {
  /** From 1; a worker that replaces another one has its number. */
  readonly number: number;
  /** Brings the schema forward before it serves, and takes connections while it does. */
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
    const abandoned = () => {
      this.#isAbandoned = true;
      this.#noMore.resolve();
      this.#onAbandoned();
    };
    process.once('disconnect', abandoned);
    // already while this program was loaded
    if (!process.connected) abandoned();
  }

  /** From now on `/metrics` of this worker is that of all. */
  async shareMetrics(): Promise<void> {
    // loads the store, which a worker loads after it listens
    const { readMetricsFrom } = await import('#lib/observability/metrics.ts');
    readMetricsFrom(() => this.#askForSums());
  }

  /** Takes connections from now on. */
  open(door: NodeDoor): void {
    this.#door = door;
    this.#say({ kind: 'open' });
  }

  /** Resolves when no more connections come, or the supervisor hangs. */
  async close(): Promise<void> {
    this.#say({ kind: 'closing' });
    await Promise.race([this.#noMore.promise, sleep(ANSWER_MS)]);
  }

  ready(): void {
    this.#say({ kind: 'ready' });
  }

  /** Begins, now or later, what one worker does for all. */
  whenOnDuty(begin: () => void): void {
    this.#onDuty = begin;
    if (this.#hasDuty) begin();
  }

  /** Once the supervisor has died. */
  get isAbandoned(): boolean {
    return this.#isAbandoned;
  }

  /** Begins when the supervisor has died. */
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
    // before the first byte is read: from here on no other worker may serve it
    this.#say({ kind: 'taken' });
    // closed while it was on its way
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

  /** Once for all connections that end in one turn of the event loop. */
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
    // a supervisor that has gone says nothing
    const found = await Promise.race([text, this.#noMore.promise]);
    this.#sums.delete(id);
    return found ?? '';
  }

  #say(message: ToSupervisor): void {
    // an error here is that it has gone, which `disconnect` tells
    if (process.connected) process.send?.(message, undefined, {}, () => {});
  }
}

/** Null: this process is no worker. */
export function workerSide(args = process.argv.slice(2)): WorkerSide | null {
  const [word, number, supervisorPid, prepares] = args;
  if (word !== 'worker' || process.send === undefined) return null;
  return new WorkerSide(Number(number), Number(supervisorPid), prepares === 'prepare');
}
