// Authorization codes: 60 seconds, single use, bound to their client (cases CD).
import { expect, test } from '@playwright/test';
import { fixtureClient } from '#testing/data/fixtures.ts';
import { sha256 } from '#testing/data/world.ts';
import { issuerOf } from '#testing/net/door.ts';
import { send } from '#testing/net/http.ts';
import { freshPkce } from '#testing/net/pkce.ts';
import { type Browser, signIn } from '#testing/service/browser.ts';
import {
  isActive,
  redeem,
  redemptionOf,
  refresh,
  token,
  tokensFor,
  tokensOf,
  tokenUrl,
} from '#testing/service/token.ts';
import { expectError, expectTokens } from '../../support/clients/expectations.ts';
import { expire, makeClient, makePerson, rowsOf, sql } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';

const conf2 = fixtureClient('conf2');

let browser: Browser;
let conf: Awaited<ReturnType<typeof makeClient>>;

test.beforeAll(async () => {
  conf = await makeClient({ apis: ['orders', 'billing'] });
  browser = await signIn(door, await makePerson(), conf);
});

test('CD-01: reuse of a code by the same client returns invalid_grant and revokes the issued tokens', async () => {
  const given = await browser.codeFor(conf, { pkce: true });
  const tokens = tokensOf(await redeem(door, conf, given));
  expect(await isActive(door, tokens.accessToken)).toBe(true);
  expectError(await redeem(door, conf, given), 'invalid_grant');
  expect(await isActive(door, tokens.accessToken)).toBe(false);
  expectError(await refresh(door, conf, tokens.refreshToken), 'invalid_grant');
});

test('CD-02: a code still returns invalid_grant 30 seconds after its first use', async () => {
  const given = await browser.codeFor(conf);
  const tokens = tokensOf(await redeem(door, conf, given));
  await sql("update codes set used_at = now() - interval '30 seconds' where code_hash = $1", [
    sha256(given.code),
  ]);
  expectError(await redeem(door, conf, given), 'invalid_grant');
  expect(await isActive(door, tokens.accessToken)).toBe(false);
});

test('CD-03: a replay of a used code without the right credentials does not revoke the owner’s tokens', async () => {
  const given = await browser.codeFor(conf, { pkce: true });
  const tokens = tokensOf(await redeem(door, conf, given));
  expectError(await redeem(door, { ...conf, secret: 'wrong' }, given), 'invalid_client');
  expectError(await redeem(door, conf, { ...given, verifier: freshPkce().verifier }), 'invalid_grant');
  expectError(await redeem(door, conf, { code: given.code }), 'invalid_grant');
  expectError(await redeem(door, conf2, given), 'invalid_grant');
  expectError(await redeem(door, conf, given, { at: { api: 'billing' } }), 'invalid_grant');
  expect(await isActive(door, tokens.accessToken)).toBe(true);
  expectTokens(await refresh(door, conf, tokens.refreshToken));
});

test('CD-04: of 50 parallel redemptions of one code, exactly one succeeds', async () => {
  const client = await makeClient();
  const given = await browser.codeFor(client);
  const answers = await Promise.all(Array.from({ length: 50 }, () => redeem(door, client, given)));
  const refused = answers.filter((answer) => answer.status !== 200);
  expect(refused).toHaveLength(49);
  for (const answer of refused) expectError(answer, 'invalid_grant');
  expect(await rowsOf(client.clientId)).toMatchObject({ used_codes: 1, families: 1, refresh_tokens: 1 });
});

test('CD-05: after 60 seconds by the database clock, a code returns invalid_grant and nothing changes', async () => {
  const client = await makeClient();
  const given = await browser.codeFor(client);
  const [row] = await sql<{ life: number }>(
    'select extract(epoch from expires_at - issued_at)::int as life from codes where code_hash = $1',
    [sha256(given.code)],
  );
  expect(row?.life).toBe(60);
  await expire('codes', given.code);
  const before = await rowsOf(client.clientId);
  expectError(await redeem(door, client, given), 'invalid_grant');
  expect(await rowsOf(client.clientId)).toEqual(before);
});

