// A door that is handed its connections, as a worker's is: deadlines and drain are those of one that listens.
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

/** A connection, what has come on it, and its end. */
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

test('headers that do not end are 408', async () => {
  const { socket, closed } = connect();
  socket.write('GET /a HTTP/1.1\r\nHost:');
  expect(await closed).toMatch(/^HTTP\/1\.1 408 /);
}, 20_000);

test('who has sent all, and says so, gets an answer that takes no time', async () => {
  const { socket, closed, get } = connect();
  get('/a');
  socket.end();
  expect(await closed).toMatch(/\/a$/);
});

test('a drain waits for the answer under way, and closes what is idle', async () => {
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

test('so many answers as are to be shed end their connections, and no more', async () => {
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
