// Gives each connection to one worker: of those that took their last one, to the one with the fewest open. A worker
// that hangs therefore holds up one connection at most, and what a dead one has not taken goes to another
// (docs/decisions/0027).
import { createServer, type Server, type Socket } from 'node:net';
import { log } from '#lib/kit/log.ts';
import type { WorkerProcess } from './worker-process.ts';

/** Connections that wait for a worker; more are closed. */
const MAX_WAITING = 1_000;

export class Connections {
  readonly server: Server;
  /** the process that was given a connection last is last */
  readonly #open = new Set<WorkerProcess>();
  readonly #given = new Map<WorkerProcess, Socket>();
  /** what a worker had been given when it was asked whether it is there */
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

  /** It has ended: what it had not taken goes to another. */
  ended(worker: WorkerProcess): void {
    this.#open.delete(worker);
    const socket = this.#given.get(worker);
    this.#given.delete(worker);
    this.#doubted.delete(worker);
    if (socket) this.#distribute(socket);
  }

  /** It is about to be asked whether it is there. */
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
    // to another one, if there is one that takes it now
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
