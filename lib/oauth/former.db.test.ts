// Refresh tokens of a former service, a real oidc-provider: imported tokens, and opaque tokens that only the former
// service can read.
import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { exportJWK } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { changeApi } from '#lib/catalogue/apis/operations.ts';
import { subjectSalt } from '#lib/keys/keys.ts';
import { sha256 } from '#lib/kit/random.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { announceKept } from '#lib/store/keys.ts';
import { database } from '#lib/store/prisma.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { type FormerService, startFormerService } from '#testing/clients/former-service.ts';
import { fixturePerson } from '#testing/data/fixtures.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, givenFixtures, jsonOf } from '#testing/in-process/in-process.ts';
import { OPENID_PATH } from '#testing/in-process/openid.ts';

const TRU = { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures' };
const CONF = { client_id: 'conf', client_secret: 'S1-conf-secret-of-the-fixtures' };
let old: FormerService;
let alice: string;

const give = (over: object = {}) =>
  changeApi(OPERATOR, {
    id: 'orders',
    formerIssuers: [
      {
        issuer: old.issuer,
        auth_method: 'pw',
        until: '2999-12-31',
        refresh: 'ask',
        token_endpoint: old.tokenEndpoint,
        allow_private_network: true,
        jwks: { keys: old.keys },
        ...over,
      },
    ],
  });

beforeAll(async () => {
  await givenFixtures();
  old = await startFormerService([TRU, CONF]);
  alice = await idOf('alice');
  await sql("update people set subject = 'auth0|507f1f77' where id = $1", [await idOf('mallory')]);
  await subjectSalt(await currentSnapshot());
  await announceKept(database(), { subjects: true, usernames: false });
});
afterAll(() => old.close());
beforeEach(async () => {
  old.on = true;
  await sql('truncate former_tokens');
  await give();
});

const idOf = async (name: string) =>
  (await sql<{ id: string }>('select id from people where email = $1', [fixturePerson(name).email]))[0]?.id ??
  '';
const refresh = (refresh_token: string, client = TRU, at: 'former' | 'path' = 'former') =>
  ask(at === 'former' ? '/token' : `${OPENID_PATH}/token`, {
    form: { ...client, grant_type: 'refresh_token', refresh_token },
    ...(at === 'former' && { headers: { host: new URL(old.issuer).host } }),
  });
const rows = async () => (await sql<{ n: number }>('select count(*)::int as n from former_tokens'))[0]?.n;
const families = async () =>
  (await sql<{ n: number }>('select count(*)::int as n from token_families'))[0]?.n ?? 0;

test('an opaque refresh token of the old service is sent to it once, and creates a token family', async () => {
  const token = await old.refreshToken('tru', alice);
  const [before, asked] = [await families(), old.asked()];
  const first = await refresh(token);
  expect(first.status, String(first.body)).toBe(200);
  const given = jsonOf(first) as Record<string, string>;
  expect(given['scope']?.split(' ').toSorted()).toEqual(['offline_access', 'openid', 'read']);
  const claims = JSON.parse(Buffer.from(given['id_token']?.split('.')[1] ?? '', 'base64url').toString());
  expect(claims).toMatchObject({ iss: old.issuer, sub: alice, aud: 'tru' });
  expect(Math.abs(claims.auth_time - (Date.now() / 1000 - 600))).toBeLessThan(60);
  // from this refresh on, the token is a Gatehouse token
  const next = await refresh(given['refresh_token'] ?? '');
  expect(next.status).toBe(200);
  expect(old.asked()).toBe(asked + 1);
  expect(await families()).toBe(before + 1);
  // the former token is used up
  expect(jsonOf(await refresh(token))).toMatchObject({ error: 'invalid_grant' });
  expect(old.asked()).toBe(asked + 1);
  const stored = JSON.stringify(await sql('select * from former_tokens'));
  expect(stored).not.toContain(token);
});

test('users of the old service are found by their subject', async () => {
  const given = jsonOf(await refresh(await old.refreshToken('tru', 'auth0|507f1f77'))) as Record<
    string,
    string
  >;
  const claims = JSON.parse(Buffer.from(given['id_token']?.split('.')[1] ?? '', 'base64url').toString());
  expect(claims.sub).toBe('auth0|507f1f77');
  expect((await refresh(await old.refreshToken('tru', await idOf('mallory')))).status).toBe(400);
});

test('a user with user name but no email address continues with an old refresh token', async () => {
  const mallory = await idOf('mallory');
  await sql("update people set username = 'mallory', email = null where id = $1", [mallory]);
  const answer = await refresh(await old.refreshToken('tru', 'auth0|507f1f77'));
  await sql('update people set email = $2 where id = $1', [mallory, fixturePerson('mallory').email]);
  expect(answer.status, String(answer.body)).toBe(200);
});

test('20 concurrent uses of one old refresh token create one token family, and query the old service once', async () => {
  const token = await old.refreshToken('tru', alice);
  const [before, asked] = [await families(), old.asked()];
  const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(token)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 400)).toHaveLength(19);
  expect([await families(), old.asked()]).toEqual([before + 1, asked + 1]);
});

