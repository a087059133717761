// The Node server with a real socket: requests that are allowed, and their responses.
import net from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { malformedRequest } from '#lib/oauth/refusals.ts';
import { createNodeDoor, type NodeDoor } from './node-door.ts';

let door: NodeDoor;
let port: number;
const faults: unknown[] = [];

let ended = 0;
/** Depending on the query: ten pieces, endless pieces, or a failure. */
async function* pieces(query: string): AsyncGenerator<string> {
  try {
    for (let at = 0; query === 'endless' || at < 10; at += 1) {
      yield `piece ${at};`;
      if (query === 'fails') throw new Error('the database is gone');
    }
  } finally {
    ended += 1;
  }
}

beforeAll(async () => {
  door = createNodeDoor({
    handle: async (request) => {
      if (request.path === '/page') return null;
      if (request.path.startsWith('/pieces'))
        return { status: 200, headers: {}, pieces: pieces(request.query) };
      const body = await request.body();
      const seen = body === 'too-large' ? body : Buffer.from(body).toString();
      return { status: body === 'too-large' ? 413 : 200, headers: { 'x-path': request.path }, body: seen };
    },
    otherwise: async (incoming, outgoing) => {
      if (incoming.url === '/page?fault') throw new Error('ours');
      // like Next: reading a body that ends early throws
      if (incoming.method === 'POST') for await (const _chunk of incoming);
      outgoing.end('a page');
    },
    onFault: (error) => faults.push(error),
    onMalformed: malformedRequest,
  });
  await new Promise<void>((resolve) => door.server.listen(0, '127.0.0.1', resolve));
  port = (door.server.address() as net.AddressInfo).port;
});

afterAll(() => door.drain(1_000));

/** Returns all bytes received until the connection closes or `until` matches. */
function exchange(bytes: string | Buffer, until: RegExp = /^$/): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write(bytes));
    let text = '';
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => {
      text += chunk;
      if (until.test(text)) socket.destroy();
    });
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });
}

const CLOSE = 'Connection: close\r\n';

test('RFC 9110 §7.8: an Upgrade header is ignored, even after Next listens for upgrades', async () => {
  door.server.on('upgrade', (_request, socket) => socket.destroy());
  await Promise.resolve();
  const answer = await exchange(
    'POST /echo HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAAB\r\nContent-Length: 2\r\n\r\nhi',
    /hi$/,
  );
  expect(answer).toMatch(/^HTTP\/1.1 200 OK/);
});

test('the Node server reads a body completely, and passes requests for pages to the next handler', async () => {
  const posted = await exchange(`POST /a HTTP/1.1\r\nHost: h\r\n${CLOSE}Content-Length: 5\r\n\r\nhello`);
  expect(posted).toMatch(/^HTTP\/1\.1 200 /);
  expect(posted).toMatch(/content-length: 5/i);
  expect(posted).toMatch(/hello$/);
  expect(await exchange(`GET /page HTTP/1.1\r\nHost: h\r\n${CLOSE}\r\n`)).toMatch(/a page/);
});

test('a streamed response is sent completely, and a failed stream breaks off without the last chunk', async () => {
  const get = (query: string) => `GET /pieces?${query} HTTP/1.1\r\nHost: h\r\n${CLOSE}\r\n`;
  const whole = await exchange(get(''));
  expect(whole.match(/piece \d;/g)).toHaveLength(10);
  // expects the last chunk of the encoding (RFC 9112 §7.1)
  expect(whole).toMatch(/\r\n0\r\n\r\n$/);
  expect(await exchange(get('fails'))).not.toMatch(/\r\n0\r\n\r\n$/);
  expect(faults.splice(0)).toEqual([new Error('the database is gone')]);
});

test('if a client disconnects during a streamed response, the response is no longer generated, and no fault is logged', async () => {
  ended = 0;
  await exchange('GET /pieces?endless HTTP/1.1\r\nHost: h\r\n\r\n', /piece 3;/);
  await vi.waitUntil(() => ended === 1);
  expect(faults).toEqual([]);
});

