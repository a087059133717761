// The person's routing slot goes from the session into the code, from the code into the tokens, and from each token into the
// next one (docs/decisions/0043). What was given before there were slots works as it did.
import { createHash, randomBytes } from 'node:crypto';
import { decodeJwt } from 'jose';
import pg from 'pg';
import { beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { loadSettings, settings } from '#lib/settings/index.ts';
import { type RoutedKind, slotOf, slotPresented } from '#lib/tokens/index.ts';
import { ask, givenFixtures, jsonOf } from '#testing/in-process.ts';
import {
  givenTrustedClients,
  OPENID_PATH,
  openIdCode,
  redeemFor,
  signInTo,
  type TrustedClient,
} from '#testing/openid.ts';
import { sql } from '#testing/registry.ts';
import { openCookie, sealCookie } from '../sessions/sealing.ts';
import { slotIn } from '../tokens/slot.ts';

const PURPOSE = 'sign-in session';
const NAME = 'gatehouse-sign-in';
const SCOPE = 'read offline_access openid';
const query = vi.spyOn(pg.Pool.prototype, 'query');
let shop: TrustedClient;
let personId: string;
let cookie: string;

beforeAll(async () => {
  await givenFixtures();
  [shop] = (await givenTrustedClients(['shop'])) as [TrustedClient];
});
beforeEach(async () => {
  ({ personId, cookie } = await signInTo('alice@example.com'));
});

const sha256 = (value: string) => createHash('sha256').update(value).digest();
const post = (path: string, form: Record<string, string>) =>
  ask(`${OPENID_PATH}/${path}`, { form: { ...shop, ...form } });
const refresh = (refresh_token: string) => post('token', { grant_type: 'refresh_token', refresh_token });
const tokensOf = (answer: Awaited<ReturnType<typeof post>>) => {
  expect(answer.status, String(answer.body)).toBe(200);
  return jsonOf(answer) as Record<string, string>;
};
const givenTokens = async () =>
  tokensOf(await redeemFor(shop, await openIdCode(shop, { cookie, scope: SCOPE })));
const setFormat = (format: string) =>
  sql(`update apis set access_token_format = $1 where id = 'orders'`, [format]);

/** The statements since the last call, by name. */
function statements(): string[] {
  const names = query.mock.calls.map(([statement]) => (statement as unknown as { name?: string }).name ?? '');
  query.mockClear();
  // the registry's, and a secret's use that is noted once a minute
  return names.filter((name) => !name.startsWith('registry-') && name !== 'client-secret-touch');
}

/** The credential as the version before gave it: the random part alone, also in its row. */
async function asBefore(table: string, column: string, value: string): Promise<string> {
  const older = value.slice(0, 4) + value.slice(-43);
  const rows = await sql(`update ${table} set ${column} = $2 where ${column} = $1 returning 1`, [
    sha256(value),
    sha256(older),
  ]);
  expect(rows).toHaveLength(1);
  return older;
}

function sessionIdOf(header: string): string {
  const shape = { safeParse: (data: unknown) => ({ data }) } as never;
  const opened = openCookie(shape, header.slice(NAME.length + 1), PURPOSE) as { ids: Record<string, string> };
  return opened.ids['pw'] ?? '';
}

test('a session, its code, and every token of every grant say the slot of their person', async () => {
  const slot = slotOf(personId);
  const says = (kind: RoutedKind, value: string) => expect(slotPresented(kind, value), kind).toBe(slot);
  says('session', sessionIdOf(cookie));
  const code = await openIdCode(shop, { cookie, scope: SCOPE });
  says('code', code);
  const given = tokensOf(await redeemFor(shop, code));
  says('refresh', given['refresh_token'] ?? '');
  const next = tokensOf(await refresh(given['refresh_token'] ?? ''));
  says('refresh', next['refresh_token'] ?? '');
  for (const token of [given, next])
    expect(slotIn(decodeJwt(token['access_token'] ?? '').jti?.split('.')[1] ?? '')).toBe(slot);

  await setFormat('opaque');
  const opaque = tokensOf(await refresh(next['refresh_token'] ?? ''));
  says('access', opaque['access_token'] ?? '');
  const password = { grant_type: 'password', username: 'alice@example.com', password: 'alice-password-1' };
  const byPassword = tokensOf(await post('token', password));
  for (const kind of ['refresh', 'access'] as const) says(kind, byPassword[`${kind}_token`] ?? '');
  const exchanged = await ask('/auth/token', {
    form: {
      ...shop,
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: byPassword['access_token'] ?? '',
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      audience: 'orders',
    },
  });
  says('access', tokensOf(exchanged)['access_token'] ?? '');
  await setFormat('jwt');
});

test('what one person’s tokens show of the slot has nothing in common, at one client or at two', async () => {
  const all = await Promise.all(Array.from({ length: 8 }, () => givenTokens()));
  const shown = all.flatMap(({ refresh_token = '', access_token = '' }) => [
    refresh_token.slice(4, 12),
    (decodeJwt(access_token).jti?.split('.')[1] ?? '').slice(0, 8),
  ]);
  expect(new Set(shown).size).toBe(16);
});

test('a refresh token of the version before works, and its successor says the slot: one statement more, once', async () => {
  const { refresh_token = '' } = await givenTokens();
  const older = await asBefore('refresh_tokens', 'token_hash', refresh_token);
  const introspected = await ask(`${OPENID_PATH}/introspect`, { form: { ...shop, token: older } });
  expect(jsonOf(introspected)).toMatchObject({ active: true, sub: personId });
  statements();
  const next = tokensOf(await refresh(older))['refresh_token'] ?? '';
  expect(statements()).toEqual(['refresh-person', 'refresh-rotate']);
  expect(slotPresented('refresh', next)).toBe(slotOf(personId));
  const last = tokensOf(await refresh(next))['refresh_token'] ?? '';
  expect(statements()).toEqual(['refresh-rotate']);
  // reuse is noticed as ever, by either form
  await sql(`update refresh_tokens set used_at = now() - interval '1 minute' where used_at is not null`);
  expect(jsonOf(await refresh(older))['error']).toBe('invalid_grant');
  expect(jsonOf(await refresh(last))['error']).toBe('invalid_grant');
});

test('a refresh token of the version before is revoked by its client', async () => {
  const older = await asBefore('refresh_tokens', 'token_hash', (await givenTokens())['refresh_token'] ?? '');
  expect((await post('revoke', { token: older })).status).toBe(200);
  expect(jsonOf(await refresh(older))['error']).toBe('invalid_grant');
});

test('N parallel uses of a refresh token of the version before: exactly one succeeds', async () => {
  const older = await asBefore('refresh_tokens', 'token_hash', (await givenTokens())['refresh_token'] ?? '');
  const answers = await Promise.all(Array.from({ length: 12 }, () => refresh(older)));
  const won = answers.filter(({ status }) => status === 200);
  expect(won).toHaveLength(1);
  for (const answer of answers)
    if (answer.status !== 200) expect(jsonOf(answer)['error']).toBe('invalid_grant');
});

test('a code of the version before is redeemed, once; its tokens learn the slot at the first refresh', async () => {
  const older = await asBefore('codes', 'code_hash', await openIdCode(shop, { cookie, scope: SCOPE }));
  const { refresh_token = '' } = tokensOf(await redeemFor(shop, older));
  expect(slotPresented('refresh', refresh_token)).toBeNull();
  const next = tokensOf(await refresh(refresh_token))['refresh_token'] ?? '';
  expect(slotPresented('refresh', next)).toBe(slotOf(personId));
  expect(jsonOf(await redeemFor(shop, older))['error']).toBe('invalid_grant');
  expect(jsonOf(await refresh(next))['error']).toBe('invalid_grant');
});

test('an opaque token of the version before is looked up, exchanged and revoked', async () => {
  await setFormat('opaque');
  const older = await asBefore('opaque_tokens', 'token_hash', (await givenTokens())['access_token'] ?? '');
  const introspect = async () =>
    jsonOf(await ask(`${OPENID_PATH}/introspect`, { form: { ...shop, token: older } }));
  expect(await introspect()).toMatchObject({ active: true, sub: personId });
  expect((await post('revoke', { token: older })).status).toBe(200);
  expect(await introspect()).toEqual({ active: false });
  await setFormat('jwt');
});

test('a browser that signed in at the version before is signed in', async () => {
  const older = await asBefore('sessions', 'id_hash', sessionIdOf(cookie));
  const header = `${NAME}=${sealCookie({ ids: { pw: older } }, PURPOSE)}`;
  const code = await openIdCode(shop, { cookie: header, scope: SCOPE });
  expect(slotPresented('code', code)).toBeNull();
  expect(jsonOf(await redeemFor(shop, code))['refresh_token']).toBeDefined();
});

test('a token whose slot was turned is unknown, and its owner keeps it', async () => {
  const { refresh_token = '' } = await givenTokens();
  const turned = (letter: string) => `ghr_${letter}${refresh_token.slice(5)}`;
  for (const forged of ['A', 'B', '_', '%'].map(turned).filter((text) => text !== refresh_token)) {
    const answer = await refresh(forged);
    expect([answer.status, jsonOf(answer)['error']]).toEqual([400, 'invalid_grant']);
    const asked = await ask(`${OPENID_PATH}/introspect`, { form: { ...shop, token: forged } });
    expect(jsonOf(asked)).toEqual({ active: false });
    expect((await post('revoke', { token: forged })).status).toBe(200);
  }
  expect((await refresh(refresh_token)).status).toBe(200);
});

test('with a new GATEHOUSE_SECRET a slot is read while the old one is known, and worked out anew after that', async () => {
  const { GATEHOUSE_SECRET: before } = process.env;
  const { refresh_token = '' } = await givenTokens();
  const secret = randomBytes(32).toString('base64url');
  loadSettings({
    ...process.env,
    GATEHOUSE_SECRET: `${secret},${before}`,
    DATABASE_URL: settings().databaseUrl,
  });
  statements();
  const renewed = tokensOf(await refresh(refresh_token))['refresh_token'] ?? '';
  expect(statements()).not.toContain('refresh-person');
  expect(slotPresented('refresh', renewed)).toBe(slotOf(personId));
  loadSettings({ ...process.env, GATEHOUSE_SECRET: before });
  expect(slotPresented('refresh', renewed)).toBeNull();
  const last = tokensOf(await refresh(renewed))['refresh_token'] ?? '';
  expect(statements()).toContain('refresh-person');
  expect(slotPresented('refresh', last)).toBe(slotOf(personId));
});
