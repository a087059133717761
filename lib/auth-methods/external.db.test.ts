// The external method with a real verifier, which responds correctly, wrongly, slowly, with a huge body, with a
// redirect, or not at all.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { setLogLevel } from '#lib/kit/log.ts';
import { seal } from '#lib/kit/seal.ts';
import { settings } from '#lib/settings/settings.ts';
import { query } from '#lib/store/pool.ts';
import type { SnapshotMethod } from '#lib/store/snapshot.ts';
import {
  REFUSED,
  RIGHT_PASSWORD,
  startVerifier,
  UNAVAILABLE,
  VERIFY_TOKEN,
  type Verifier,
} from '#testing/brokers/verifier.ts';
import { asStranger, typed } from '#testing/in-process/typed.ts';
import { authMethodOf } from './auth-method.ts';

let verifier: Verifier;
beforeAll(async () => {
  setLogLevel('silent');
  verifier = await startVerifier();
});
afterAll(() => verifier.close());
beforeEach(() => {
  verifier.calls.length = 0;
});

function method(id: string, config: object = {}): SnapshotMethod {
  const defaults = { verify_url: verifier.url, timeout_ms: 5_000, allow_private_network: true };
  const sealedSecret = seal(VERIFY_TOKEN, `auth_methods:${id}`, settings().secrets);
  return { id, type: 'external', name: id, config: { ...defaults, ...config }, sealedSecret, epoch: '0' };
}
async function check(row: SnapshotMethod, username: string, password = RIGHT_PASSWORD) {
  await query({
    text: `insert into auth_methods (id, type, name, epoch) values ($1, 'external', $1, 0) on conflict do nothing`,
    values: [row.id],
  });
  const verdict = await authMethodOf(row).verifyPassword?.(username, typed(password), asStranger);
  if (!verdict) throw new Error('the external method checks passwords');
  return verdict;
}
const peopleCount = async () => (await query({ text: 'select 1 from people', values: [] })).length;

test('the verifier receives a JSON POST with the unchanged password', async () => {
  const password = '  pä$$ "wörd" 🔑 ';
  expect(await check(method('campus'), 'ada', password)).toEqual({ kind: 'refused' });
  const [call] = verifier.calls;
  expect([call?.method, call?.url]).toEqual(['POST', '/verify']);
  expect(call?.headers).toMatchObject({
    authorization: `Bearer ${VERIFY_TOKEN}`,
    'content-type': 'application/json',
  });
  expect(JSON.parse(call?.body ?? '')).toEqual({ username: 'ada', password });
});

test('PW-12: accepted sign-ins with one name return one person, separate from a local user with that address', async () => {
  await query({ text: "insert into people (email) values ('ada@campus.example')", values: [] });
  const first = await check(method('campus'), 'ada');
  expect(first.kind).toBe('identity');
  expect(await check(method('campus'), 'ada')).toEqual(first);
  expect(await check(method('other'), 'ada')).not.toEqual(first);
  const [row] = await query<{ people: number }>({
    text: "select count(*)::int as people from people where email = 'ada@campus.example'",
    values: [],
  });
  expect(row?.people).toBe(1);
});

test('a disabled person receives the same result as a wrong password', async () => {
  const verdict = await check(method('campus'), 'dave');
  if (verdict.kind !== 'identity') throw new Error('dave is right at first');
  await query({
    text: 'update people set disabled_at = now() where id = $1::uuid',
    values: [verdict.personId],
  });
  expect(await check(method('campus'), 'dave')).toEqual({ kind: 'refused' });
});

test.each(Object.keys(REFUSED))('PW-12: a verifier response "%s" rejects the sign-in', async (username) => {
  const before = await peopleCount();
  expect(await check(method(username), username)).toEqual({ kind: 'refused' });
  expect(await peopleCount()).toBe(before);
});

test.each(Object.keys(UNAVAILABLE))(
  'PW-12, SR-02, SR-04, SR-05: a verifier response "%s" signs nobody in',
  async (username) => {
    const before = await peopleCount();
    // a separate method for each case, because failures in other cases could open the circuit breaker of a
    // shared method
    const hasty = ['slow', 'trickle'].includes(username) ? { timeout_ms: 300 } : {};
    expect(await check(method(username, hasty), username)).toEqual({ kind: 'unavailable' });
    expect(verifier.calls.map(({ url }) => url)).toEqual(['/verify']);
    expect(await peopleCount()).toBe(before);
  },
);

test('if the verifier is unreachable, sign-in is unavailable, and five failed calls open the breaker, which pauses calls', async () => {
  const gone = await startVerifier();
  const row = method('leaving', { verify_url: gone.url });
  expect((await check(row, 'ada')).kind).toBe('identity');
  await gone.close();
  for (let i = 0; i < 5; i++) expect(await check(row, 'ada')).toEqual({ kind: 'unavailable' });
  const back = await startVerifier({ port: gone.port });
  expect(await check(row, 'ada')).toEqual({ kind: 'unavailable' });
  expect(back.calls).toEqual([]);
  await back.close();
});

test.each(['too-large', 'redirects', 'endless', 'bad-gzip'])(
  'repeated "%s" responses of the verifier for one person leave the sign-in available for other people',
  async (username) => {
    const row = method(`shared-${username}`);
    for (let i = 0; i < 6; i++) expect(await check(row, username)).toEqual({ kind: 'unavailable' });
    expect((await check(row, 'ada')).kind).toBe('identity');
  },
);

test('SR-03: without allow_private_network an address of this machine is never called', async () => {
  for (const verify_url of [
    verifier.url,
    verifier.url.replace('http:', 'https:'),
    'https://localhost/verify',
  ]) {
    const row = method('strict', { verify_url, allow_private_network: false });
    expect(await check(row, 'ada')).toEqual({ kind: 'unavailable' });
  }
  expect(verifier.calls).toEqual([]);
});

test('if the verifier’s token cannot be decrypted, the sign-in is unavailable, and the token is not sent', async () => {
  const row = { ...method('campus'), sealedSecret: 'v1.xxxxxx.AAAA.AAAA' };
  expect(await check(row, 'ada')).toEqual({ kind: 'unavailable' });
  expect(verifier.calls).toEqual([]);
});

test('no database connection is held during a call to the verifier', async () => {
  const pending = Array.from({ length: 30 }, () => check(method('thinking'), 'slow'));
  await expect.poll(() => verifier.calls.length).toBe(30);
  const [row] = await query({ text: 'select 1 as one', values: [] });
  expect(row).toEqual({ one: 1 });
  expect(new Set((await Promise.all(pending)).map(({ kind }) => kind))).toEqual(new Set(['unavailable']));
});
