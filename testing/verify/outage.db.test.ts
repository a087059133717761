// An API with the verification package and a real service, which rotates its keys, stops and starts again.
import { decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rotateKeys } from '#lib/keys/keys.ts';
import { fixtureClient, fixturePerson } from '#testing/data/fixtures.ts';
import { givenFixtures } from '#testing/in-process/in-process.ts';
import { openDoor } from '#testing/in-process/in-process-door.ts';
import type { Listening } from '#testing/net/listen.ts';
import { passwordGrant, tokensOf } from '#testing/service/token.ts';
import { endImplementations, implementations } from './implementations.ts';

const MINUTE = 60_000;
/** Options of a rotation after which the new keys sign immediately. */
const AT_ONCE = { publishSeconds: 0 };

let door: Listening;
beforeAll(async () => {
  door = await openDoor();
  await givenFixtures();
});
afterAll(async () => {
  endImplementations();
  await door.close();
});

async function tokenOfService(): Promise<string> {
  const given = await passwordGrant(door, fixtureClient('tru'), fixturePerson('alice'));
  return tokensOf(given).accessToken;
}

const kidOf = (token: string) => decodeProtectedHeader(token).kid;

test('rotated keys of the service are found, and after the service stops its cached documents are used for one hour', async () => {
  let at = 0;
  const api = `${door.url}/.well-known/oauth-protected-resource/apis/orders`;
  const all = implementations.map(({ name, given }) => ({
    name,
    check: given({ api, onProblem: () => {} }, () => at),
  }));
  const expectEach = async (status: number, token: string, when: string) => {
    const answers = all.map(async ({ name, check }) => {
      const { refused } = await check(`Bearer ${token}`);
      return [name, refused?.status ?? 200];
    });
    expect(await Promise.all(answers), when).toEqual(all.map(({ name }) => [name, status]));
  };

  const first = await tokenOfService();
  await expectEach(200, first, 'at the start');
  await rotateKeys(AT_ONCE);
  const second = await tokenOfService();
  expect(kidOf(second)).not.toBe(kidOf(first));
  await expectEach(200, second, 'by a key of a moment ago');
  await expectEach(200, first, 'by the key before');

  await rotateKeys(AT_ONCE);
  const third = await tokenOfService();
  await door.close();
  await expectEach(200, second, 'stopped');
  at += MINUTE;
  await expectEach(503, third, 'stopped, by a key that no one could read');
  at += 50 * MINUTE;
  await expectEach(200, second, 'stopped for fifty minutes');
  at += 10 * MINUTE;
  await expectEach(503, second, 'stopped for more than an hour');

  door = await openDoor(undefined, door.port);
  at += MINUTE;
  await expectEach(200, third, 'started again');
  await expectEach(200, first, 'started again, by the first key');
});
