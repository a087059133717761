import http from 'node:http';
import { expect, test } from 'vitest';
import { listen } from './listen.ts';

test('no two servers of a process have the same port, one after the other', async () => {
  const ports = new Set<number>();
  for (let n = 0; n < 500; n += 1) {
    const { port, close } = await listen(http.createServer());
    await close();
    ports.add(port);
  }
  expect(ports.size).toBe(500);
});
