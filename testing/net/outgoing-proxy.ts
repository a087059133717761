// A proxy for programs that connect by host name: each CONNECT leads to the same server as a connection of this
// process (detour.ts). A real program thus reaches the servers of a test under real host names, and verifies their
// certificates itself.
import http from 'node:http';
import net from 'node:net';
import { listen } from './listen.ts';

/** Starts the proxy. `asked`: the host names and ports that programs requested, in order. */
export async function startOutgoingProxy() {
  const asked: string[] = [];
  const server = http.createServer((_, response) => response.writeHead(405).end());
  server.on('connect', ({ url = '' }, socket, head) => {
    asked.push(url);
    const { hostname, port } = new URL(`https://${url}`);
    const onward = net.connect({ host: hostname, port: Number(port || 443) }, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
    for (const [one, other] of [
      [onward, socket],
      [socket, onward],
    ] as const)
      one.on('error', () => other.destroy());
  });
  const { port, close } = await listen(server);
  return { port, asked, close };
}
