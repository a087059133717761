// Secrets in the database, and revocation and introspection (cases AR, RV).
import { expect, test } from '@playwright/test';
import { type Client, fixtureApi, fixtureClient } from '#testing/data/fixtures.ts';
import { type Person, sha256 } from '#testing/data/world.ts';
import { issuerOf } from '#testing/net/door.ts';
import { send } from '#testing/net/http.ts';
import { type Browser, signIn } from '#testing/service/browser.ts';
import {
  credentialsOf,
  introspect,
  isActive,
  passwordGrant,
  redeem,
  refresh,
  revoke,
  tokensFor,
  tokensOf,
} from '#testing/service/token.ts';
import { expectError, expectTokens } from '../../support/clients/expectations.ts';
import { expire, makeClient, makePerson, sql } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';

const conf2 = fixtureClient('conf2');
const orders = fixtureApi('orders');
const billing = fixtureApi('billing');

let browser: Browser;
let conf: Client;
let person: Person;
const stateOf = async (presented: string, api = orders) => (await introspect(door, presented, api)).json();
const billingTokens = async () => {
  const at = { api: 'billing' };
  return tokensOf(await redeem(door, conf, await browser.codeFor(conf, { at }), { at }));
};

test.beforeAll(async () => {
  conf = await makeClient({ apis: ['orders', 'billing'] });
  person = await makePerson();
  browser = await signIn(door, person, conf);
});

test('AR-01: no column contains a code, token, secret or password', async () => {
  const given = await browser.codeFor(conf, { pkce: true });
  const tokens = tokensOf(await redeem(door, conf, given));
  const opaque = await billingTokens();
  const secrets = [
    given.code,
    given.verifier,
    tokens.refreshToken,
    tokens.accessToken,
    opaque.accessToken,
    conf.secret,
    person.password,
    orders.secret,
  ];
  const tables = await sql<{ name: string }>(
    "select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
  );
  expect(tables.length).toBeGreaterThan(15);
  for (const { name } of tables) {
    for (const secret of secrets) {
      const found = await sql(
        `select 1 from "${name}" t where strpos(t::text, $1) > 0 or strpos(t::text, encode(convert_to($1, 'UTF8'), 'hex')) > 0 limit 1`,
        [secret],
      );
      expect(found, `${name} holds ${String(secret).slice(0, 4)}…`).toEqual([]);
    }
  }
  const hashes = await sql<{ hash: string }>(
    'select password_hash as hash from people where password_hash is not null',
  );
  for (const { hash } of hashes) expect(hash).toMatch(/^\$argon2id\$/);
  const [row] = await sql<{ length: number }>(
    'select length(token_hash) as length from opaque_tokens where token_hash = $1',
    [sha256(opaque.accessToken)],
  );
  expect(row?.length).toBe(32);
});

test('AR-02: a stored hash does not work as code, token or secret', async () => {
  const given = await browser.codeFor(conf);
  const tokens = await tokensFor(browser, conf);
  const opaque = await billingTokens();
  const forms = (value: string) => {
    const hash = sha256(value);
    return [
      hash.toString('hex'),
      hash.toString('base64url'),
      `${value.slice(0, 4)}${hash.toString('base64url')}`,
      `\\x${hash.toString('hex')}`,
    ];
  };
  for (const code of forms(given.code)) expectError(await redeem(door, conf, { code }), 'invalid_grant');
  for (const presented of forms(tokens.refreshToken))
    expectError(await refresh(door, conf, presented), 'invalid_grant');
  for (const presented of forms(opaque.accessToken))
    expect(await stateOf(presented, billing)).toEqual({ active: false });
  for (const secret of forms(conf.secret ?? ''))
    expectError(await redeem(door, { ...conf, secret }, given), 'invalid_client');
  const [row] = await sql<{ hash: string }>('select password_hash as hash from people where id = $1', [
    person.id,
  ]);
  const trusted = await makeClient({ trusted: true });
  expectError(await passwordGrant(door, trusted, { ...person, password: row?.hash ?? '' }), 'invalid_grant');
});

test('AR-04: the private keys are stored encrypted', async () => {
  const keys = await sql<{ public: Record<string, unknown>; sealed: string }>(
    'select public_jwk as public, sealed_private as sealed from signing_keys',
  );
  expect(keys.length).toBeGreaterThan(0);
  for (const key of keys) {
    expect(key.public).not.toHaveProperty('d');
    expect(key.sealed).toMatch(/^v1\./);
    expect(key.sealed).not.toMatch(/PRIVATE KEY|"d"/);
  }
});

