// States of users without their passwords. A partial response proves nothing. testing/directories contains responses
// of real directories.
import { afterEach, expect, test } from 'vitest';
import {
  BIND,
  ber,
  entry,
  type LyingDirectory,
  message,
  result,
  SEARCH,
  startLyingDirectory,
} from '#testing/directories/lying-directory.ts';
import { recheck } from './verify.ts';

const DONE = 0x65;
const REFERENCE = 0x73;
const [ADA, BOB] = ['7d5ef1e2-7f7a-1041-975d-43a6aac06b3c', '7d5ef1e2-7f7a-1041-975d-43a6aac06b3d'];
const foundAda = (id: number) => message(id, entry('uid=ada,dc=x', { entryUUID: ADA }));
const done = (id: number, code = 0) => message(id, result(DONE, code));
const reference = (id: number) => message(id, ber(REFERENCE, ber(4, 'ldap://other.example/dc=y')));

const NOTHING = { missing: [], refused: [], present: [], unclear: false };

let lying: LyingDirectory | undefined;
let methods = 0;
afterEach(() => lying?.close());

/** `searches`: consecutive responses, of which the last one repeats. */
async function told(searches: ((id: number) => Buffer | null)[], more: object = {}) {
  let asked = 0;
  const server = await startLyingDirectory((operation, id) => {
    if (operation === BIND) return message(id, result(0x61, 0));
    if (operation !== SEARCH) return null;
    const answer = searches[Math.min(asked, searches.length - 1)];
    asked += 1;
    return answer?.(id) ?? null;
  });
  lying = server;
  const config = { urls: [`ldap://127.0.0.1:${server.port}`], base_dn: 'dc=x', allow_private_network: true };
  const method = {
    id: `recheck-${methods++}`,
    config: { ...config, bind_dn: 'cn=s,dc=x', ...more },
    secret: 's',
  };
  const answer = await recheck.standings(method, [ADA ?? '', BOB ?? '']);
  return answer.kind === 'answered'
    ? {
        missing: answer.missing,
        refused: [...answer.refused],
        present: [...answer.present.keys()],
        unclear: answer.unclear,
      }
    : answer.because;
}

test('a subject that is absent from a complete directory response counts as missing', async () => {
  const whole = (id: number) => Buffer.concat([foundAda(id), done(id)]);
  expect(await told([whole])).toEqual({ ...NOTHING, missing: [BOB], present: [ADA] });
});

test.each<[string, (id: number) => Buffer | null, string]>([
  ['ends in the middle', (id) => foundAda(id).subarray(0, 20), 'timeout'],
  ['closes after an entry', () => null, 'unreachable'],
  [
    'keeps to a limit of its own',
    (id) => Buffer.concat([foundAda(id), done(id, 4)]),
    'it answered with result 4',
  ],
  ['runs out of time', (id) => Buffer.concat([foundAda(id), done(id, 3)]), 'it answered with result 3'],
  ['has no such place', (id) => done(id, 32), 'it answered with result 32'],
  [
    'refers to another server',
    (id) => done(id, 10),
    'it refers to another server, and referrals are never followed',
  ],
])('if a server %s, no user counts as missing', async (_, answer, because) => {
  expect(await told([answer], { timeout_ms: 500 })).toBe(because);
});

test('after partial directory results, or a search without read access, nobody counts as missing', async () => {
  const partly = (id: number) => Buffer.concat([foundAda(id), reference(id), done(id)]);
  expect(await told([partly])).toEqual({ ...NOTHING, present: [ADA] });
  expect(await told([done])).toEqual(NOTHING);
  const base = (id: number) => Buffer.concat([message(id, entry('dc=x')), done(id)]);
  expect(await told([done, base])).toMatchObject({ missing: [ADA, BOB] });
});

test('the recheck omits users whom the directory response does not distinguish, and reports the state of the others', async () => {
  const bob = (id: number) => message(id, entry('uid=bob,dc=x', { entryUUID: BOB }));
  const answered =
    (...parts: ((id: number) => Buffer)[]) =>
    (id: number) =>
      Buffer.concat([...parts.map((part) => part(id)), done(id)]);
  const unclear = { ...NOTHING, unclear: true };
  expect(await told([answered(foundAda, foundAda)])).toEqual({ ...unclear, missing: [BOB] });
  expect(await told([answered(foundAda, bob, foundAda)])).toEqual({ ...unclear, present: [BOB] });
  const unread = (id: number) => message(id, entry('uid=eve,dc=x'));
  const open = { ...unclear, present: [ADA] };
  expect(await told([answered(foundAda, unread)])).toEqual(open);
  const rejecting = { reject_filter: '(x=y)' };
  expect(await told([answered(foundAda, bob), answered(bob, bob)], rejecting)).toEqual(open);
  expect(await told([answered(foundAda, bob), answered(bob, unread)], rejecting)).toEqual({
    ...open,
    refused: [[BOB, 'rejected']],
  });
});
