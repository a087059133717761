// Servers that lie, hang or vanish: none of them signs a user in or blocks one, and the next server is asked.
import { randomInt } from 'node:crypto';
import net from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  BIND,
  ber,
  EXTENDED,
  entry,
  message,
  result,
  SEARCH,
  startLyingDirectory,
} from '#testing/directories/lying-directory.ts';
import {
  BASE,
  DIRECTORY_PASSWORD,
  hasSlapd,
  personDn,
  personEntry,
  SEARCHER,
  type Slapd,
  startSlapd,
} from '#testing/directories/slapd.ts';
import { typed } from '#testing/in-process/typed.ts';
import { listen } from '#testing/net/listen.ts';
import type { MethodConfig } from '../kind.ts';
import { askDirectory } from './verify.ts';

let methods = 0;
/** Uses a separate method, so that no other test has moved its servers to the end. */
const ask = (config: MethodConfig, password = DIRECTORY_PASSWORD, id = `method-${methods++}`, name = 'ada') =>
  askDirectory(
    { id, config: { base_dn: BASE, allow_private_network: true, ...config }, secret: SEARCHER.password },
    name,
    typed(password),
  );
const because = async (config: MethodConfig) => {
  const told = await ask(config);
  return told.kind === 'no-verdict' ? told.because : told;
};
const at = ({ port }: { port: number }) => ({ urls: [`ldap://127.0.0.1:${port}`] });

const NOTHING = Buffer.alloc(0);
const DONE = 0x65;
const BOUND = 0x61;
const ADA = { uid: 'ada', entryUUID: '7d5ef1e2-7f7a-1041-975d-43a6aac06b3c' };
const found = (id: number) =>
  Buffer.concat([message(id, entry(personDn('ada'), ADA)), message(id, result(DONE, 0))]);
/** A server that responds correctly until the bind, to which it responds with these bytes. */
const binding = (bytes: (id: number) => Buffer) => (operation: number, id: number) =>
  operation === SEARCH ? found(id) : bytes(id);

const ONE = message(2, entry('a=b'));
const MANY = Buffer.alloc(100_000 * ONE.length, ONE);

