// The same code of docs/protect-an-api.md in Python, and behind nginx (cases JW; RFC 6750).
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { decodeProtectedHeader, generateKeyPair } from 'jose';
import { fixturePerson } from '#testing/data/fixtures.ts';
import { freePort } from '#testing/net/free-port.ts';
import { send } from '#testing/net/http.ts';
import { listen } from '#testing/net/listen.ts';
import { Program } from '#testing/net/program.ts';
import { claimsOf } from '#testing/service/token.ts';
import { bearer, expectInvalid, forged, REPLACED, tokenAt } from '../../support/clients/resource-server.ts';
import { blockIn, replaceIn, writeSnippet } from '../../support/pages/doc-snippets.ts';
import { clearAddressAttempts, makeApi, makeClient, makePerson } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';
import { campusPerson } from '../../support/service/external.ts';
import { isInstalled, newFolder, startNginx } from '../../support/service/proxies.ts';
import { hasPython, PYTHON } from '../../support/service/python.ts';

let token: string;

test.beforeAll(async () => {
  await clearAddressAttempts();
  token = await tokenAt('pw', fixturePerson('alice'));
});

test('Python: the same answers from the snippet with PyJWT', async () => {
  test.skip(!hasPython('jwt, cryptography'), 'PyJWT is not installed');
  const words = { '["local", "campus"]': '["pw", "ext"]' };
  const { privateKey } = await generateKeyPair('ES256');
  const other = await makeApi();
  const rsa = await makeApi({ signing_alg: 'RS256' });
  const client = await makeClient({ trusted: true, apis: [other.id, rsa.id] });
  const person = await makePerson();
  const elsewhere = await tokenAt('pw', person, other.id, client);
  const byRsa = await tokenAt('pw', person, rsa.id, client);
  // a key of the service, but none of this algorithm
  const { kid } = decodeProtectedHeader(byRsa);
  const unknown = () => forged(token, { kid: randomUUID() }, privateKey);
  const bad = [
    'nonsense',
    await forged(token, { alg: 'none' }),
    await forged(token, {}, privateKey),
    await forged(token, { kid }, privateKey),
    await forged(token, { kid: undefined }, privateKey),
    elsewhere,
    byRsa,
    `${await tokenAt('pw', fixturePerson('alice'))}x`,
    ...(await Promise.all(Array.from({ length: 5 }, unknown))),
  ];
  const headers = [
    `Bearer ${token}`,
    `bearer ${await tokenAt('ext', campusPerson())}`,
    null,
    ...bad.map((one) => `Bearer ${one}`),
  ];
  const program = `
import json, sys, urllib.request
sys.path.insert(0, sys.argv[1])
fetched = []
real = urllib.request.urlopen
urllib.request.urlopen = lambda url, **given: fetched.append(url) or real(url, **given)
from protect import Refused, authorize, keys
def ask(header, scope):
    try:
        return authorize(header, scope)["sub"] and 200
    except Refused as refused:
        return [refused.status, refused.headers.get("WWW-Authenticate")]
headers = json.load(sys.stdin)
answers = [ask(header, "read") for header in headers] + [ask(headers[0], "admin")]
counts = [len(fetched)]
for seconds, header in [(31, headers[0]), (0, headers[-1]), (301, headers[0])]:
    keys.fetched -= seconds
    ask(header, "read")
    counts.append(len(fetched))
print(json.dumps({"answers": answers, "fetched": counts}))`;
  const answersOf = (file: string) =>
    JSON.parse(
      execFileSync(PYTHON, ['-c', program, path.dirname(file)], {
        input: JSON.stringify(headers),
      }).toString(),
    );
  const without = [401, 'Bearer'];
  const invalid = [401, 'Bearer error="invalid_token"'];
  expect(answersOf(writeSnippet('protect.py', door.url, words))).toEqual({
    answers: [200, 200, without, ...bad.map(() => invalid), [403, 'Bearer error="insufficient_scope"']],
    // not for each unknown kid, but for one after half a minute, and again after five minutes
    fetched: [1, 1, 2, 3],
  });
  // a token of this API by a method that it does not let in
  const ours = answersOf(writeSnippet('protect.py', door.url, { '["local", "campus"]': '["pw"]' }));
  expect(ours.answers.slice(0, 2)).toEqual([200, invalid]);
  // keys that cannot be fetched are a 503, not a 401
  const { answers } = answersOf(writeSnippet('protect.py', 'http://127.0.0.1:1', words));
  expect(answers.slice(0, 3)).toEqual([[503, null], [503, null], without]);
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
