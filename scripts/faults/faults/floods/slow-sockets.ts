import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../../support/context.ts';

/** First bytes of each slow caller, then its repeated bytes. */
const CALLERS: Record<string, { first: string; drop: string }> = {
  'half-open': { first: '', drop: '' },
  'slow headers': {
    first: 'POST /auth/pw/api/orders/token HTTP/1.1\r\nHost: localhost\r\n',
    drop: 'X-Slow: 1\r\n',
  },
  'slow body': {
    first:
      'POST /auth/pw/api/orders/token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 5000\r\n\r\n',
    drop: 'a',
  },
};
/**
 * Maximum seconds until the service closes a slow connection: headersTimeout is 10 s and requestTimeout is 30
 * s, both checked every 5 s.
 */
const PATIENCE_SECONDS = 40;

export const slowSockets: Fault = {
  name: 'slow-sockets',
  title: 'slow and half-open sockets, 100 of each kind',
  async run(context) {
    const instance = await context.instance('only');
    const sockets: net.Socket[] = [];
    let closed = 0;
    for (const { first, drop } of Object.values(CALLERS)) {
      for (let index = 0; index < 100; index += 1) {
        const socket = net.connect(instance.port, '127.0.0.1');
        socket.on('error', () => {});
        socket.on('close', () => {
          closed += 1;
        });
        // the caller never reads responses
        socket.pause();
        socket.write(first);
        const drip = setInterval(() => drop !== '' && socket.writable && socket.write(drop), 1_000);
        socket.on('close', () => clearInterval(drip));
        sockets.push(socket);
      }
    }
    const stop = await context.busy(instance, 20);
    const broken: string[] = [];
    if (context.quick) await sleep(1_000);
    else {
      const began = performance.now();
      while (closed < sockets.length && performance.now() - began < PATIENCE_SECONDS * 1000) {
        // paused sockets notice their end only after a read
        for (const socket of sockets) socket.resume();
        await sleep(500);
      }
      if (closed < sockets.length)
        broken.push(`${sockets.length - closed} of ${sockets.length} were never closed`);
    }
    await stop();
    for (const socket of sockets) socket.destroy();
    const hurt = context.ledger.entries.filter((entry) => entry.status !== 200).length;
    if (hurt > 0) broken.push(`${hurt} honest requests failed`);
    broken.push(...(await context.lostSlots(instance)));
    return { broken, notes: context.quick ? 'honest callers only' : `${closed} closed by their deadlines` };
  },
};
