// Effects of a sign-out, and the clients that it notifies (OpenID Connect Back-Channel Logout §2.7).
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { disablePerson, endSession, endSessionsOf } from '#lib/catalogue/people/operations.ts';
import { endMySession, endMySessions } from '#lib/management/my-account.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { allSessionHashes, endAllSessions } from '#lib/sessions/sign-in.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, givenFixtures } from '#testing/in-process/in-process.ts';
import {
  givenTrustedClients,
  OPENID_PATH,
  openIdCode,
  openIdTokens,
  redeemFor,
  signInTo,
  type TrustedClient,
} from '#testing/in-process/openid.ts';

let told: TrustedClient;
let silent: TrustedClient;
const context = { requestId: 'test', ip: null };

beforeAll(async () => {
  await givenFixtures();
  const backchannelLogoutUri = 'https://told.example/bcl';
  [told] = (await givenTrustedClients(['told'], { backchannelLogoutUri })) as [TrustedClient];
  [silent] = (await givenTrustedClients(['silent'])) as [TrustedClient];
});
beforeEach(async () => {
  await sql('truncate sessions, token_families, codes, logout_deliveries, audit_events cascade');
  await sql('update people set disabled_at = null');
});

const userinfo = async ({ access_token }: Record<string, string>) =>
  (await ask(`${OPENID_PATH}/userinfo`, { headers: { authorization: `Bearer ${access_token}` } })).status;
const deliveries = () =>
  sql('select client_id, api_id, auth_method_id, person_id, sid from logout_deliveries');
const sidOf = async (personId: string) =>
  (
    await sql<{ sid: string }>('select sid from sessions where person_id = $1 and ended_at is null', [
      personId,
    ])
  )[0]?.sid;

test('a sign-out revokes the session’s openid token families unless they have offline_access, and notifies clients with a logout address', async () => {
  const { personId, cookie } = await signInTo('alice@example.com');
  const elsewhere = await signInTo('alice@example.com');
  const ended = await openIdTokens(told, { cookie, scope: 'openid read' });
  const lives = await openIdTokens(told, { cookie, scope: 'openid offline_access' });
  const unheard = await openIdTokens(silent, { cookie, scope: 'openid' });
  const other = await openIdTokens(told, { cookie: elsewhere.cookie, scope: 'openid' });
  const plain = await openIdTokens(told, { cookie, scope: 'read' });
  const [{ sid } = { sid: '' }] = await sql<{ sid: string }>('select sid from sessions where id_hash = $1', [
    (await allSessionHashes(cookie))[0],
  ]);
  await endAllSessions(cookie, context);
  expect(await userinfo(ended)).toBe(401);
  expect(await userinfo(unheard)).toBe(401);
  expect(await userinfo(lives)).toBe(200);
  expect(await userinfo(other)).toBe(200);
  expect(await deliveries()).toEqual([
    { client_id: 'told', api_id: 'orders', auth_method_id: 'pw', person_id: personId, sid },
  ]);
  const events = await sql(`select client_id, details ->> 'reason' as reason from audit_events
    where event = 'token.revoked' order by client_id`);
  expect(events).toEqual([
    { client_id: 'silent', reason: 'signed out' },
    { client_id: 'told', reason: 'signed out' },
  ]);
  // a sign-out does not affect a token without `openid`
  const live = await sql(`select 1 from token_families where revoked_at is null and openid is null`);
  expect([live.length, plain['id_token']]).toEqual([1, undefined]);
});

const sessionId = async (cookie: string | undefined) =>
  (await allSessionHashes(cookie))[0]?.toString('hex') ?? '';

test.each<[string, (person: { personId: string; cookie: string }) => Promise<unknown>]>([
  ['the hosted sign-out', ({ cookie }) => endAllSessions(cookie, context)],
  [
    'an administrator ends the session',
    async ({ cookie }) => endSession(OPERATOR, { id: await sessionId(cookie) }),
  ],
  [
    'an administrator signs the person out everywhere',
    ({ personId }) => endSessionsOf(OPERATOR, { personId }),
  ],
  ['an administrator disables the person', ({ personId }) => disablePerson(OPERATOR, { id: personId })],
  [
    'the person ends this session',
    async ({ personId, cookie }) => endMySession(actor(personId), { id: await sessionId(cookie) }),
  ],
  [
    'the person signs out everywhere',
    ({ personId }) => endMySessions(actor(personId), { keepCurrent: false }),
  ],
  ['somebody else signs in in this browser', ({ cookie }) => signInTo('bob@example.com', cookie)],
])('every sign-out reaches the clients in the same way: %s', async (_, end) => {
  const person = await signInTo('alice@example.com');
  const given = await openIdTokens(told, { cookie: person.cookie, scope: 'openid' });
  await end(person);
  expect(await userinfo(given)).toBe(401);
  expect(await deliveries()).toMatchObject([{ client_id: 'told' }]);
});

const actor = (id: string) => ({
  kind: 'person' as const,
  id,
  email: 'alice@example.com',
  roles: [],
  signedInAt: new Date(),
  request: null,
});

