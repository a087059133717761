// Passwords of users without a local password are verified by their former service. The test server can accept,
// reject, delay, flood, redirect or disconnect.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { authMethodOf } from '#lib/auth-methods/auth-method.ts';
import { changeAuthMethod } from '#lib/catalogue/methods/operations.ts';
import { now, shiftClock } from '#lib/kit/clock.ts';
import { setLogLevel } from '#lib/kit/log.ts';
import { hashPassword, verifyNobody } from '#lib/kit/password-hash.ts';
import { seal } from '#lib/kit/seal.ts';
import { listDevelopmentMail, settleNotices } from '#lib/mail/send.ts';
import { methodSteps } from '#lib/management/connections.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { settings } from '#lib/settings/settings.ts';
import { currentSnapshot, type SnapshotMethod } from '#lib/store/snapshot.ts';
import {
  REFUSED,
  RIGHT_PASSWORD,
  startVerifier,
  UNAVAILABLE,
  VERIFY_TOKEN,
  type Verifier,
} from '#testing/brokers/verifier.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, givenFixtures, jsonOf } from '#testing/in-process/in-process.ts';
import { carrierWith } from '#testing/in-process/owed-password.ts';
import { asStranger, typed } from '#testing/in-process/typed.ts';
import { Visitor } from '#testing/in-process/visitor.ts';
import { signInByPassword } from './steps.ts';

const TOMORROW = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
const WAIT_MS = 2_000;
const MANY_METHODS = [...Object.keys(UNAVAILABLE), ...Object.keys(REFUSED)].map((_, index) => `m${index}`);
let verifier: Verifier;

beforeAll(async () => {
  setLogLevel('silent');
  await givenFixtures();
  verifier = await startVerifier();
  // each method has a separate circuit breaker
  const ids = [...MANY_METHODS, 'quiet', 'reset', 'disabled', 'ended'];
  await sql(
    "insert into auth_methods (id, type, name, position) select id, 'local', id, 100 from unnest($1::text[]) id",
    [ids],
  );
});
afterAll(() => verifier.close());
beforeEach(async () => {
  verifier.calls.length = 0;
  await sql("delete from people where username is not null or email like '%@campus.example'");
  await sql('delete from attempts');
});
afterEach(() => shiftClock(0));

/** `id`: each method has a separate circuit breaker. */
function method(id = 'pw', former: object = {}): SnapshotMethod {
  const config = {
    former: { verify_url: verifier.url, until: TOMORROW, timeout_ms: WAIT_MS, ...former },
  };
  Object.assign(config.former, { allow_private_network: true });
  const sealedSecret = seal(VERIFY_TOKEN, `auth_methods:${id}`, settings().secrets);
  return { id, type: 'local', name: id, config, sealedSecret, epoch: '0' };
}

async function person(
  username: string,
  over: { email?: string; hash?: string; run?: string | null; roles?: string[] } = {},
): Promise<string> {
  const [row] = await sql<{ id: string }>(
    `insert into people (username, email, name, password_hash, import_run, roles) values ($1, $2, $1, $3, $4, $5)
     returning id`,
    [
      username,
      over.email ?? null,
      over.hash ?? null,
      over.run === undefined ? 'run' : over.run,
      over.roles ?? [],
    ],
  );
  return row?.id ?? '';
}
const kept = async (id: string) =>
  (await sql<{ hash: string | null }>('select password_hash as hash from people where id = $1', [id]))[0]
    ?.hash;
const check = (row: SnapshotMethod, username: string, password = RIGHT_PASSWORD) =>
  authMethodOf(row).verifyPassword?.(username, typed(password), asStranger);

async function timed<Result>(sign: () => Promise<Result>) {
  const began = performance.now();
  const result = await sign();
  // timers may fire a millisecond early
  return { ...result, inStep: performance.now() - began > WAIT_MS + 490 };
}

/** Checks several names in parallel, because each response waits until the end of an interval. */
const each = (row: (index: number) => SnapshotMethod, names: readonly string[]) =>
  Promise.all(
    names.map(async (name, index) => ({ name, ...(await timed(async () => check(row(index), name))) })),
  );

