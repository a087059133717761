// The Node server with connections that another process accepted, as in a worker: deadlines and drain are the same as
// for a listening server.
import net from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { malformedRequest } from '#lib/oauth/refusals.ts';
import { createNodeDoor, type NodeDoor } from './node-door.ts';

let door: NodeDoor;
let acceptor: net.Server;
let answer: PromiseWithResolvers<void>;

beforeEach(async () => {
  answer = Promise.withResolvers();
  door = createNodeDoor({
    handle: async (request) => {
      if (request.path === '/slow') await answer.promise;
      return { status: 200, headers: {}, body: request.path };
    },
    otherwise: async () => {},
    onFault: () => {},
    onMalformed: malformedRequest,
  });
  acceptor = net.createServer((socket) => door.adopt(socket));
  await new Promise<void>((resolve) => acceptor.listen(0, '127.0.0.1', resolve));
});
afterEach(() => acceptor.close());

/** Opens a connection, and records the received text and the end of the connection. */
function connect() {
  const socket = net.connect((acceptor.address() as net.AddressInfo).port, '127.0.0.1');
  const seen = { text: '' };
  socket.setEncoding('latin1');
  socket.on('data', (chunk) => {
    seen.text += chunk;
  });
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(seen.text)));
  const get = (path: string) => socket.write(`GET ${path} HTTP/1.1\r\nHost: h\r\n\r\n`);
  return { socket, seen, closed, get };
}

test('a client with unfinished headers receives 408', async () => {
  const { socket, closed } = connect();
  socket.write('GET /a HTTP/1.1\r\nHost:');
  expect(await closed).toMatch(/^HTTP\/1\.1 408 /);
}, 20_000);

test('a half-closed client still receives a fast response', async () => {
  const { socket, closed, get } = connect();
  get('/a');
  socket.end();
  expect(await closed).toMatch(/\/a$/);
});

test('drain waits for running responses and closes idle connections', async () => {
  const [busy, idle] = [connect(), connect()];
  idle.get('/a');
  await new Promise((resolve) => idle.socket.once('data', resolve));
  busy.get('/slow');
  await new Promise((resolve) => setTimeout(resolve, 50));
  const drained = door.drain(5_000).then(() => 'drained');
  await idle.closed;
  expect(await Promise.race([drained, Promise.resolve('waits')])).toBe('waits');
  answer.resolve();
  await new Promise((resolve) => busy.socket.once('data', resolve));
  busy.socket.end();
  expect(await drained).toBe('drained');
  expect(busy.seen.text).toMatch(/\/slow$/);
});

test('the function "shed" closes exactly the requested number of connections', async () => {
  const all = [connect(), connect(), connect()];
  door.shed(2);
  for (const { socket, get } of all) {
    const came = new Promise((resolve) => socket.once('data', resolve));
    get('/a');
    await came;
  }
  expect(all.map(({ seen }) => /^connection: close$/im.test(seen.text))).toEqual([true, true, false]);
  all[2]?.socket.destroy();
});