test('RV-01: revocation of a refresh token revokes its token family, including access tokens', async () => {
  const zero = await tokensFor(browser, conf);
  const one = tokensOf(await refresh(door, conf, zero.refreshToken));
  const answer = await revoke(door, conf, one.refreshToken);
  expect(answer.status).toBe(200);
  for (const presented of [zero.accessToken, one.accessToken, one.refreshToken])
    expect(await stateOf(presented)).toEqual({ active: false });
  expectError(await refresh(door, conf, one.refreshToken), 'invalid_grant');
  expect((await revoke(door, conf, one.refreshToken)).status).toBe(200);
});

test('RV-01: the revocation response is an empty JSON object, for clients that parse every response as JSON', async () => {
  const { refreshToken } = await tokensFor(browser, conf);
  for (const presented of [refreshToken, 'never one of ours']) {
    const answer = await revoke(door, conf, presented);
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json']);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.json()).toEqual({});
  }
});

test('RV-01: revoking a used refresh token also revokes its token family, and revoking an access token revokes nothing else', async () => {
  const zero = await tokensFor(browser, conf);
  const one = tokensOf(await refresh(door, conf, zero.refreshToken));
  await revoke(door, conf, one.accessToken);
  expect(await isActive(door, one.accessToken)).toBe(false);
  expect(await isActive(door, one.refreshToken)).toBe(true);
  await revoke(door, conf, zero.refreshToken);
  expect(await isActive(door, one.refreshToken)).toBe(false);
  const opaque = await billingTokens();
  expect(await isActive(door, opaque.accessToken, billing)).toBe(true);
  await revoke(door, conf, opaque.accessToken);
  expect(await isActive(door, opaque.accessToken, billing)).toBe(false);
  expect(await isActive(door, opaque.refreshToken, billing)).toBe(true);
});

test('RV-02: garbage and another client’s token return 200, and nothing is revoked', async () => {
  const tokens = await tokensFor(browser, conf);
  for (const presented of ['x', `ghr_${'A'.repeat(43)}`, `${tokens.accessToken}x`, 'é\u0000']) {
    expect((await revoke(door, conf, presented)).status).toBe(200);
  }
  for (const presented of Object.values(tokens))
    expect((await revoke(door, conf2, presented)).status).toBe(200);
  expect(await isActive(door, tokens.accessToken)).toBe(true);
  expectError(await revoke(door, { ...conf, secret: 'wrong' }, tokens.refreshToken), 'invalid_client');
  expectError(await revoke(door, conf, ''), 'invalid_request');
  expectTokens(await refresh(door, conf, tokens.refreshToken));
});

test('RV-03: a wrong token_type_hint is ignored', async () => {
  const tokens = await tokensFor(browser, conf);
  await revoke(door, conf, tokens.refreshToken, { token_type_hint: 'access_token' });
  expect(await isActive(door, tokens.refreshToken)).toBe(false);
  const more = await tokensFor(browser, conf);
  await revoke(door, conf, more.accessToken, { token_type_hint: 'nonsense' });
  expect(await isActive(door, more.accessToken)).toBe(false);
});

test('RV-05: introspection of any inactive token returns exactly {"active":false}', async () => {
  const inactive = { active: false };
  const used = await tokensFor(browser, conf);
  await refresh(door, conf, used.refreshToken);
  expect(await stateOf(used.refreshToken)).toEqual(inactive);
  const expired = await billingTokens();
  await expire('opaque_tokens', expired.accessToken);
  await expire('refresh_tokens', expired.refreshToken);
  for (const presented of Object.values(expired)) expect(await stateOf(presented, billing)).toEqual(inactive);
  const jwt = (await tokensFor(browser, conf)).accessToken;
  const [header = '', payload = '', signature = ''] = jwt.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const forged = [
    `${header}.${payload}.`,
    `${header}.${encode({ ...claims, scope: 'read write' })}.${signature}`,
    `${encode({ alg: 'none', typ: 'at+jwt' })}.${payload}.`,
    `${encode({ ...JSON.parse(Buffer.from(header, 'base64url').toString()), kid: '../../etc/passwd' })}.${payload}.${signature}`,
  ];
  for (const presented of [...forged, 'x', 'a.b.c', `gha_${'A'.repeat(43)}`])
    expect(await stateOf(presented)).toEqual(inactive);
  expect(await isActive(door, jwt)).toBe(true);
});

test('section 6: introspection of an active token returns user, client and expiry', async () => {
  const opaque = await billingTokens();
  expect(await stateOf(opaque.accessToken, billing)).toMatchObject({
    active: true,
    iss: issuerOf(door, 'pw', 'billing'),
    aud: fixtureApi('billing').url,
    sub: person.id,
    client_id: conf.clientId,
    scope: 'read',
    token_type: 'bearer',
  });
  const form = { ...credentialsOf(conf), token: opaque.accessToken };
  expect((await send(`${issuerOf(door, 'pw', 'orders')}/introspect`, { form })).json()).toMatchObject({
    active: true,
  });
});
