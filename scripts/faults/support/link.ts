// A network connection that a test can cut like a cable: no data arrives, and neither side is notified.
import net from 'node:net';
import { type Listening, listen } from '#testing/net/listen.ts';

export class Link {
  readonly #target: number;
  readonly #sockets = new Set<net.Socket>();
  #listening: Listening | undefined;
  #isCut = false;

  private constructor(target: number) {
    this.#target = target;
  }

  /** Creates a link to this port of 127.0.0.1 that the test can cut. */
  static async to(target: number): Promise<Link> {
    const link = new Link(target);
    link.#listening = await listen(net.createServer((near) => link.#join(near)));
    return link;
  }

  get port(): number {
    return this.#listening?.port ?? 0;
  }

  #join(near: net.Socket): void {
    this.#follow(near, near);
    // a connection that starts while the link is cut stays open, but transfers nothing
    if (this.#isCut) return;
    const far = net.connect(this.#target, '127.0.0.1');
    this.#follow(near, far);
    this.#follow(far, near);
    near.on('data', (bytes) => far.write(bytes));
    far.on('data', (bytes) => near.write(bytes));
  }

  #follow(socket: net.Socket, other: net.Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => other.destroy());
    socket.on('close', () => {
      this.#sockets.delete(socket);
      other.destroy();
    });
  }

  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.pause();
  }

  /** Restores the link, and delivers the data that was in transit. */
  heal(): void {
    this.#isCut = false;
    for (const socket of this.#sockets) socket.resume();
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await this.#listening?.close();
  }
}
