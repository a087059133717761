// Rotation of GATEHOUSE_SECRET on a running service, following docs/reference/settings.md.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { authMethodOf } from '#lib/auth-methods/auth-method.ts';
import { currentKey, subjectSalt } from '#lib/keys/keys.ts';
import { setLogLevel } from '#lib/kit/log.ts';
import { processWide } from '#lib/kit/process.ts';
import { seal } from '#lib/kit/seal.ts';
import { readSessionHash, startSession } from '#lib/sessions/sign-in.ts';
import { loadSettings, settings } from '#lib/settings/settings.ts';
import { openPepper, sealPepper } from '#lib/store/hot/credentials.ts';
import { findOrCreateIdentity } from '#lib/store/hot/person-facts.ts';
import { query } from '#lib/store/pool.ts';
import { openFromRow } from '#lib/store/sealed.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { RIGHT_PASSWORD, startVerifier, type Verifier } from '#testing/brokers/verifier.ts';
import { UNDESCRIBED } from '#testing/data/registry.ts';
import { asStranger, typed } from '#testing/in-process/typed.ts';
import { gatehouse } from '#testing/service/service.ts';
import { examine } from './doctor.ts';
import { resealStored } from './keys.ts';

const [older, newer] = [0, 1].map(() => randomBytes(32).toString('base64url')) as [string, string];
/** Simulates that a process starts with these secrets: clears the keys in the cache. */
function restart(secrets: string): void {
  loadSettings({ ...process.env, GATEHOUSE_SECRET: secrets });
  processWide('keys').value = undefined;
  processWide('subject-salt').value = undefined;
}
/** Number of users with an authenticator app, more than a batch. The TOTP secret of each user equals their id. */
const APPS = 501;
const appsThatOpen = async () => {
  const apps = await query<{ id: string; sealed: string }>({
    text: 'select person_id as id, sealed_secret as sealed from totp_secrets',
    values: [],
  });
  return apps.filter(({ id, sealed }) => openFromRow('totp_secrets', id, sealed) === id).length;
};
async function givenApps(): Promise<void> {
  const people = await query<{ id: string }>({
    text: 'insert into people (name) select n::text from generate_series(1, $1) n returning id',
    values: [APPS],
  });
  const ids = people.map(({ id }) => id);
  const sealed = ids.map((id) => seal(id, `totp_secrets:${id}`, settings().secrets));
  await query({
    text: 'insert into totp_secrets (person_id, sealed_secret, last_step) select *, 0 from unnest($1::uuid[], $2::text[])',
    values: [ids, sealed],
  });
}
const kid = async () => (await currentKey('ES256', await currentSnapshot())).kid;
const salt = async () => (await subjectSalt(await currentSnapshot())).toString('hex');
const oldSeals = async () =>
  (await examine()).find(({ check }) => check === 'sealed values') ?? 'nothing is said about sealed values';

let verifier: Verifier;
beforeAll(async () => {
  setLogLevel('silent');
  restart(older);
  verifier = await startVerifier();
  await query({
    text: `insert into auth_methods (id, type, name, config, sealed_secret) values ('campus', 'external', 'Campus', $1, $2)`,
    values: [
      JSON.stringify({ verify_url: verifier.url, allow_private_network: true }),
      seal('fixture-verify-token', 'auth_methods:campus', settings().secrets),
    ],
  });
});
afterAll(() => verifier.close());

async function signIn() {
  const method = (await currentSnapshot()).methods.get('campus');
  return method && authMethodOf(method).verifyPassword?.('ada', typed(RIGHT_PASSWORD), asStranger);
}

