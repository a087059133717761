// Connection tests of verifiers, and faults that every call can meet, with services that fail in every known way.
import http from 'node:http';
import https from 'node:https';
import { createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createAuthMethod } from '#lib/catalogue/methods/operations.ts';
import { setLogLevel } from '#lib/kit/log.ts';
import { startVerifier, UNAVAILABLE, VERIFY_TOKEN, type Verifier } from '#testing/brokers/verifier.ts';
import { givenPerson, sql } from '#testing/data/registry.ts';
import { certificateFor } from '#testing/net/certificate.ts';
import { freePort } from '#testing/net/free-port.ts';
import { type Listening, listen } from '#testing/net/listen.ts';
import { type ConnectionTest, FAILURES, type Failure } from './connection-steps.ts';
import { testAuthMethod } from './connections.ts';

let admin: Awaited<ReturnType<typeof givenPerson>>;
let verifier: Verifier;

beforeAll(async () => {
  setLogLevel('silent');
  admin = { ...(await givenPerson('root', 'administrator')), signedInAt: new Date() };
  verifier = await startVerifier();
});
afterAll(() => verifier.close());
beforeEach(async () => {
  await sql('delete from attempts');
  await sql("delete from auth_methods where id = 'it'");
  verifier.calls.length = 0;
});

async function tested(type: 'external', config: object, secret?: string): Promise<ConnectionTest> {
  const made = { id: 'it', type, name: 'It', config: { ...config } };
  await createAuthMethod(admin, secret === undefined ? made : { ...made, secret });
  const told = await testAuthMethod(admin, { id: 'it' });
  if (secret !== undefined) expect(JSON.stringify(told)).not.toContain(secret);
  return told;
}

const shown = ({ steps }: ConnectionTest) => steps.map(({ check, state }) => `${check.text}: ${state}`);
const failed = ({ steps }: ConnectionTest) => steps.find(({ state }) => !['ok', 'skipped'].includes(state));

const external = (url: string) => ({ verify_url: url, allow_private_network: true });

test('a verifier that rejects an invented account passes the connection test', async () => {
  const told = await tested('external', external(verifier.url), VERIFY_TOKEN);
  expect(shown(told)).toEqual(['An invented account: ok']);
  expect(verifier.calls).toHaveLength(1);
  expect(JSON.parse(verifier.calls[0]?.body ?? '')).toMatchObject({
    username: expect.stringMatching(/^gatehouse-test-/),
  });
});

test('a wrong verifier token is reported', async () => {
  const told = await tested('external', external(verifier.url), 'another token than it wants');
  expect(failed(told)).toMatchObject({ state: 'broken', found: { text: expect.stringContaining('fails') } });
});

test('a verifier that accepts an invented account is reported as broken', async () => {
  const told = await tested('external', external(`${verifier.url}/elsewhere`), VERIFY_TOKEN);
  expect(failed(told)?.found.text).toMatch(/account that was invented for this test is accepted/);
});

/** Runs `work` with the listening server, then closes the server and its connections. */
async function withServer(
  server: http.Server | https.Server | ReturnType<typeof createServer>,
  work: (at: Listening) => Promise<void>,
) {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => {})));
  const at = await listen(server);
  try {
    await work(at);
  } finally {
    for (const socket of sockets) socket.destroy();
    await at.close();
  }
}

const own = certificateFor('localhost');
const answering = (misbehave: (response: http.ServerResponse) => void) =>
  http.createServer((_, response) => misbehave(response));
const big = (response: http.ServerResponse) => {
  response.writeHead(200, { 'content-length': 100_000_000 });
  const more = () => {
    while (!response.destroyed && response.write(Buffer.alloc(65_536)));
    if (!response.destroyed) response.once('drain', more);
  };
  more();
};
type Server = Parameters<typeof withServer>[0];
const CONNECTIONS: [Failure, () => Server, string?][] = [
  ['timeout', () => createServer(() => {})],
  ['closed', () => createServer((socket) => void socket.destroy())],
  ['bad-answer', () => answering(UNAVAILABLE['bad-gzip'] ?? (() => {}))],
  ['too-large', () => answering(big)],
  [
    'redirect',
    () =>
      answering((response) => response.writeHead(301, { location: 'https://new.example/verify?x=1' }).end()),
  ],
  ['tls-untrusted', () => https.createServer(own, (_, response) => void response.end('{}')), 'https'],
  ['tls-none', () => answering((response) => void response.end('{}')), 'https'],
];

test.each(CONNECTIONS)(
  'the verifier failure %s is reported with a suggested change',
  async (failure, server, scheme = 'http') => {
    await withServer(server(), async ({ port }) => {
      const config = { ...external(`${scheme}://localhost:${port}/verify`), timeout_ms: 1000 };
      const step = failed(await tested('external', config));
      expect(step?.found.text).toBe(FAILURES[failure].found);
      expect(step?.change?.text).toBe(FAILURES[failure].change);
      if (failure === 'redirect') expect(step?.found.values?.['location']).toBe('https://new.example/verify');
    });
  },
);

test.each([
  ['dns', 'https://verifier.invalid/', true],
  ['refused', `http://127.0.0.1:${await freePort()}/`, true],
  ['dns', 'https://verifier.invalid/', false],
] as [Failure, string, boolean][])(
  'the verifier failure %s at %s is reported',
  async (failure, verify_url, allow_private_network) => {
    const step = failed(await tested('external', { verify_url, allow_private_network }));
    expect(step?.found.text).toBe(FAILURES[failure].found);
  },
);

test('a test of a private or plain http address requires allow_private_network, even for stored methods', async () => {
  await tested('external', external(verifier.url), VERIFY_TOKEN);
  for (const [address, failure] of [
    [verifier.url.replace('http:', 'https:'), 'private-address'],
    [verifier.url, 'insecure'],
  ] as const) {
    verifier.calls.length = 0;
    const config = { verify_url: address, allow_private_network: false };
    await sql(`update auth_methods set config = $1 where id = 'it'`, [JSON.stringify(config)]);
    const told = await testAuthMethod(admin, { id: 'it' });
    expect(failed(told)?.found.text).toBe(FAILURES[failure].found);
    expect(verifier.calls).toEqual([]);
  }
});

test('connection tests skip local methods, and return not-found for unknown methods', async () => {
  await createAuthMethod(admin, { id: 'it', type: 'local', name: 'It', config: {} });
  expect(shown(await testAuthMethod(admin, { id: 'it' }))).toEqual(['Connection: skipped']);
  await expect(testAuthMethod(admin, { id: 'none' })).rejects.toMatchObject({ kind: 'not-found' });
});