test('a correct password calls the former service once, with the configured token, and stores a local hash', async () => {
  const id = await person('ada');
  const row = method();
  await sql(
    `insert into mail_tokens (token_hash, purpose, person_id, email, expires_at)
     select sha256(p::bytea), p, $1, 'ada@campus.example', now() + interval '1 hour'
     from unnest('{password-reset,verify-email}'::text[]) p`,
    [id],
  );
  const epoch = () => sql('select epoch, password_changed_at from people where id = $1', [id]);
  const before = await epoch();
  expect(await check(row, 'ada', 'wrong')).toEqual({ kind: 'refused' });
  expect(await kept(id)).toBeNull();
  expect(await check(row, 'Ada')).toMatchObject({ kind: 'identity', personId: id });
  expect(verifier.calls.map(({ body }) => JSON.parse(body))).toEqual([
    { username: 'ada', password: 'wrong' },
    { username: 'Ada', password: RIGHT_PASSWORD },
  ]);
  expect(verifier.calls[0]?.headers['authorization']).toBe(`Bearer ${VERIFY_TOKEN}`);
  expect(await kept(id)).toMatch(/^\$argon2id\$/);
  verifier.calls.length = 0;
  expect(await check(row, 'ada')).toMatchObject({ kind: 'identity', personId: id });
  expect(await check(row, 'ada', 'wrong')).toEqual({ kind: 'refused' });
  expect(verifier.calls).toEqual([]);
  expect(
    await sql('select event, actor, auth_method_id from audit_events where person_id = $1', [id]),
  ).toEqual([{ event: 'person.password_set', actor: 'system', auth_method_id: 'pw' }]);
  // links in mails are revoked, but imported tokens stay valid
  expect(await sql('select purpose from mail_tokens where person_id = $1', [id])).toEqual([]);
  expect(await epoch()).toEqual(before);
});

test('the former service is never called for a user with a role or a user created in Gatehouse', async () => {
  await person('carla', { email: 'carla@campus.example', run: null });
  await person('adam', { roles: ['administrator'] });
  await person('dev', { roles: ['developer'] });
  const row = method();
  const names = ['carla', 'adam', 'dev'];
  expect(await each(() => row, names)).toEqual(
    names.map((name) => ({ name, kind: 'refused', inStep: true })),
  );
  expect(verifier.calls).toEqual([]);
  // a role that was granted during the call to the former service is effective, too
  const id = await person('reset');
  const granting = await startVerifier({
    more: async () => {
      await sql("update people set roles = '{approver}' where id = $1", [id]);
      return {};
    },
  });
  expect(await check(method('reset', { verify_url: granting.url }), 'reset')).toEqual({ kind: 'refused' });
  expect(await kept(id)).toBeNull();
  granting.close();
});

test('a user whose password the former service confirmed for the first time receives one mail', async () => {
  await person('mia', { email: 'mia@campus.example' });
  const sign = async () => {
    const start = async () => ({ cookie: 'session', idHash: Buffer.of() });
    const attempt = { method: method(), username: 'mia', password: RIGHT_PASSWORD };
    return signInByPassword(carrierWith({ start }), attempt);
  };
  expect(await sign()).toMatchObject({ kind: 'signed-in' });
  expect(await sign()).toMatchObject({ kind: 'signed-in' });
  await settleNotices();
  const mails = await listDevelopmentMail({ fromThisMachine: true });
  expect(mails?.filter(({ to }) => to === 'mia@campus.example').map(({ subject }) => subject)).toEqual([
    expect.stringContaining('earlier account'),
  ]);
});

test('a 4xx response of the former service without a verdict is a rejection, and a full queue fails every sign-in in the same way', async () => {
  await person('plain-400');
  expect(await check(method('m0'), 'plain-400')).toEqual({ kind: 'refused' });
  verifier.calls.length = 0;
  await person('queued');
  let isOver = false;
  const others = Array.from({ length: 200 }, async () => {
    while (!isOver) await verifyNobody(typed('x')).catch(() => sleep(1));
  });
  const full = [check(method(), 'queued'), check(method(), 'nobody-here')].map((one) =>
    one?.then(
      () => 'checked',
      (error: Error) => error.name,
    ),
  );
  expect(await Promise.all(full)).toEqual(['PasswordHashBusy', 'PasswordHashBusy']);
  expect(verifier.calls).toEqual([]);
  isOver = true;
  await Promise.all(others);
});

