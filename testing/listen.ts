// Small servers of a test's own.
import http from 'node:http';
import type net from 'node:net';

export type Listening = { url: string; port: number; close: () => Promise<void> };

/** Resolves once the server listens, on a free port unless one is named. `close` ends open HTTP connections. */
export async function listen(server: net.Server, { host = '127.0.0.1', port = 0 } = {}): Promise<Listening> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it listens on no port');
  return {
    url: `http://${host}:${address.port}`,
    port: address.port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if (server instanceof http.Server) server.closeAllConnections();
      }),
  };
}

/** The body of a request, as text in latin1 or utf8. */
export async function textOf(
  request: http.IncomingMessage,
  encoding: BufferEncoding = 'utf8',
): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString(encoding);
}
