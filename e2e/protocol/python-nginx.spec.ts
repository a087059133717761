// The same code of docs/protect-an-api.md in Python, and behind nginx (cases JW; RFC 6750).
import { execFileSync, spawnSync } from 'node:child_process';
import http from 'node:http';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { generateKeyPair } from 'jose';
import { fixturePerson } from '#testing/fixtures.ts';
import { freePort } from '#testing/free-port.ts';
import { send } from '#testing/http.ts';
import { listen } from '#testing/listen.ts';
import { Program } from '#testing/program.ts';
import { claimsOf } from '#testing/token.ts';
import { clearAddressAttempts, makeApi, makeClient, makePerson } from '../support/database.ts';
import { blockIn, replaceIn, writeSnippet } from '../support/doc-snippets.ts';
import { nodeDoor as door } from '../support/doors.ts';
import { campusPerson } from '../support/external.ts';
import { isInstalled, newFolder, startNginx } from '../support/proxies.ts';
import { bearer, expectInvalid, forged, REPLACED, tokenAt } from '../support/resource-server.ts';

let token: string;

test.beforeAll(async () => {
  await clearAddressAttempts();
  token = await tokenAt('pw', fixturePerson('alice'));
});

const PYTHON = process.env['GATEHOUSE_PYTHON'] ?? 'python3';
const hasPyJwt =
  spawnSync(PYTHON, [
    '-c',
    'import jwt, cryptography; assert [int(part) for part in jwt.__version__.split(".")[:2]] >= [2, 10]',
  ]).status === 0;

test('Python: the same answers from the snippet with PyJWT', async () => {
  test.skip(!hasPyJwt, 'PyJWT 2.10 is not installed');
  const file = writeSnippet('protect.py', door.url, { '["local", "campus"]': '["pw", "ext"]' });
  const { privateKey } = await generateKeyPair('ES256');
  const other = await makeApi();
  const client = await makeClient({ trusted: true, apis: [other.id] });
  const elsewhere = await tokenAt('pw', await makePerson(), other.id, client);
  const headers = [
    `Bearer ${token}`,
    `bearer ${await tokenAt('ext', campusPerson())}`,
    null,
    'Bearer nonsense',
    `Bearer ${await forged(token, { alg: 'none' })}`,
    `Bearer ${await forged(token, { kid: 'unknown' }, privateKey)}`,
    `Bearer ${await forged(token, {}, privateKey)}`,
    `Bearer ${elsewhere}`,
  ];
  const program = `
import json, sys
sys.path.insert(0, sys.argv[1])
from protect import Refused, authorize
def ask(header, scope):
    try:
        return authorize(header, scope)["sub"] and 200
    except Refused as refused:
        return [refused.status, refused.headers["WWW-Authenticate"]]
headers = json.load(sys.stdin)
print(json.dumps([ask(header, "read") for header in headers] + [ask(headers[0], "admin")]))`;
  const folder = file.slice(0, file.lastIndexOf('/'));
  const output = execFileSync(PYTHON, ['-c', program, folder], { input: JSON.stringify(headers) });
  const invalid = [401, 'Bearer error="invalid_token"'];
  expect(JSON.parse(output.toString())).toEqual([
    200,
    200,
    [401, 'Bearer'],
    ...Array.from({ length: 5 }, () => invalid),
    [403, 'Bearer error="insufficient_scope"'],
  ]);
});

test('nginx: auth_request lets in whom the verifier lets in, and says who it is', async () => {
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
  const location = replaceIn(blockIn('docs/protect-an-api.md', 'nginx'), {
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