test('the former service is not called for unknown or disabled users, for users with a local password, and after its last day', async () => {
  const disabled = await person('dora');
  await sql('update people set disabled_at = now() where id = $1', [disabled]);
  await person('hal', { hash: await hashPassword(typed('another one')) });
  await person('eve');
  const row = method();
  const names = ['dora', 'hal', 'nobody-here', 'a\u0000b'];
  expect(await each(() => row, names)).toEqual(
    names.map((name) => ({ name, kind: 'refused', inStep: true })),
  );
  expect(await check(row, 'eve', '')).toEqual({ kind: 'refused' });
  expect(await check(method('pw', { until: '2026-01-31' }), 'eve')).toEqual({ kind: 'refused' });
  shiftClock(Date.parse(TOMORROW) + 86_400_000 - now().getTime() + 1_000);
  expect(await check(row, 'eve')).toEqual({ kind: 'refused' });
  expect(verifier.calls).toEqual([]);
});

test('an invalid response of the former service signs no user in and stores nothing, and the sign-in takes the usual time', async () => {
  const names = [...Object.keys(UNAVAILABLE), ...Object.keys(REFUSED)];
  for (const name of names) await person(name);
  // a separate method for each name, because consecutive failures open a breaker
  const found = await each((index) => method(`m${index}`), names);
  expect(found).toEqual(
    names.map((name) => ({
      name,
      kind: name in UNAVAILABLE && name !== 'plain-400' ? 'unavailable' : 'refused',
      inStep: true,
    })),
  );
  expect(await sql('select 1 from people where username is not null and password_hash is not null')).toEqual(
    [],
  );
});

test('former service: responses that describe a different user are rejected', async () => {
  const id = await person('otto', { email: 'otto@elsewhere.example' });
  expect(await check(method(), 'otto')).toEqual({ kind: 'refused' });
  expect(await kept(id)).toBeNull();
  await sql("update people set subject = 'sub of otto' where id = $1", [id]);
  expect(await check(method(), 'otto')).toMatchObject({ kind: 'identity', personId: id });
  // another subject is rejected, even if the address is the same
  const silent = await startVerifier({ more: () => ({ email: undefined }) });
  const people = { vera: {}, bob: {}, olga: { email: 'olga@campus.example' }, uwe: {} };
  for (const [name, over] of Object.entries(people)) await person(name, over);
  await sql("update people set subject = 'sub of ' || username where username = 'bob'");
  await sql("update people set subject = 'not of ' || username where username in ('vera', 'olga')");
  const quiet = method('quiet', { verify_url: silent.url });
  const kinds = (row: SnapshotMethod, names: readonly string[]) =>
    Promise.all(names.map(async (name) => `${name} ${(await check(row, name))?.kind}`));
  expect(await Promise.all([kinds(quiet, ['vera', 'olga', 'Bob']), kinds(method(), ['vera'])])).toEqual([
    ['vera refused', 'olga refused', 'Bob refused'],
    ['vera refused'],
  ]);
  expect(await kinds(quiet, ['uwe', 'bob'])).toEqual(['uwe identity', 'bob identity']);
  expect(await kinds(method(), ['olga'])).toEqual(['olga refused']);
  // a person of another import, whose address somebody entered at this former service
  const other = await person('zoe', { email: 'zoe@campus.example', run: 'another run' });
  await sql("update people set subject = 'zoe of another service' where id = $1", [other]);
  expect(await kinds(method(), ['zoe', 'zoe@campus.example'])).toEqual([
    'zoe refused',
    'zoe@campus.example refused',
  ]);
  expect(await kept(other)).toBeNull();
  silent.close();
});

test('concurrent sign-ins through the former service store one password, and every sign-in succeeds', async () => {
  await person('both');
  const row = method();
  const verdicts = await Promise.all(Array.from({ length: 4 }, () => check(row, 'both')));
  expect(verdicts.map((verdict) => verdict?.kind)).toEqual(['identity', 'identity', 'identity', 'identity']);
});

