// Proxy for a directory that stops at a chosen request, like a stopped server.
import net from 'node:net';
import { listen } from '#testing/net/listen.ts';
import { message, result } from './lying-directory.ts';

/**
 * Moments at which the proxy closes the connection: before, within or after a response. `says so`: it first
 * sends a notice of disconnection.
 */
export const STOPS = ['before', 'within', 'after', 'says so'] as const;
export type Stop = (typeof STOPS)[number];

export type StoppingProxy = {
  port: number;
  /** number of received requests */
  count: () => number;
  /** `request`: number of the request that stops the proxy */
  stopAt: (request: number, how: Stop) => void;
  /** closes the open connections; later connections are accepted */
  drop: () => void;
  close: () => Promise<void>;
};

const UNBIND = 0x42;
const UNAVAILABLE = 52;
/** Types of the responses to requests: bind, search, extended operation. */
const ANSWERS: Readonly<Record<number, number>> = { 96: 0x61, 99: 0x65, 119: 0x78 };

/** Starts the proxy. It assumes sequential requests on each connection, which is how Gatehouse sends them. */
export async function startStoppingProxy(to: { port: number }): Promise<StoppingProxy> {
  const open = new Set<net.Socket>();
  let count = 0;
  let stop: { request: number; how: Stop } | null = null;
  const drop = () => {
    for (const socket of open) socket.end();
  };
  const server = net.createServer((socket) => {
    open.add(socket);
    let ends: Stop | null = null;
    const out = net.connect(to.port, '127.0.0.1');
    out.on('error', () => socket.destroy()).on('close', () => socket.destroy());
    socket
      .on('error', () => out.destroy())
      .on('close', () => {
        open.delete(socket);
        out.destroy();
      });
    socket.on('data', (data: Buffer) => {
      const head = (data[1] ?? 0) < 0x80 ? 2 : 2 + ((data[1] ?? 0) & 0x7f);
      const [id, operation] = [data[head + 2] ?? 0, data[head + 3] ?? 0];
      if (operation !== UNBIND) count += 1;
      if (stop === null || count < stop.request) {
        out.write(data);
        return;
      }
      if (stop.how === 'says so') {
        socket.write(message(id, result(ANSWERS[operation] ?? 0, UNAVAILABLE)));
        return;
      }
      server.close();
      if (stop.how === 'before') return drop();
      ends = stop.how;
      out.write(data);
    });
    out.on('data', (data: Buffer) => {
      socket.write(ends === 'within' ? data.subarray(0, data.length >> 1) : data);
      if (ends !== null) drop();
    });
  });
  const { port, close } = await listen(server);
  return {
    port,
    count: () => count,
    stopAt: (request, how) => {
      count = 0;
      stop = { request, how };
    },
    drop,
    close: () => {
      for (const socket of open) socket.destroy();
      return close();
    },
  };
}
