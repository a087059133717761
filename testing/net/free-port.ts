import { randomInt } from 'node:crypto';
import net from 'node:net';

/**
 * Half of the port range that a process uses, because two processes run in parallel. The range is below the ephemeral
 * ports, so that no outgoing connection takes a port before the test uses it.
 */
const HALF = Number(process.env['TEST_PARALLEL_INDEX'] ?? 0) % 2;
const [FIRST, END] = [20_000 + HALF * 6_000, 26_000 + HALF * 6_000];
const given = new Set<number>();

/** Finds a port that is unused at every local address. Never returns a port twice in one process. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 1_000; attempt += 1) {
    const port = randomInt(FIRST, END);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
  throw new Error(`no port is free from ${FIRST} to ${END}`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = net.createServer().once('error', () => resolve(false));
    probe.listen(port, () => probe.close(() => resolve(true)));
  });
}
