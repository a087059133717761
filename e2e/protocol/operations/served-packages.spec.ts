// Packages under /packages on both servers: build output with type and cache headers.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { send } from '#testing/net/http.ts';
import { nextDoor, nodeDoor } from '../../support/service/doors.ts';

const FOLDER = path.resolve('public/packages');

for (const door of [nodeDoor, nextDoor]) {
  test(`contract 10: ${door.name} serves each package with its type and cache headers, never as a page`, async () => {
    const names = readdirSync(FOLDER);
    expect(names).toHaveLength(5);
    for (const name of names) {
      const response = await fetch(`${door.url}/packages/${name}`);
      expect(response.status, name).toBe(200);
      expect(response.headers.get('content-type'), name).toBe(
        name.endsWith('.tgz') ? 'application/gzip' : 'text/plain; charset=utf-8',
      );
      expect(response.headers.get('cache-control')).toBe('public, max-age=300');
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      const body = Buffer.from(await response.arrayBuffer());
      expect(body.equals(readFileSync(path.join(FOLDER, name))), name).toBe(true);
    }
    expect((await send(`${door.url}/packages/gatehouse.rb`)).status).toBe(404);
  });
}