test('CD-06: a code with any change returns invalid_grant, and the code itself still works', async () => {
  const { code } = await browser.codeFor(conf);
  const flipped = code.endsWith('A') ? 'B' : 'A';
  const swapped = code.replace(/[a-z](?=[^a-z]*$)/, (letter) => letter.toUpperCase());
  const changed = [
    code.slice(0, -1) + flipped,
    code.slice(0, -1),
    swapped,
    code.toUpperCase(),
    `${code} `,
    `${code}\n`,
    `${code}=`,
    `${code}\u0000`,
    ` ${code}`,
  ];
  for (const candidate of changed)
    expectError(await redeem(door, conf, { code: candidate }), 'invalid_grant');
  for (const tail of ['%20', '%0a', '=', '%00']) {
    const body = `${new URLSearchParams(redemptionOf(conf, { code })).toString()}${tail}`;
    const answer = await send(tokenUrl(door), {
      body,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expectError(answer, 'invalid_grant');
  }
  expectTokens(await redeem(door, conf, { code }));
});

test('CD-07: an unknown code returns invalid_grant, a missing one invalid_request', async () => {
  for (const code of ['x', `ghc_${'A'.repeat(43)}`, 'é'.repeat(43)]) {
    expectError(await redeem(door, conf, { code }), 'invalid_grant');
  }
  expectError(await redeem(door, conf, { code: '' }), 'invalid_request');
});

test('CD-08: redirect_uri is optional, but must equal the value in the authorize request', async () => {
  const at = (redirectUri: string, given: { code: string }) =>
    token(door, { ...redemptionOf(conf, given), redirect_uri: redirectUri });
  const given = await browser.codeFor(conf);
  expectError(await at(`${conf.redirectUri}/`, given), 'invalid_grant');
  expectError(await at(conf2.redirectUri, given), 'invalid_grant');
  expectTokens(await at(conf.redirectUri, given));
  expectTokens(await redeem(door, conf, await browser.codeFor(conf)));
});

test('CD-10: codes are distinct and contain at least 128 random bits', async () => {
  const codes = await Promise.all(Array.from({ length: 40 }, async () => (await browser.codeFor(conf)).code));
  expect(new Set(codes).size).toBe(codes.length);
  for (const code of codes)
    expect(Buffer.from(code.replace(/^\w{3}_/, ''), 'base64url').length).toBeGreaterThanOrEqual(16);
  // equal characters at one position would prove missing randomness
  for (let at = 4; at < 46; at += 1) expect(new Set(codes.map((code) => code[at])).size).toBeGreaterThan(4);
});

test('CD-11: a credential never works as a credential of another kind', async () => {
  const given = await browser.codeFor(conf);
  const tokens = await tokensFor(browser, conf);
  const jwt = tokens.accessToken;
  const sealed = [...browser.jar.cookies.values()];
  for (const code of [tokens.refreshToken, jwt, ...sealed]) {
    expectError(await redeem(door, conf, { code }), 'invalid_grant');
  }
  for (const presented of [given.code, jwt, ...sealed]) {
    expectError(await refresh(door, conf, presented), 'invalid_grant');
  }
  for (const presented of [given.code, ...sealed]) expect(await isActive(door, presented)).toBe(false);
  expectTokens(await redeem(door, conf, given));
});

test('LK-06: expired, used and unknown codes return the same error text', async () => {
  const expired = await browser.codeFor(conf);
  await expire('codes', expired.code);
  const used = await browser.codeFor(conf);
  await redeem(door, conf, used);
  const answers = [];
  for (const code of [expired.code, used.code, `ghc_${'A'.repeat(43)}`])
    answers.push(await redeem(door, conf, { code }));
  expect(new Set(answers.map((answer) => answer.json()['error_description'])).size).toBe(1);
});

test('section 5: a code whose subscription was suspended after its issue returns unauthorized_client', async () => {
  const client = await makeClient();
  const given = await browser.codeFor(client);
  await sql("update subscriptions set state = 'suspended' where client_id = $1", [client.clientId]);
  expectError(await redeem(door, client, given), 'unauthorized_client');
  const denied = await browser.ask(client);
  expect(new URL(denied.location).searchParams.get('error')).toBe('unauthorized_client');
  expect(denied.location).toContain(encodeURIComponent(issuerOf(door)));
});
