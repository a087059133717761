// Starts small servers for tests.
import { closeSync, openSync } from 'node:fs';
import http from 'node:http';
import type net from 'node:net';
import path from 'node:path';

export type Listening = { url: string; port: number; close: () => Promise<void> };

/** Ports used by this process: caches keyed by URL must distinguish later servers. */
const given = new Set<number>();

/**
 * Returns the folder that contains one file for each port that was used. Processes of one run share a service, which
 * caches by URL, so no port may be used twice.
 */
const shared = () => process.env['TEST_PORTS'];

/**
 * Resolves once the server listens, on `port` or, by default, on a free port that no earlier server in this run used.
 * `close` ends open HTTP connections.
 */
export async function listen(server: net.Server, { host = '127.0.0.1', port = 0 } = {}): Promise<Listening> {
  let own = await bound(server, host, port);
  while (port === 0 && !isFirst(own)) {
    await new Promise((resolve) => server.close(resolve));
    own = await bound(server, host, port);
  }
  return {
    url: `http://${host}:${own}`,
    port: own,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if (server instanceof http.Server) server.closeAllConnections();
      }),
  };
}

/** Returns true once for each port. */
function isFirst(port: number): boolean {
  const folder = shared();
  if (given.has(port)) return false;
  given.add(port);
  if (folder === undefined) return true;
  try {
    closeSync(openSync(path.join(folder, String(port)), 'wx'));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function bound(server: net.Server, host: string, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it listens on no port');
  return address.port;
}

/** Reads the body of a request, as latin1 or utf8 text. */
export async function textOf(
  request: http.IncomingMessage,
  encoding: BufferEncoding = 'utf8',
): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString(encoding);
}
