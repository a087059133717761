// https in front of a service on this machine, with a certificate of its own making: bytes go through as they are.
import { readFileSync, rmSync } from 'node:fs';
import net from 'node:net';
import tls from 'node:tls';
import { listen } from '#testing/net/listen.ts';
import { makeCertificate, newFolder } from '#testing/net/proxies.ts';

/** At `https://localhost:port`, for a service that listens on `behind` at 127.0.0.1. */
export async function startTlsFront(port: number, behind: number): Promise<{ close: () => Promise<void> }> {
  const folder = newFolder();
  const { certificate, key } = makeCertificate(folder);
  const open = new Set<net.Socket>();
  const server = tls.createServer({ cert: readFileSync(certificate), key: readFileSync(key) }, (front) => {
    const back = net.connect(behind, '127.0.0.1');
    for (const [socket, other] of [
      [front, back],
      [back, front],
    ] as const) {
      open.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        open.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  rmSync(folder, { recursive: true, force: true });
  const { close } = await listen(server, { port });
  return {
    close: () => {
      for (const socket of open) socket.destroy();
      return close();
    },
  };
}