test('a change of the user during the call to the former service takes effect', async () => {
  const changes = {
    reset: `password_hash = '${await hashPassword(typed('chosen meanwhile'))}'`,
    disabled: 'disabled_at = now()',
    ended: 'epoch = next_epoch()',
  };
  const outcomes = Object.entries(changes).map(async ([name, change]) => {
    const id = await person(name);
    // the service responds after the user was changed
    const answering = await startVerifier({
      more: async () => {
        await sql(`update people set ${change} where id = $1`, [id]);
        return {};
      },
    });
    const verdict = await check(method(name, { verify_url: answering.url }), name);
    answering.close();
    return [name, verdict, (await kept(id)) !== null];
  });
  expect(await Promise.all(outcomes)).toEqual([
    ['reset', { kind: 'refused' }, true],
    ['disabled', { kind: 'refused' }, false],
    ['ended', { kind: 'refused' }, false],
  ]);
  const row = method();
  expect(await check(row, 'reset', 'chosen meanwhile')).toMatchObject({ kind: 'identity' });
});

test('the page and the password grant sign users in through the former service, with password flag, limits and end date', async () => {
  const { config } = method();
  await changeAuthMethod(OPERATOR, { id: 'pw', config, secret: VERIFY_TOKEN });
  await currentSnapshot();
  const [carl, mona] = [await person('carl'), await person('mona')];
  await sql('update people set must_change_password = true where id = $1', [mona]);
  const who = (username: string, password = RIGHT_PASSWORD) => ({ username, password });
  expect((await new Visitor().signIn(who('carl'))).page).toBe('client');
  expect((await new Visitor().signIn(who('mona'))).page).toBe('new-password');
  expect(await kept(carl)).toMatch(/^\$argon2id\$/);
  await person('nina');
  const grant = async (password: string) => {
    const client = { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures', grant_type: 'password' };
    return ask('/auth/pw/api/orders/token', { form: { ...client, ...who('nina', password) } });
  };
  expect(jsonOf(await grant('wrong'))['error']).toBe('invalid_grant');
  expect((await grant(RIGHT_PASSWORD)).status).toBe(200);
  // if a correct password is rejected, the response takes as long as for a wrong password
  const row = (await currentSnapshot()).methods.get('pw') ?? method();
  const sign = async () => signInByPassword(carrierWith({}), { method: row, ...who('carl') });
  await sql("update people set factor_level = 2 where username = 'nina'");
  expect(await Promise.all([timed(sign), timed(() => grant(RIGHT_PASSWORD))])).toMatchObject([
    { kind: 'refused', inStep: true },
    { status: 400, inStep: true },
  ]);
  await person('slow');
  const client = { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures', grant_type: 'password' };
  const form = { ...client, ...who('slow') };
  expect((await ask('/auth/pw/api/orders/token', { form })).status).toBe(503);
  // a guess is counted before the call
  await person('many');
  await sql('delete from attempts');
  verifier.calls.length = 0;
  await Promise.all(Array.from({ length: 15 }, () => new Visitor().signIn(who('many', 'wrong'))));
  expect(verifier.calls.length).toBeLessThanOrEqual(10);
  const past = { former: { ...(config['former'] as object), until: '2026-01-31' } };
  const changed = await changeAuthMethod(OPERATOR, { id: 'pw', config: past });
  expect(changed.hasSecret).toBe(true);
  await currentSnapshot();
  expect(
    (await methodSteps((await currentSnapshot()).methods.get('pw') as never, 'by the doctor')).at(-1),
  ).toMatchObject({
    state: 'warning',
    found: { values: { until: '2026-01-31' } },
  });
  await expect(changeAuthMethod(OPERATOR, { id: 'pw', config: {}, secret: 'x' })).rejects.toMatchObject({
    faults: [{ field: 'config.former' }],
  });
  expect((await changeAuthMethod(OPERATOR, { id: 'pw', config: {} })).hasSecret).toBe(false);
}, 60_000);