test('PP-20: Content-Length with Transfer-Encoding, two Host headers, no Host header, or bytes that are not HTTP return 400', async () => {
  const smuggled = `Content-Length: 4\r\nTransfer-Encoding: chunked\r\n`;
  for (const bytes of [
    `POST /a HTTP/1.1\r\nHost: h\r\n${smuggled}\r\n0\r\n\r\n`,
    `GET /a HTTP/1.1\r\nHost: h\r\nHost: other\r\n${CLOSE}\r\n`,
    `GET /a HTTP/1.1\r\n${CLOSE}\r\n`,
    `GET /a HTTP/1.1\r\nHost: h\r\nBad Header: x\r\n\r\n`,
    `GET /a b HTTP/1.1\r\nHost: h\r\n\r\n`,
    '\x16\x03\x01\x02\x00 not http\r\n\r\n',
  ]) {
    expect(await exchange(bytes), bytes).toMatch(/^HTTP\/1\.1 400 /);
  }
});

test('RFC 9110 §5.3: a repeated single-value header returns 400, whatever its letter case, even with equal values', async () => {
  for (const [name, one, other] of [
    ['Authorization', 'Basic YTpi', 'Basic YTpj'],
    ['Content-Type', 'application/json', 'application/x-www-form-urlencoded'],
    ['Host', 'h', 'h'],
  ] as const) {
    const twice = `${name}: ${one}\r\n${name.toLowerCase()}: ${other}\r\n`;
    const host = name === 'Host' ? '' : 'Host: h\r\n';
    expect(await exchange(`GET /a HTTP/1.1\r\n${host}${twice}${CLOSE}\r\n`), name).toMatch(
      /^HTTP\/1\.1 400 /,
    );
  }
});

test('PP-20: a request that the parser rejects returns JSON with a request id, and the connection closes', async () => {
  const answer = await exchange('NONSENSE\r\n\r\n');
  expect(answer).toMatch(/^connection: close$/im);
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  const id = /^x-request-id: (.+)$/im.exec(head)?.[1];
  expect(JSON.parse(body)).toEqual({
    error: 'invalid_request',
    error_description: 'The request is malformed.',
    request_id: id,
  });
});

test('PP-20: requests with absolute targets match no path and never redirect', async () => {
  const answer = await exchange(`GET http://evil.example/a HTTP/1.1\r\nHost: h\r\n${CLOSE}\r\n`);
  expect(answer).toMatch(/^x-path: http:\/\/evil\.example\/a$/m);
  expect(answer).not.toMatch(/^location:/im);
});

test('a header larger than 16 KiB returns 431', async () => {
  const answer = await exchange(`GET /a HTTP/1.1\r\nHost: h\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`);
  expect(answer).toMatch(/^HTTP\/1\.1 431 /);
});

test('a body larger than 64 KiB returns 413, whether complete or endless', async () => {
  const large = Buffer.alloc(70_000, 'x');
  const head = `POST /a HTTP/1.1\r\nHost: h\r\n${CLOSE}`;
  const whole = Buffer.concat([Buffer.from(`${head}Content-Length: ${large.length}\r\n\r\n`), large]);
  expect(await exchange(whole)).toMatch(/^HTTP\/1\.1 413 /);
  const endless = Buffer.concat([
    Buffer.from('POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 999999999\r\n\r\n'),
    Buffer.alloc(2_000_000, 'x'),
  ]);
  expect(await exchange(endless, /413/)).toMatch(/^HTTP\/1\.1 413 /);
});

test('one connection carries many requests, including pipelined ones', async () => {
  const one = 'GET /a HTTP/1.1\r\nHost: h\r\n\r\n';
  const answers = await exchange(one + one + `GET /last HTTP/1.1\r\nHost: h\r\n${CLOSE}\r\n`);
  expect(answers.match(/HTTP\/1\.1 200/g)).toHaveLength(3);
  expect(answers).toMatch(/x-path: \/last/);
});

test('a client that disconnects during its body causes no fault, and a failing handler causes one', async () => {
  const broken = 'POST /page HTTP/1.1\r\nHost: h\r\nContent-Length: 500\r\n\r\nhalf';
  const gone = Promise.withResolvers<void>();
  door.server.once('request', (incoming) => incoming.once('close', gone.resolve));
  const socket = net.connect(port, '127.0.0.1', () => socket.write(broken, () => socket.resetAndDestroy()));
  await gone.promise;
  const answer = await exchange(`GET /page?fault HTTP/1.1\r\nHost: h\r\n${CLOSE}\r\n`);
  expect(answer).toMatch(/^HTTP\/1\.1 500 /);
  expect(faults.map(String)).toEqual(['Error: ours']);
});
