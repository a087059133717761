// Outbound calls to a real server that misbehaves. No request leaves this machine.
import { lookup as systemLookup } from 'node:dns';
import http from 'node:http';
import net from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  RIGHT_PASSWORD,
  startVerifier,
  UNAVAILABLE,
  VERIFY_TOKEN,
  type Verifier,
} from '#testing/brokers/verifier.ts';
import { listen } from '#testing/net/listen.ts';
import { publicLookup } from './addresses.ts';
import type { OutboundFailed } from './failed.ts';
import { call, outboundFetch } from './fetch.ts';

let verifier: Verifier;
beforeAll(async () => {
  verifier = await startVerifier();
});
afterAll(() => verifier.close());

const post = (username: string): RequestInit => ({
  method: 'POST',
  headers: { authorization: `Bearer ${VERIFY_TOKEN}` },
  body: JSON.stringify({ username, password: RIGHT_PASSWORD }),
});
const lenient = outboundFetch({ allowPrivateNetwork: true });
const hasty = outboundFetch({ allowPrivateNetwork: true, timeoutMs: 400 });
const strict = outboundFetch({ allowPrivateNetwork: false });
const reasonOf = (promise: Promise<Response>) =>
  promise.then(
    (answer) => `answered ${answer.status}`,
    (error: OutboundFailed) => error.reason ?? error.name,
  );

test('a response of a remote server arrives completely, with its status and headers', async () => {
  const answer = await lenient(verifier.url, post('ada'));
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
  expect(await answer.json()).toMatchObject({ profile: { sub: 'sub of ada' } });
});

test.each([
  ['SR-04: never answers', 'slow', 'timeout'],
  ['SR-04: sends a byte now and then', 'trickle', 'timeout'],
  ['SR-04: never ends', 'endless', 'too-large'],
  ['SR-04: sends more than 64 KiB', 'too-large', 'too-large'],
  ['SR-04: sends a gzip bomb', 'bomb', 'too-large'],
  ['SR-02: redirects', 'redirects', 'redirect'],
  ['SR-02: redirects with the body', 'redirects-307', 'redirect'],
  ['hangs up', 'gone', 'unreachable'],
  ['hangs up in the middle', 'cut', 'unreachable'],
  ['speaks something else', 'gibberish', 'unreachable'],
  ['switches protocols', 'upgrade', 'unreachable'],
  ['packs wrongly', 'bad-gzip', 'bad-answer'],
])('a call to a remote server that %s is aborted', async (_, username, reason) => {
  expect(UNAVAILABLE).toHaveProperty(username);
  expect(await reasonOf((reason === 'timeout' ? hasty : lenient)(verifier.url, post(username)))).toBe(reason);
});

test('SR-02: redirect targets are never called', () => {
  expect(verifier.calls.filter(({ url }) => url !== '/verify')).toEqual([]);
});

test('the connection to a remote server closes after a response or a timeout', async () => {
  const sockets = new Set<net.Socket>();
  const server = http.createServer((request, response) => {
    if (request.url === '/answer') response.end('{}');
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const { url: base, close } = await listen(server);
  await lenient(`${base}/answer`);
  await reasonOf(hasty(`${base}/silence`));
  await expect.poll(() => sockets.size).toBe(0);
  await close();
});

test('without allow_private_network, only https addresses are called', async () => {
  for (const address of [verifier.url, 'http://api.example/', 'ftp://api.example/', 'data:,x']) {
    expect(await reasonOf(strict(address))).toBe('insecure');
  }
});

test.each([
  'https://127.0.0.1/',
  'https://2130706433/',
  'https://0x7f.1/',
  'https://0.0.0.0/',
  'https://10.0.0.1/',
  'https://169.254.169.254/latest/meta-data/',
  'https://172.31.0.1/',
  'https://192.168.1.1/',
  'https://100.64.0.1/',
  'https://[::1]/',
  'https://[::]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:a9fe:a9fe]/',
  'https://[64:ff9b::a9fe:a9fe]/',
  'https://[fd00:ec2::254]/',
  'https://[fe80::1]/',
  'https://[2002:7f00:1::]/',
  'https://localhost/',
])('SR-01: the non-public address %s is not called', async (address) => {
  expect(await reasonOf(strict(address))).toBe('private-address');
});

test('SR-03: a host name is resolved once, and the socket gets the checked address', async () => {
  const answers = ['93.184.215.14', '127.0.0.1'];
  let asked = 0;
  const lookup = publicLookup(async () => [{ address: answers[asked++] ?? '', family: 4 }]);
  const resolve = (all: boolean) =>
    new Promise((done, fail) =>
      lookup('rebinding.example', { all }, (error, ...found) => (error ? fail(error) : done(found))),
    );
  expect(await resolve(true)).toEqual([[{ address: '93.184.215.14', family: 4 }]]);
  await expect(resolve(false)).rejects.toMatchObject({ reason: 'private-address' });
});

test('SR-03: a host name with one private address among its public addresses is rejected', async () => {
  const lookup = publicLookup(async () => [
    { address: '93.184.215.14', family: 4 },
    { address: '::1', family: 6 },
  ]);
  const found = new Promise((_, fail) => lookup('mixed.example', { all: true }, fail));
  await expect(found).rejects.toMatchObject({ reason: 'private-address' });
});

test('SR-03: the remote address of the socket is checked, whatever the resolver returned, and nothing is sent', async () => {
  let received = 0;
  const server = net.createServer((socket) => socket.on('data', (chunk) => (received += chunk.length)));
  const { port, close } = await listen(server);
  const request = new Request(`https://localhost:${port}/verify`);
  const policy = { allowPrivateNetwork: false };
  const answer = call(request, policy, systemLookup as net.LookupFunction);
  await expect(answer).rejects.toMatchObject({ reason: 'private-address' });
  expect(received).toBe(0);
  await close();
});

test('the error of a socket is kept as the cause, so that doctor and log can show its code', async () => {
  const refusing = net.createServer();
  await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve));
  const { port } = refusing.address() as net.AddressInfo;
  await new Promise((resolve) => refusing.close(resolve));
  await expect(lenient(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({
    reason: 'unreachable',
    cause: { code: 'ECONNREFUSED' },
  });
});

test('an abort signal of the caller ends the call to a remote server', async () => {
  const signal = AbortSignal.timeout(50);
  await expect(lenient(verifier.url, { ...post('slow'), signal })).rejects.toMatchObject({
    name: 'TimeoutError',
  });
});
