// HTTPS proxy for a local service with a self-signed certificate: forwards bytes unchanged.
import { readFileSync, rmSync } from 'node:fs';
import net from 'node:net';
import tls from 'node:tls';
import { listen } from '#testing/net/listen.ts';
import { makeCertificate, newFolder } from '#testing/net/proxies.ts';

/** Listens at `https://localhost:port` and forwards to 127.0.0.1, port `behind`. */
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
