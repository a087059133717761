// Raising the level of a session by a second proof: what stays, what ends, and concurrent requests.
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { endSessionsOf } from '#lib/catalogue/people/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { database } from '#lib/store/prisma.ts';
import { endPersonSessions, endSessionRow } from '#lib/store/session-list.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, givenFixtures } from '#testing/in-process/in-process.ts';
import { openIdCode, openIdTokens, redeemFor, signInTo } from '#testing/in-process/openid.ts';
import { raiseConsoleSession, readConsoleActor, startConsoleSession } from './console.ts';
import { endAllSessions, raiseSession, readSessionHash } from './sign-in.ts';

const TOTP = { kind: 'totp', level: 2, amr: ['otp'] } as const;
const TRU = { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures' };
const context = () => ({ ip: '192.0.2.1', userAgent: 'Browser', requestId: randomUUID() });

let personId: string;
let cookie: string;

beforeAll(givenFixtures);
beforeEach(async () => {
  await sql('update people set disabled_at = null');
  ({ personId, cookie } = await signInTo('alice@example.com'));
});

const raise = (over: Partial<Parameters<typeof raiseSession>[0]> = {}) =>
  raiseSession({ cookieHeader: cookie, authMethodId: 'pw', personId, proof: TOTP, ...context(), ...over });

const cookieOf = (raised: Awaited<ReturnType<typeof raise>>) => {
  if (!raised) throw new Error('not raised');
  return raised.cookies.map((line) => line.split(';')[0]).join('; ');
};

type Row = {
  ended: boolean;
  sid: string;
  amr: string[];
  acr_level: number;
  auth_time: Date;
  expires_at: Date;
};
const rowOf = async (cookieHeader: string) =>
  (
    await sql<Row>('select *, ended_at is not null as ended from sessions where id_hash = $1', [
      await readSessionHash(cookieHeader, 'pw'),
    ])
  )[0];

const living = async (of = personId) =>
  (
    await sql(
      `select 1 from sessions s join people p on p.id = s.person_id
       where p.id = $1 and s.ended_at is null and s.person_epoch = p.epoch and p.disabled_at is null`,
      [of],
    )
  ).length;

test('a session whose level is raised gets a new id, keeps sid, auth time and expiry, and the old id ends', async () => {
  const before = await rowOf(cookie);
  const raised = await raise();
  const now = cookieOf(raised);
  expect(await rowOf(cookie)).toMatchObject({ ended: true, acr_level: 1 });
  expect(await rowOf(now)).toMatchObject({
    ended: false,
    acr_level: 2,
    amr: ['pwd', 'otp', 'mfa'],
    sid: before?.sid,
    auth_time: before?.auth_time,
    expires_at: before?.expires_at,
  });
  const passkey = { kind: 'passkey', level: 3, amr: ['swk', 'user', 'mfa'] } as const;
  const third = cookieOf(await raise({ cookieHeader: now, proof: passkey }));
  expect(await rowOf(third)).toMatchObject({ acr_level: 3, amr: ['pwd', 'otp', 'mfa', 'swk', 'user'] });
  const back = cookieOf(await raise({ cookieHeader: third }));
  expect(await rowOf(back)).toMatchObject({ acr_level: 3 });
  expect(
    await sql(
      `select details from audit_events where event = 'sign_in.confirmed' and person_id = $1 order by at`,
      [personId],
    ),
  ).toMatchObject([
    { details: { factor: 'totp', level: 2 } },
    { details: { factor: 'passkey', level: 3 } },
    { details: { factor: 'totp', level: 3 } },
  ]);
});

test('fifty simultaneous proofs raise the level of a session once', async () => {
  await sql('delete from sessions');
  ({ cookie } = await signInTo('alice@example.com'));
  const raised = await Promise.all(Array.from({ length: 50 }, () => raise()));
  expect(raised.filter((one) => one !== null)).toHaveLength(1);
  expect(await living()).toBe(1);
});

test('the level of an ended session, or of another user’s or method’s session, cannot be raised', async () => {
  const { personId: bob } = await signInTo('bob@example.com');
  expect(await raise({ personId: bob })).toBeNull();
  expect(await raise({ authMethodId: 'ext' })).toBeNull();
  await sql('update people set disabled_at = now() where id = $1', [personId]);
  expect(await raise()).toBeNull();
  await sql('update people set disabled_at = null where id = $1', [personId]);
  await endSessionsOf(OPERATOR, { personId });
  expect(await raise()).toBeNull();
  ({ cookie } = await signInTo('alice@example.com'));
  await endAllSessions(cookie, context());
  expect(await raise()).toBeNull();
  expect(await raise({ cookieHeader: undefined })).toBeNull();
});

test('a sign-out while the level of a session is raised leaves no active session', async () => {
  for (let round = 0; round < 20; round += 1) {
    await sql('delete from sessions');
    ({ cookie } = await signInTo('alice@example.com'));
    await Promise.all([raise(), endAllSessions(cookie, context())]);
    expect(await living()).toBe(0);
  }
  for (let round = 0; round < 20; round += 1) {
    ({ cookie } = await signInTo('alice@example.com'));
    await Promise.all([raise(), endSessionsOf(OPERATOR, { personId })]);
    expect(await living()).toBe(0);
  }
});

test('a sign-out while the level of a session is raised also ends the second session of a form that was sent twice', async () => {
  for (let round = 0; round < 40; round += 1) {
    await sql('delete from sessions');
    ({ cookie } = await signInTo('alice@example.com'));
    await sql(`insert into sessions (id_hash, kind, auth_method_id, person_id, person_epoch, auth_time, expires_at, sid)
      select sha256(id_hash), kind, auth_method_id, person_id, person_epoch, auth_time, expires_at, sid from sessions`);
    await Promise.all([raise(), endAllSessions(cookie, context())]);
    expect(await living()).toBe(0);
  }
});

test('raising a session’s level keeps refresh tokens valid, and causes no back-channel logout', async () => {
  const held = await openIdTokens(TRU, { cookie, scope: 'openid read' });
  const now = cookieOf(await raise());
  const form = { ...TRU, grant_type: 'refresh_token', refresh_token: held['refresh_token'] ?? '' };
  expect((await ask('/auth/pw/api/orders/token', { form })).status).toBe(200);
  expect(await sql('select 1 from logout_deliveries')).toEqual([]);
  expect(await rowOf(now)).toMatchObject({ ended: false });
});

test('raising a session’s level invalidates codes of the old session id, like a second sign-in', async () => {
  for (const scope of ['read', 'openid read']) {
    const code = await openIdCode(TRU, { cookie, scope });
    cookie = cookieOf(await raise());
    expect((await redeemFor(TRU, code)).status).toBe(400);
    expect((await redeemFor(TRU, await openIdCode(TRU, { cookie, scope }))).status).toBe(200);
  }
});

test('a console session whose level is raised gets a new id and the level', async () => {
  const [person] = await sql<{ epoch: string }>('select epoch from people where id = $1', [personId]);
  const started = await startConsoleSession({
    cookieHeader: undefined,
    authMethodId: 'pw',
    personId,
    personEpoch: person?.epoch ?? '',
    methodEpoch: null,
    ...context(),
  });
  const header = started?.cookie.split(';')[0];
  const input = { cookieHeader: header, authMethodId: 'pw', personId, proof: TOTP };
  const raised = await Promise.all(
    Array.from({ length: 10 }, () => raiseConsoleSession({ ...input, ...context() })),
  );
  const [one, ...more] = raised.filter((each) => each !== null);
  expect(more).toEqual([]);
  expect(await readConsoleActor(header, null)).toBeNull();
  expect(await readConsoleActor(one?.cookie.split(';')[0], null)).toMatchObject({ id: personId });
  const [row] = await sql('select acr_level, amr from sessions where id_hash = $1', [one?.idHash]);
  expect(row).toMatchObject({ acr_level: 2, amr: ['otp', 'mfa'] });
});

test('if a session ends while its level is raised, the old and the new id end, alone or with all sessions (40 rounds)', async () => {
  for (let round = 0; round < 40; round += 1) {
    const own = await signInTo('alice@example.com');
    const id = (await readSessionHash(own.cookie, 'pw'))?.toString('hex') ?? '';
    const end = async () =>
      round % 2 === 0
        ? endPersonSessions(database(), personId, null)
        : endSessionRow(database(), id, personId);
    await Promise.all([raise({ cookieHeader: own.cookie }), end(), raise({ cookieHeader: own.cookie })]);
    const { sid } = (await rowOf(own.cookie)) ?? {};
    expect(await sql('select 1 from sessions where sid = $1 and ended_at is null', [sid])).toEqual([]);
  }
});
