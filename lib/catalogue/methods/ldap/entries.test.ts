// Entries that lack required attributes, and slow servers: nobody is signed in.
import net from 'node:net';
import { expect, test } from 'vitest';
import { entry, message, result, SEARCH, startLyingDirectory } from '#testing/directories/lying-directory.ts';
import { typed } from '#testing/in-process/typed.ts';
import { listen } from '#testing/net/listen.ts';
import type { MethodConfig } from '../kind.ts';
import { askDirectory } from './verify.ts';

const DONE = 0x65;
const BOUND = 0x61;
const DN = 'cn=ada,dc=corp,dc=example';
const GUID = 'sixteen letters.';

let methods = 0;
/** Uses a separate method, so that no other test has moved its servers to the end. */
const ask = (ports: number[], config: MethodConfig) => {
  const urls = ports.map((port) => `ldap://127.0.0.1:${port}`);
  const whole = { urls, base_dn: 'dc=corp,dc=example', allow_private_network: true, ...config };
  return askDirectory(
    { id: `entries-${methods++}`, config: whole, secret: null },
    'ada',
    typed('engine-1843'),
  );
};

/** Starts a directory that lets ada bind and returns the given entry and token groups. */
const startWith = (attributes: Record<string, string>, tokens: Record<string, string> = {}) =>
  startLyingDirectory((operation, id, request) => {
    if (operation !== SEARCH) return message(id, result(BOUND, request.includes(DN) ? 0 : 49));
    const shown = request.includes('tokenGroups') ? tokens : { sAMAccountName: 'ada', ...attributes };
    return Buffer.concat([message(id, entry(DN, shown)), message(id, result(DONE, 0))]);
  });

const NO_GROUPS = 'it shows no tokenGroups: the account that searches may not read them';
const NO_SUBJECT = 'the entry has no objectGUID that names the person';
test.each<[string, Record<string, string>, Record<string, string>, string | null]>([
  ['everything that it needs', { objectGUID: GUID }, { tokenGroups: 'twelve bytes' }, null],
  ['no tokenGroups', { objectGUID: GUID }, {}, NO_GROUPS],
  ['empty tokenGroups', { objectGUID: GUID }, { tokenGroups: '' }, NO_GROUPS],
  ['tokenGroups that are no SIDs', { objectGUID: GUID }, { tokenGroups: 'eleven byte' }, NO_GROUPS],
  ['no subject', {}, {}, NO_SUBJECT],
  ['a subject of 15 bytes', { objectGUID: GUID.slice(1) }, {}, NO_SUBJECT],
  ['a subject of 17 bytes', { objectGUID: `${GUID}.` }, {}, NO_SUBJECT],
])(
  'the sign-in of a directory entry with %s is accepted, or fails with the reason',
  async (_, attributes, tokens, because) => {
    const server = await startWith(attributes, tokens);
    const groups = because === NO_SUBJECT ? undefined : {};
    expect(await ask([server.port], { server_kind: 'active-directory', groups })).toEqual(
      because === null
        ? { kind: 'accepted', profile: { sub: expect.any(String), groups: [] } }
        : { kind: 'no-verdict', because },
    );
    await server.close();
  },
);

test('a directory server that sends single bytes times out, because a byte is no response', async () => {
  const open = new Set<net.Socket>();
  const server = await listen(
    net.createServer((socket) => {
      open.add(socket.on('error', () => undefined));
      socket.write(Buffer.from([0x30, 0x82, 0x01, 0x00]));
      const timer = setInterval(() => socket.write(Buffer.alloc(1)), 20);
      socket.on('close', () => clearInterval(timer));
    }),
  );
  expect(await ask([server.port], { timeout_ms: 200 })).toEqual({ kind: 'no-verdict', because: 'timeout' });
  for (const socket of open) socket.destroy();
  await server.close();
});

test('the time limit of five seconds covers all directory servers: the second gets the remaining time, and the third receives no request', async () => {
  const silent = () => startLyingDirectory(() => Buffer.alloc(0));
  const servers = await Promise.all([silent(), silent(), silent()]);
  const told = await ask(
    servers.map(({ port }) => port),
    { timeout_ms: 3000 },
  );
  expect(told).toEqual({ kind: 'no-verdict', because: 'timeout' });
  expect(servers.map(({ asked }) => asked)).toEqual([[SEARCH], [SEARCH], []]);
  await Promise.all(servers.map(({ close }) => close()));
}, 30_000);
