// The code of docs/how-to/protect-an-api.md behind nginx (RFC 6750).
import http from 'node:http';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { blockIn, replaceIn, writeSnippet } from '#testing/code/doc-snippets.ts';
import { fixturePerson } from '#testing/data/fixtures.ts';
import { freePort } from '#testing/net/free-port.ts';
import { send } from '#testing/net/http.ts';
import { listen } from '#testing/net/listen.ts';
import { Program } from '#testing/net/program.ts';
import { isInstalled, newFolder, startNginx } from '#testing/net/proxies.ts';
import { claimsOf } from '#testing/service/token.ts';
import { bearer, expectInvalid, forged, REPLACED, tokenAt } from '../../support/clients/resource-server.ts';
import { clearAddressAttempts } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';

let token: string;

test.beforeAll(async () => {
  await clearAddressAttempts();
  token = await tokenAt('pw', fixturePerson('alice'));
});

test('nginx: auth_request accepts verified users and forwards their identity', async () => {
  test.skip(!isInstalled('nginx'), 'nginx is not installed');
  const [verifierPort, port] = [await freePort(), await freePort()];
  const protect = writeSnippet('protect.mjs', door.url, REPLACED);
  const folder = path.dirname(protect);
  const verify = writeSnippet('verify.mjs', null, { '9000': String(verifierPort) }, folder);
  const log = path.join(folder, 'verify.log');
  const verifier = new Program({ command: [process.execPath, verify], env: process.env, log });
  verifier.spawn();
  const orders = await listen(
    http.createServer((request, response) => response.end(String(request.headers['x-sub']))),
  );
  const location = replaceIn(blockIn('docs/how-to/protect-an-api.md', 'nginx'), {
    '127.0.0.1:9000': `127.0.0.1:${verifierPort}`,
    'http://orders': orders.url,
    'orders:read': 'read',
  });
  const nginx = await startNginx(newFolder(), port, `server { listen 127.0.0.1:${port};\n${location}\n}`);
  try {
    const ask = (headers: Record<string, string>) =>
      send(`http://127.0.0.1:${port}/orders/1`, { headers: { 'x-sub': 'somebody else', ...headers } });
    await expect.poll(async () => (await ask({})).status).toBe(401);
    expect((await ask({})).headers['www-authenticate']).toBe('Bearer');
    expectInvalid(await ask(bearer(await forged(token, { alg: 'none' }))));
    const answer = await ask(bearer(token));
    expect([answer.status, answer.text]).toEqual([200, claimsOf(token)['sub']]);
  } finally {
    await nginx.stop();
    await verifier.stop();
    await orders.close();
  }
});
