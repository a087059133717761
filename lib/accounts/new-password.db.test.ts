// Limits on the work that anonymous people can cause: every hash of a new password, and every call to
// PASSWORD_RANGE_URL, is counted in advance.
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { resetPassword } from '#lib/management/mail-links.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { givenPerson, resetToken, sql } from '#testing/data/registry.ts';
import { givenFixtures } from '#testing/in-process/in-process.ts';
import {
  NEW_PASSWORD,
  newAddress,
  nobodyWaits,
  proved,
  registration,
} from '#testing/in-process/registering.ts';
import { Visitor } from '#testing/in-process/visitor.ts';
import { listen } from '#testing/net/listen.ts';
import { finishRegistration } from './registration.ts';

const hashed = vi.hoisted(() => ({ count: 0 }));
vi.mock('#lib/kit/password-hash.ts', async (original) => {
  const kit = await original<typeof import('#lib/kit/password-hash.ts')>();
  const hashPassword = (password: Parameters<typeof kit.hashPassword>[0]) => {
    hashed.count += 1;
    return kit.hashPassword(password);
  };
  return { ...kit, hashPassword };
});

beforeAll(givenFixtures);
beforeEach(async () => {
  await nobodyWaits();
  hashed.count = 0;
});

/** Creates a registration with a verified address at the local method of the fixtures. */
async function given({ email = newAddress(), kind = 'asked' } = {}): Promise<string> {
  const handle = randomUUID();
  await sql(
    `insert into person_registrations (auth_method_id, email, kind, state, handle_hash, expires_at)
     values ('pw', $1, $2, 'proved', sha256($3::text::bytea), now() + interval '10 minutes')`,
    [email, kind, handle],
  );
  return handle;
}

const finish = async (handle: string, { ip = '192.0.2.1', password = NEW_PASSWORD, invited = false } = {}) =>
  (
    await finishRegistration({
      ...{ handle, name: '', password, ip, requestId: 'r' },
      ...(invited && { invited: true }),
    })
  ).kind;
const atOnce = (times: number, work: () => Promise<string>) =>
  Promise.all(Array.from({ length: times }, work));
const left = async () =>
  (await sql("select from person_registrations where state = 'proved' and kind <> 'waiting'")).length;

test('of two confirmed registrations of one address, one waits for approval, and the second ends without password hashing', async () => {
  const email = newAddress();
  const first = await proved(email);
  await sql('delete from attempts');
  const second = await proved(email);
  await first.visitor.submit(first.at, { name: '', password: NEW_PASSWORD });
  expect(hashed.count).toBe(1);
  const copies = Array.from({ length: 40 }, () => new Visitor(second.visitor.jar.copy()));
  await Promise.all(copies.map((copy) => copy.post(second.at, { name: '', password: NEW_PASSWORD })));
  expect(hashed.count).toBe(1);
  expect(await left()).toBe(0);
});

test.each([
  ['taken', async (email: string) => sql('insert into people (email) values ($1)', [email])],
  [
    'full',
    async () =>
      sql(`insert into person_registrations (auth_method_id, email, kind, state, handle_hash, password_hash, expires_at)
        select 'pw', 'f' || n || '@example.com', 'waiting', 'proved', sha256(n::text::bytea), 'x', now() + interval '1 day'
        from generate_series(1, 1000) n`),
  ],
] as const)('the password of a registration that is rejected as %s is never hashed', async (how, prepare) => {
  const email = newAddress();
  const handle = await given({ email });
  await prepare(email);
  expect([await finish(handle), await finish(handle)]).toEqual([how, 'gone']);
  expect([hashed.count, await left()]).toEqual([0, 0]);
});

test('above 20 waiting registrations from one IP address, further registrations are rejected before password hashing', async () => {
  for (let n = 0; n < 20; n += 1) expect(await finish(await given())).toBe('waits');
  const handle = await given();
  expect(await finish(handle)).toBe('slow-down');
  expect(hashed.count).toBe(20);
  expect(await finish(handle, { ip: '192.0.2.2' })).toBe('waits');
});

test.each([
  ['registration', 'asked'],
  ['invitation', 'invited'],
])(
  'sixty parallel forms with one %s link create one account and cause at most ten extra hashes',
  async (_, kind) => {
    await registration('open');
    const handle = await given({ kind });
    const ends = await atOnce(60, () => finish(handle, { invited: kind === 'invited' }));
    expect(ends.filter((end) => end === 'made')).toHaveLength(1);
    // an attempt that stores its password is no longer counted, so 10 attempts and one more are possible
    expect(hashed.count).toBeLessThanOrEqual(10 + 1);
  },
);

test('sixty parallel forms with one reset link set one new password and cause at most ten extra hashes', async () => {
  const name = `reset-${randomUUID()}`;
  await givenPerson(name);
  const token = await resetToken(`${name}@example.com`);
  hashed.count = 0;
  const use = () =>
    resetPassword({ token, password: NEW_PASSWORD, ip: null, requestId: 'r' }).then(
      () => 'set',
      ({ kind }: { kind: string }) => kind,
    );
  const ends = await atOnce(60, use);
  expect(ends.filter((end) => end === 'set')).toHaveLength(1);
  expect(ends.every((end) => ['set', 'not-found', 'slow-down'].includes(end))).toBe(true);
  // an attempt that stores its password is no longer counted, so 10 attempts and one more are possible
  expect(hashed.count).toBeLessThanOrEqual(10 + 1);
});

test('forms with one valid link that store no password cause at most ten outgoing calls, and a too short password causes none', async () => {
  let calls = 0;
  const server = await listen(
    http.createServer((_, response) => {
      calls += 1;
      response.writeHead(500).end();
    }),
  );
  loadSettings({ ...process.env, PASSWORD_RANGE_URL: `${server.url}/range/` });
  try {
    await registration('open');
    const handle = await given();
    expect(await atOnce(20, () => finish(handle, { password: 'short' }))).toEqual(Array(20).fill('faulty'));
    expect(calls).toBe(0);
    await atOnce(30, () => finish(handle));
    // an attempt that stores its password is no longer counted, so 10 attempts and one more are possible
    expect(calls).toBeLessThanOrEqual(10 + 1);
  } finally {
    loadSettings();
    await server.close();
  }
});

test('after 60 forms that store no password, an IP address must wait 15 minutes, and other IP addresses need not', async () => {
  await registration('open');
  expect(await finish(await given())).toBe('made');
  await sql("update attempts set count = 60, failed = 60 where key like '3address:%'");
  hashed.count = 0;
  expect(await finish(await given())).toBe('slow-down');
  expect(hashed.count).toBe(0);
  expect(await finish(await given(), { ip: '192.0.2.77' })).toBe('made');
});