const LIES: [what: string, answer: (operation: number, id: number) => Buffer | null, reason: string][] = [
  ['never answers', () => NOTHING, 'timeout'],
  ['closes the connection', () => null, 'unreachable'],
  ['sends half a message, and waits', () => Buffer.from([0x30, 0x84, 0, 0]), 'timeout'],
  ['speaks HTTP', () => Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'), 'its answer makes no sense'],
  [
    'announces two gigabytes',
    () => Buffer.from([0x30, 0x84, 0x7f, 255, 255, 255]),
    'its answer is too large',
  ],
  ['sends a length without an end', () => Buffer.from([0x30, 0x80, 2, 1]), 'its answer makes no sense'],
  ['sends 100,000 entries', () => MANY, 'its answer has too many entries'],
  [
    'sends a value of three megabytes',
    (_, id) => message(id, entry('a=b', { a: 'x'.repeat(3_000_000) })),
    'its answer is too large',
  ],
  [
    'refers to another server',
    (_, id) =>
      message(id, ber(DONE, [10, 1, 10], ber(4, ''), ber(4, ''), ber(0xa3, ber(4, 'ldap://other.example/')))),
    'it refers to another server, and referrals are never followed',
  ],
  ['wants TLS', (_, id) => message(id, result(DONE, 8)), 'it wants TLS (result 8)'],
  ['is busy', (_, id) => message(id, result(DONE, 51)), 'it answered with result 51'],
  [
    'has an entry whose lengths lie',
    (_, id) => message(id, ber(0x64, ber(4, 'a=b'), ber(0x30, ber(0x30, ber(4, 'a'), [0x31, 0x7f])))),
    'its answer makes no sense',
  ],
  [
    'has an entry without a name',
    (_, id) => Buffer.concat([message(id, entry('')), message(id, result(DONE, 0))]),
    'it gave an entry without a name',
  ],
  [
    'gives one entry of more, by a limit of its own',
    (operation, id) =>
      operation === SEARCH
        ? Buffer.concat([message(id, entry(personDn('ada'), ADA)), message(id, result(DONE, 4))])
        : message(id, result(BOUND, 49)),
    'it answered with result 4',
  ],
  ['answers a bind without a result', binding((id) => message(id, ber(BOUND))), 'its answer makes no sense'],
  [
    'answers a bind with a length that leads nowhere',
    binding((id) => message(id, ber(BOUND, [10, 1, 0, 4, 0, 4, 0, 0x87, 0x7f]))),
    'its answer makes no sense',
  ],
  [
    'answers a bind with something else',
    binding((id) => message(id, ber(0x79, [10, 1, 0, 4, 0, 4, 0]))),
    'its answer makes no sense',
  ],
  [
    'refuses each bind as it serves none now',
    binding((id) => message(id, result(BOUND, 53))),
    'it answered with result 53',
  ],
  [
    'lets everybody in',
    binding((id) => message(id, result(BOUND, 0))),
    'it lets in an account that there is not',
  ],
];

test.each(LIES)('if a directory server %s, nobody can sign in', async (_, answer, reason) => {
  const server = await startLyingDirectory(answer);
  expect(await because({ ...at(server), timeout_ms: reason === 'timeout' ? 200 : 3000 })).toBe(reason);
  await server.close();
});

test('RFC 4511 §4.14: a directory server that rejects StartTLS, or closes the connection after it, receives no password', async () => {
  for (const answer of [
    (_: number, id: number) => message(id, result(0x78, 2)),
    () => null,
    (operation: number, id: number) => (operation === EXTENDED ? message(id, result(0x78, 0)) : null),
  ]) {
    const server = await startLyingDirectory(answer);
    const told = await ask({ ...at(server), start_tls: true, bind_dn: SEARCHER.dn, timeout_ms: 1000 });
    expect(told.kind).toBe('no-verdict');
    expect(server.asked).not.toContain(BIND);
    await server.close();
  }
});

test('an entry without visible filter attributes matches no name', async () => {
  const { uid: _, ...hidden } = ADA;
  const server = await startLyingDirectory((operation, id) =>
    operation === SEARCH
      ? Buffer.concat([message(id, entry(personDn('ada'), hidden)), message(id, result(DONE, 0))])
      : message(id, result(BOUND, 49)),
  );
  expect(await ask(at(server))).toEqual({ kind: 'refused', reason: 'unknown' });
  await server.close();
});

test('directory responses split into pieces are parsed', async () => {
  const server = await startLyingDirectory(
    (operation, id) => (operation === SEARCH ? found(id) : message(id, result(BOUND, 49))),
    1,
  );
  expect(await ask(at(server))).toEqual({ kind: 'refused', reason: 'wrong' });
  await server.close();
});

describe.skipIf(!hasSlapd)('two servers of OpenLDAP', () => {
  let first: Slapd;
  let second: Slapd;
  beforeAll(async () => {
    [first, second] = await Promise.all([startSlapd({ name: 'other.example' }), startSlapd()]);
    for (const one of [first, second]) one.add(personEntry('ada'));
  });
  afterAll(() => Promise.all([first?.close(), second?.close()]));

  test('the certificate of a directory server must match its name and have a trusted issuer', async () => {
    const tls = { bind_dn: SEARCHER.dn, timeout_ms: 3000 };
    const secure = (slapd: Slapd, more: object) => ({
      ...tls,
      urls: [`ldaps://localhost:${slapd.tlsPort}`],
      ...more,
    });
    const upgraded = (slapd: Slapd, more: object) => ({
      ...tls,
      urls: [`ldap://localhost:${slapd.port}`],
      start_tls: true,
      ...more,
    });
    for (const way of [secure, upgraded]) {
      expect(await because(way(first, { ca: first.ca }))).toBe('unreachable');
      expect(await because(way(second, {}))).toBe('unreachable');
      expect(await ask(way(second, { ca: second.ca }))).toMatchObject({ kind: 'accepted' });
    }
  });

  test('if directory data is corrupted at random, the sign-in ends, and a wrong password is never accepted', async () => {
    const open = new Set<net.Socket>();
    const proxy = await listen(
      net.createServer((socket) => {
        open.add(socket);
        const to = net.connect(first.port, '127.0.0.1');
        socket
          .on('error', () => to.destroy())
          .on('close', () => to.destroy())
          .pipe(to);
        to.on('error', () => socket.destroy()).on('close', () => socket.destroy());
        to.on('data', (data: Buffer) => {
          // leaves the result byte unchanged, because a changed byte could mean success
          if (randomInt(2) === 0) data[randomInt(Math.min(7, data.length))] = randomInt(256);
          socket.write(randomInt(8) === 0 ? data.subarray(0, randomInt(data.length)) : data);
        });
      }),
    );
    const config = { ...at(proxy), bind_dn: SEARCHER.dn, timeout_ms: 150 };
    const told = await Promise.all(Array.from({ length: 120 }, () => ask(config, 'wrong')));
    expect(told.map(({ kind }) => kind)).not.toContain('accepted');
    expect(told.map(({ kind }) => kind)).toContain('no-verdict');
    for (const socket of open) socket.destroy();
    await proxy.close();
  });
});
