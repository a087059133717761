import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { listen } from './listen.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-ports-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('successive servers of a process have different ports', async () => {
  const ports = new Set<number>();
  for (let n = 0; n < 500; n += 1) {
    const { port, close } = await listen(http.createServer());
    await close();
    ports.add(port);
  }
  expect(ports.size).toBe(500);
});

test('servers that several processes start concurrently have different ports', async () => {
  const program = `
    import http from 'node:http';
    import { listen } from ${JSON.stringify(path.join(import.meta.dirname, 'listen.ts'))};
    for (let n = 0; n < 2_000; n += 1) {
      const { port, close } = await listen(http.createServer());
      await close();
      console.log(port);
    }`;
  const ports = async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', program],
      { env: { ...process.env, TEST_PORTS: folder } },
    );
    return stdout.trim().split('\n');
  };
  const all = (await Promise.all([ports(), ports(), ports()])).flat();
  expect(all).toHaveLength(6_000);
  expect(new Set(all).size).toBe(6_000);
});
