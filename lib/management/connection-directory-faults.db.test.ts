// Connection tests of directories, with servers that fail in every known way: each step shows what to change.
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { setLogLevel } from '#lib/kit/log.ts';
import { givenPerson, sql } from '#testing/data/registry.ts';
import {
  ber,
  entry,
  message,
  result,
  SEARCH,
  startLyingDirectory,
} from '#testing/directories/lying-directory.ts';
import { freePort } from '#testing/net/free-port.ts';
import type { ConnectionTest } from './connection-steps.ts';
import { testAuthMethodInput } from './connections.ts';

const BOUND = 0x61;
const DONE = 0x65;
const EXTENDED_DONE = 0x78;

let admin: Awaited<ReturnType<typeof givenPerson>>;
beforeAll(async () => {
  setLogLevel('silent');
  admin = { ...(await givenPerson('root', 'administrator')), signedInAt: new Date() };
});
beforeEach(() => sql('delete from attempts'));

const typed = (config: object) => ({
  ...{ id: 'it', type: 'ldap' as const, name: 'It' },
  config: { base_dn: 'dc=corp,dc=example', allow_private_network: true, timeout_ms: 2000, ...config },
});
const failed = ({ steps }: ConnectionTest) => steps.find(({ state }) => state === 'broken');
const ldap = ({ port }: { port: number }) => `ldap://localhost:${port}`;

const bound = (id: number) => message(id, result(BOUND, 49));
const found = (id: number, uid = 'ada') =>
  message(id, entry('uid=ada,ou=people', { uid, entryUUID: '7d5ef1e2-7f7a-1041-975d-43a6aac06b3c' }));
const elsewhere = (id: number) => message(id, ber(0x73, ber(4, 'ldap://other.example/')));
/** True if the request searches for a user: only this search requests the attribute entryUUID. */
const isForPerson = (request: Buffer) => request.includes('entryUUID');

test.each<
  [string, (operation: number, id: number, request: Buffer) => Buffer | null, object, RegExp, RegExp]
>([
  ['wants TLS', (_, id) => message(id, result(BOUND, 8)), {}, /only over TLS/, /ldaps.*StartTLS on port 389/],
  [
    'refuses StartTLS',
    (_, id) => message(id, result(EXTENDED_DONE, 2)),
    { start_tls: true },
    /rejects StartTLS/,
    /ldaps/,
  ],
  ['speaks HTTP', () => Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'), {}, /does not speak LDAP/, /636/],
  ['never answers', () => Buffer.alloc(0), { timeout_ms: 200 }, /No complete response/, /firewall/],
  [
    'lets everybody in',
    (_, id) => message(id, result(BOUND, 0)),
    {},
    /account .* is accepted/,
    /Disable this behaviour/,
  ],
  ['lets no one bind', (_, id) => message(id, result(BOUND, 53)), {}, /result {code}/, /appendix A/],
  [
    'lets no one search without an account',
    (operation, id) => (operation === SEARCH ? message(id, result(DONE, 1)) : bound(id)),
    {},
    /does not allow this account to search/,
    /bind_dn/,
  ],
  [
    'refers to another server',
    (operation, id) => (operation === SEARCH ? message(id, result(DONE, 10)) : bound(id)),
    {},
    /refers to another server/,
    /urls/,
  ],
  [
    'has a limit of one entry',
    (operation, id, request) =>
      operation === SEARCH
        ? Buffer.concat(
            isForPerson(request) ? [found(id), message(id, result(DONE, 4))] : [message(id, result(DONE, 0))],
          )
        : bound(id),
    {},
    /fewer entries/,
    /limit/,
  ],
  [
    'takes letters for others',
    (operation, id, request) =>
      operation === SEARCH
        ? Buffer.concat([...(isForPerson(request) ? [found(id, 'àda')] : []), message(id, result(DONE, 0))])
        : bound(id),
    {},
    /spells the name differently/,
    /as it is in the directory/,
  ],
  [
    'refers to others instead of giving the person',
    (operation, id, request) =>
      operation === SEARCH
        ? Buffer.concat([
            ...(isForPerson(request) ? [elsewhere(id), elsewhere(id)] : []),
            message(id, result(DONE, 0)),
          ])
        : bound(id),
    {},
    /No entry/,
    /catalogue/,
  ],
])('a server that %s: the step suggests a change', async (_, answer, config, says, change) => {
  const server = await startLyingDirectory(answer);
  const person = { name: 'ada', password: null };
  const told = await testAuthMethodInput(admin, { ...typed({ urls: [ldap(server)], ...config }), person });
  expect(failed(told)).toMatchObject({
    found: { text: expect.stringMatching(says) },
    change: { text: expect.stringMatching(change) },
  });
  if (says.source === 'No entry') expect(failed(told)?.answered).toBe('entries: 0, referrals: 2');
  await server.close();
});

test('if a directory server cannot be reached, the failing step names its host and port', async () => {
  const told = await testAuthMethodInput(admin, typed({ urls: [`ldap://localhost:${await freePort()}`] }));
  expect(failed(told)?.found.text).toBe('Nothing listens at {host}, port {port}.');
});