test('if the old service is unavailable, a refresh returns 503, and the token works after the recovery', async () => {
  const token = await old.refreshToken('tru', alice);
  old.on = false;
  const away = await refresh(token);
  expect([away.status, jsonOf(away)['error']]).toEqual([503, 'temporarily_unavailable']);
  expect(await rows()).toBe(0);
  old.on = true;
  expect((await refresh(token)).status).toBe(200);
});

test('after too many rejections by the old service, the client must wait, and the old service receives no call', async () => {
  const token = await old.refreshToken('tru', alice);
  expect((await refresh(randomBytes(32).toString('base64url'))).status).toBe(400);
  await sql('update attempts set count = 1000000, failed = 1000000');
  const asked = old.asked();
  const limited = await refresh(token);
  expect([limited.status, jsonOf(limited)['error']]).toEqual([429, 'slow_down']);
  expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);
  expect([old.asked(), await rows()]).toEqual([asked, 0]);
  await sql('delete from attempts');
  expect((await refresh(token)).status).toBe(200);
});

test('a rejection by the old service stores no row: for a token of another client and for an invented token', async () => {
  const token = await old.refreshToken('conf', alice);
  for (const one of [token, randomBytes(32).toString('base64url')]) {
    expect(jsonOf(await refresh(one))).toMatchObject({ error: 'invalid_grant' });
    expect(await rows()).toBe(0);
  }
  // a request at Gatehouse's own address never calls the old service
  const asked = old.asked();
  expect((await refresh(await old.refreshToken('tru', alice), TRU, 'path')).status).toBe(400);
  expect(old.asked()).toBe(asked);
});

test('an old refresh token of a user without sufficient consent, or a disabled or unknown user, is rejected', async () => {
  await sql("delete from consents where client_id = 'conf'");
  const before = await families();
  expect(jsonOf(await refresh(await old.refreshToken('conf', alice), CONF))).toMatchObject({
    error: 'invalid_grant',
  });
  await sql(
    "insert into consents (person_id, client_id, api_id, scopes) values ($1, 'conf', 'orders', '{openid,offline_access}')",
    [alice],
  );
  expect((await refresh(await old.refreshToken('conf', alice), CONF)).status).toBe(400);
  await sql("update consents set scopes = '{openid,offline_access,read}' where client_id = 'conf'");
  expect((await refresh(await old.refreshToken('conf', alice), CONF)).status).toBe(200);
  const given = before + 1;
  expect((await refresh(await old.refreshToken('tru', randomUUID()))).status).toBe(400);
  expect((await refresh(await old.refreshToken('tru', await idOf('bob')))).status).toBe(200);
  await sql('update people set disabled_at = now() where id = $1', [await idOf('bob')]);
  expect((await refresh(await old.refreshToken('tru', await idOf('bob')))).status).toBe(400);
  await sql('update people set disabled_at = null where id = $1', [await idOf('bob')]);
  expect(await families()).toBe(given + 1);
});

