// A user with an email address and a user name gets as many guesses as a user with one name. A limit that is used up
// never reveals which names a user has.
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { subjectSalt } from '#lib/keys/keys.ts';
import { setLogLevel } from '#lib/kit/log.ts';
import { announceKept } from '#lib/store/keys.ts';
import { database } from '#lib/store/prisma.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { fixturePerson } from '#testing/data/fixtures.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, givenFixtures, jsonOf } from '#testing/in-process/in-process.ts';
import { TRU } from '#testing/in-process/issuer-host.ts';
import { OPENID_PATH } from '#testing/in-process/openid.ts';
import { checkPassword } from './steps.ts';

const { email } = fixturePerson('alice');

beforeAll(async () => {
  setLogLevel('silent');
  await givenFixtures();
  await sql("update people set username = 'al' where email = $1", [email]);
});
beforeEach(() => sql('delete from attempts'));

/**
 * Number of guesses that were checked, of `times` parallel guesses. The guesses use each name in turn, half of them
 * on the page and half at the token endpoint.
 */
async function guesses(names: readonly string[], times = 16) {
  const method = (await currentSnapshot()).methods.get('pw');
  if (!method) throw new Error('no method');
  const atPage = async (username: string, n: number) => {
    const rest = { method, cookieHeader: undefined, requestId: 'test', ip: `192.0.2.${n}` };
    const verdict = await checkPassword({ ...rest, username, password: `wrong ${n}` });
    return verdict?.kind === 'slow-down' ? 'not checked' : 'checked';
  };
  const atToken = async (username: string, n: number) => {
    const form = { ...TRU, grant_type: 'password', username, password: `wrong ${n}` };
    const { error } = jsonOf(await ask(`${OPENID_PATH}/token`, { form })) as { error: string };
    return error === 'slow_down' ? 'not checked' : 'checked';
  };
  const verdicts = await Promise.all(
    Array.from({ length: times }, (_, n) => (n % 4 < 2 ? atPage : atToken)(names[n % names.length] ?? '', n)),
  );
  return verdicts.filter((one) => one === 'checked').length;
}

test('an account without a user name allows ten password guesses', async () => {
  expect(await guesses([email])).toBe(10);
});

test('the two names of a user share ten password guesses, exactly like two unknown names', async () => {
  await subjectSalt(await currentSnapshot());
  await announceKept(database(), { subjects: false, usernames: true });
  expect((await currentSnapshot()).usernames).toBe(true);
  expect(await guesses([email, 'al'], 24)).toBe(10);
  await sql('delete from attempts');
  expect(await guesses(['no-one@example.com', 'nn'], 24)).toBe(10);
  await sql('delete from attempts');
  for (const name of [email, 'al', 'no-one@example.com', 'nn']) expect(await guesses([name])).toBe(5);
});