test('after GATEHOUSE_SECRET gets a new first value, keys reseal reseals everything, and the old value can be removed', async () => {
  await givenApps();
  const signing = await kid();
  const salted = await salt();
  const methodEpoch = (await currentSnapshot()).methods.get('campus')?.epoch ?? '';
  const person = await findOrCreateIdentity({
    authMethodId: 'campus',
    methodEpoch,
    subject: 'u-1',
    ...UNDESCRIBED,
  });
  if (!person) throw new Error('the method knows nobody');
  const session = await startSession({
    cookieHeader: undefined,
    authMethodId: 'campus',
    ...person,
    methodEpoch,
    ip: null,
    userAgent: null,
    requestId: 'test',
  });
  const cookieHeader = session?.cookie.split(';')[0];

  restart(`${newer},${older}`);
  expect(await oldSeals()).toMatchObject({
    state: 'warning',
    detail: expect.stringMatching(new RegExp(`^${3 + APPS} with an older`)),
  });
  // three instances at the same time: exactly one seals each value again
  const counts = await Promise.all([resealStored(), resealStored(), resealStored()]);
  expect(counts.reduce((sum, count) => sum + count)).toBe(3 + APPS);
  expect(await resealStored()).toBe(0);
  expect(await oldSeals()).toMatchObject({ state: 'ok' });
  expect(await readSessionHash(cookieHeader, 'campus')).toEqual(session?.idHash);

  restart(newer);
  expect(await kid()).toBe(signing);
  expect(await salt()).toBe(salted);
  expect(await appsThatOpen()).toBe(APPS);
  expect(await signIn()).toMatchObject({ kind: 'identity' });
});

test('values sealed with an unknown secret remain unchanged, and doctor reports them', async () => {
  restart(older);
  expect(await resealStored()).toBe(0);
  await expect(kid()).rejects.toThrow('another GATEHOUSE_SECRET');
  await expect(salt()).rejects.toThrow('another GATEHOUSE_SECRET');
  expect((await signIn())?.kind).toBe('unavailable');
  expect(await appsThatOpen()).toBe(0);
  const broken = (await examine()).filter(({ state }) => state === 'broken').map(({ check }) => check);
  expect(broken).toEqual(['keys', 'pairwise subjects', 'one-time codes', 'external campus']);
  restart(newer);
  expect((await signIn())?.kind).toBe('identity');
});

test('`keys reseal` reseals every pepper of the hashes, and leaves unreadable values unchanged', async () => {
  restart(older);
  const plain = '$bcrypt-pepper$2b$04$maPhkj3oNbmb4uhN5tIofO3nv4qTMCtWeIbh6VG2aztAb0ZQ/Ak9K$cGVwcGVy';
  const people = await query<{ id: string }>({
    text: "insert into people (name) select 'peppered' from generate_series(1, 2501) returning id",
    values: [],
  });
  const ids = people.map(({ id }) => id);
  // the first 501 users (more than a batch) get the hash of the next user, which cannot be opened, because a hash is
  // bound to its user
  ids.sort();
  const hashes = ids.map((id, n) => sealPepper(n <= 500 ? (ids[n + 1] ?? '') : id, plain));
  await query({
    text: `update people p set password_hash = given.hash
      from unnest($1::uuid[], $2::text[]) as given (id, hash) where p.id = given.id`,
    values: [ids, hashes],
  });
  const opening = async () => {
    const rows = await query<{ id: string; hash: string }>({
      text: "select id, password_hash as hash from people where name = 'peppered'",
      values: [],
    });
    return rows.filter(({ id, hash }) => openPepper(id, hash) === plain).length;
  };
  expect(await opening()).toBe(2000);
  restart(`${newer},${older}`);
  expect(await oldSeals()).toMatchObject({
    state: 'warning',
    detail: expect.stringMatching(/^2501 with an older/),
  });
  gatehouse({ ...process.env, GATEHOUSE_SECRET: `${newer},${older}` }, 'keys', 'reseal');
  restart(newer);
  expect(await opening()).toBe(2000);
  expect(await examine()).toContainEqual({
    check: 'peppers',
    state: 'broken',
    detail: '501 kept passwords sealed with another GATEHOUSE_SECRET',
  });
});