test('a refresh of an old token can narrow the scope, and a sign-out everywhere invalidates old refresh tokens', async () => {
  const less = await ask('/token', {
    form: {
      ...TRU,
      grant_type: 'refresh_token',
      refresh_token: await old.refreshToken('tru', alice, 'openid offline_access read write'),
      scope: 'read',
    },
    headers: { host: new URL(old.issuer).host },
  });
  expect(jsonOf(less)['scope']).toBe('read');
  const [row] = await sql<{ epoch: string }>('select epoch::text from people where id = $1', [alice]);
  await sql('update people set epoch = next_epoch() where id = $1', [alice]);
  const spent = await old.refreshToken('tru', alice);
  expect(jsonOf(await refresh(spent))).toMatchObject({ error: 'invalid_grant' });
  // the token is used up, so Gatehouse does not call the former service again
  const calls = old.asked();
  expect(jsonOf(await refresh(spent))).toMatchObject({ error: 'invalid_grant' });
  expect(old.asked()).toBe(calls);
  await sql('update people set epoch = $2 where id = $1', [alice, row?.epoch]);
  expect((await refresh(await old.refreshToken('tru', alice))).status).toBe(200);
});

test('an old service’s response signed with unknown keys is rejected', async () => {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  await give({ jwks: { keys: [{ ...(await exportJWK(publicKey)), kid: 'former', alg: 'RS256' }] } });
  const before = await families();
  expect(jsonOf(await refresh(await old.refreshToken('tru', alice)))).toMatchObject({
    error: 'invalid_grant',
  });
  expect([await families(), await rows()]).toEqual([before, 0]);
});

test('an imported refresh token creates one token family, at either address, for its client only', async () => {
  const bring = async (over: Record<string, unknown> = {}) => {
    const token = randomBytes(24).toString('hex');
    const row = {
      token_hash: sha256(token),
      client_id: 'tru',
      api_id: 'orders',
      auth_method_id: 'pw',
      person_id: alice,
      scopes: ['read', 'gone'],
      auth_time: new Date('2026-11-01'),
      person_epoch: (await sql<{ epoch: string }>('select epoch::text from people where id = $1', [alice]))[0]
        ?.epoch,
      expires_at: new Date(Date.now() + 86_400_000),
      ...over,
    };
    const names = Object.keys(row);
    await sql(
      `insert into former_tokens (${names.join(', ')}) values (${names.map((_, at) => `$${at + 1}`).join(', ')})`,
      Object.values(row),
    );
    return token;
  };
  const asked = old.asked();
  for (const at of ['path', 'former'] as const) {
    const token = await bring();
    const answers = await Promise.all(Array.from({ length: 10 }, () => refresh(token, TRU, at)));
    const good = answers.filter(({ status }) => status === 200);
    expect(good).toHaveLength(1);
    expect(jsonOf(good[0] as (typeof answers)[number])['scope']).toBe('read');
  }
  const refused = [
    [await bring(), CONF],
    [await bring({ expires_at: new Date(Date.now() - 1_000) }), TRU],
    [await bring({ person_epoch: '999' }), TRU],
    [await bring({ scopes: ['gone'] }), TRU],
    [await bring({ auth_method_id: 'ext' }), TRU],
  ] as const;
  // a rejected imported token stays unused
  await sql("delete from consents where client_id = 'conf'");
  const waiting = await bring({ client_id: 'conf' });
  expect((await refresh(waiting, CONF, 'path')).status).toBe(400);
  await sql(
    "insert into consents (person_id, client_id, api_id, scopes) values ($1, 'conf', 'orders', '{read}')",
    [alice],
  );
  expect((await refresh(waiting, CONF, 'path')).status).toBe(200);
  const before = await families();
  for (const [token, client] of refused) expect((await refresh(token, client, 'path')).status).toBe(400);
  expect([await families(), old.asked()]).toEqual([before, asked]);
});