test('a repeated sign-in by one user in one browser ends no session, and keeps the sid', async () => {
  const first = await signInTo('alice@example.com');
  const sid = await sidOf(first.personId);
  const given = await openIdTokens(told, { cookie: first.cookie, scope: 'openid' });
  const second = await signInTo('alice@example.com', first.cookie);
  expect([await sidOf(first.personId), await deliveries(), await userinfo(given)]).toEqual([sid, [], 200]);
  await endAllSessions(second.cookie, context);
  expect([(await deliveries()).length, await userinfo(given)]).toEqual([1, 401]);
});

test('a sign-out everywhere notifies clients of expired sessions that have valid refresh tokens', async () => {
  const { personId, cookie } = await signInTo('alice@example.com');
  await openIdTokens(told, { cookie, scope: 'openid' });
  await sql('delete from sessions');
  await endSessionsOf(OPERATOR, { personId });
  expect(await deliveries()).toHaveLength(1);
});

test('concurrent sign-outs end the session once and notify each client once', async () => {
  for (let turn = 0; turn < 10; turn++) {
    await sql('truncate sessions, token_families, logout_deliveries, audit_events cascade');
    const { cookie } = await signInTo('alice@example.com');
    await openIdTokens(told, { cookie, scope: 'openid' });
    await Promise.all(Array.from({ length: 4 }, () => endAllSessions(cookie, context)));
    const ended = await sql(`select 1 from audit_events where event in ('session.ended', 'token.revoked')`);
    expect([(await deliveries()).length, ended.length]).toEqual([1, 2]);
  }
});

test('a code that is redeemed during a sign-out returns no tokens, or a token family that is revoked with a notification', async () => {
  let given = 0;
  for (let turn = 0; turn < 30; turn++) {
    await sql('truncate logout_deliveries');
    const { cookie } = await signInTo('alice@example.com');
    const codes = await Promise.all(
      [told, silent].map((client) => openIdCode(client, { cookie, scope: 'openid' })),
    );
    const redeemed = Promise.all([told, silent].map((client, at) => redeemFor(client, codes[at] ?? '')));
    const [answers] = await Promise.all([
      redeemed,
      endAllSessions(cookie, { requestId: randomUUID(), ip: null }),
    ]);
    given += answers.filter(({ status }) => status === 200).length;
    expect(answers.every(({ status }) => status === 200 || status === 400)).toBe(true);
    expect(await sql('select 1 from token_families where revoked_at is null')).toEqual([]);
    expect((await deliveries()).length).toBe(answers[0]?.status === 200 ? 1 : 0);
  }
  expect(given).toBeGreaterThan(0);
});

test('a sign-in form that was sent twice leaves no session with active tokens after the sign-out', async () => {
  const { cookie } = await signInTo('alice@example.com');
  const given = await openIdTokens(told, { cookie, scope: 'openid' });
  await signInTo('alice@example.com', cookie);
  const again = await Promise.all([1, 2, 3].map(() => signInTo('alice@example.com', cookie)));
  const sessions = await sql<{ sid: string }>('select sid from sessions where ended_at is null');
  expect(sessions).toHaveLength(4);
  for (const { cookie: left } of again.slice(-1)) await endAllSessions(left, context);
  expect(await userinfo(given)).toBe(401);
  expect(await deliveries()).toHaveLength(1);
});

test.each<[string, (person: { personId: string; id: string }) => Promise<unknown>]>([
  ['an administrator', ({ id }) => endSession(OPERATOR, { id })],
  ['its person', ({ personId, id }) => endMySession(actor(personId), { id })],
])(
  'duplicate sign-in requests leave no session with active tokens after %s ends it in the list of sessions',
  async (_, end) => {
    const { personId, cookie } = await signInTo('alice@example.com');
    const given = await openIdTokens(told, { cookie, scope: 'openid' });
    const again = await Promise.all([1, 2].map(() => signInTo('alice@example.com', cookie)));
    await end({ personId, id: await sessionId(again[0]?.cookie) });
    expect(await userinfo(given)).toBe(401);
    expect(await deliveries()).toHaveLength(1);
  },
);

test('signing out everywhere with 100,000 token families and hundreds of sessions finishes in time', async () => {
  const { personId, cookie } = await signInTo('alice@example.com');
  const given = await openIdTokens(told, { cookie, scope: 'openid' });
  for (let part = 0; part < 20; part += 1)
    await sql(`insert into token_families (id, person_id, client_id, api_id, auth_method_id, basis, scopes, auth_time, expires_at,
        sid, openid, revoked_at)
      select gen_random_uuid(), person_id, client_id, api_id, auth_method_id, basis, scopes, auth_time, expires_at,
        gen_random_uuid(), openid, now()
      from (select * from token_families limit 1) one, generate_series(1, 5000)`);
  await sql(`insert into sessions (id_hash, kind, auth_method_id, person_id, expires_at, person_epoch)
    select sha256(n::text::bytea), kind, auth_method_id, person_id, expires_at, person_epoch from sessions, generate_series(1, 300) n`);
  // autovacuum analyzes a table after such a growth
  await sql('analyze token_families');
  await endSessionsOf(OPERATOR, { personId });
  expect(await userinfo(given)).toBe(401);
  expect(await deliveries()).toHaveLength(1);
});
