// A refresh token works once and is replaced by a new token. Reuse of an old token revokes the token family (cases
// RT).
import { expect, test } from '@playwright/test';
import { type Client, fixtureClient } from '#testing/data/fixtures.ts';
import { type Person, sha256 } from '#testing/data/world.ts';
import type { Answer } from '#testing/net/sent.ts';
import { type Browser, signIn } from '#testing/service/browser.ts';
import {
  claimsOf,
  isActive,
  passwordGrant,
  redeem,
  refresh,
  revoke,
  token,
  tokensFor,
  tokensOf,
} from '#testing/service/token.ts';
import { expectError, expectTokens } from '../../support/clients/expectations.ts';
import { makeClient, makePerson, rowsOf, sql } from '../../support/service/database.ts';
import { nodeDoor as door, nextDoor } from '../../support/service/doors.ts';

const spa = fixtureClient('spa');
const nat = fixtureClient('nat');

let browser: Browser;
let person: Person;
let conf: Client;
const expectOneWinner = async (answers: Answer[], client: Client) => {
  const [winner, ...more] = answers.filter((answer) => answer.status === 200);
  expect(more).toHaveLength(0);
  if (!winner) throw new Error('nobody won');
  for (const answer of answers) if (answer !== winner) expectError(answer, 'invalid_grant');
  expect(await rowsOf(client.clientId)).toMatchObject({ refresh_tokens: 2, revoked_families: 0 });
  expectTokens(await refresh(door, client, tokensOf(winner).refreshToken));
};

test.beforeAll(async () => {
  conf = await makeClient();
  person = await makePerson();
  browser = await signIn(door, person, conf);
});

test('RT-01: a refresh returns a new access token and a new refresh token', async () => {
  const first = await tokensFor(browser, conf);
  const answer = await refresh(door, conf, first.refreshToken);
  expectTokens(answer);
  const second = tokensOf(answer);
  expect(second.refreshToken).not.toBe(first.refreshToken);
  expect(second.accessToken).not.toBe(first.accessToken);
});

test('RT-02: a native client refreshes without a secret', async () => {
  expectTokens(await refresh(door, nat, (await tokensFor(browser, nat)).refreshToken));
});

test('RT-03: of 50 parallel refreshes of one token exactly one succeeds, and its successor works', async () => {
  const client = await makeClient();
  const { refreshToken } = await tokensFor(browser, client);
  await expectOneWinner(
    await Promise.all(Array.from({ length: 50 }, () => refresh(door, client, refreshToken))),
    client,
  );
});

test('RT-04: of parallel refreshes at two server processes with one database, exactly one succeeds', async () => {
  const client = await makeClient();
  // redemption works on every server, because both serve identical issuers
  const { refreshToken } = await tokensFor(browser, client);
  const doors = [door, nextDoor];
  const answers = Array.from({ length: 50 }, (_, index) =>
    refresh(doors[index % 2] ?? door, client, refreshToken),
  );
  await expectOneWinner(await Promise.all(answers), client);
});

test('RT-05, SPEC 7: reuse of a refresh token whose successor was used revokes the token family', async () => {
  const zero = await tokensFor(browser, conf);
  const one = tokensOf(await refresh(door, conf, zero.refreshToken));
  const two = tokensOf(await refresh(door, conf, one.refreshToken));
  expectError(await refresh(door, conf, zero.refreshToken), 'invalid_grant');
  expectError(await refresh(door, conf, two.refreshToken), 'invalid_grant');
  expect(await isActive(door, two.accessToken)).toBe(false);
});

test('RT-06: reuse within 10 seconds fails but keeps the token family, and later reuse revokes it', async () => {
  const zero = await tokensFor(browser, conf);
  const one = tokensOf(await refresh(door, conf, zero.refreshToken));
  expectError(await refresh(door, conf, zero.refreshToken), 'invalid_grant');
  expect(await isActive(door, one.accessToken)).toBe(true);
  await sql("update refresh_tokens set used_at = now() - interval '11 seconds' where token_hash = $1", [
    sha256(zero.refreshToken),
  ]);
  expectError(await refresh(door, conf, zero.refreshToken), 'invalid_grant');
  expectError(await refresh(door, conf, one.refreshToken), 'invalid_grant');
  expect(await isActive(door, one.accessToken)).toBe(false);
});

test('RT-07: a revocation concurrent with a refresh leaves no active token in the token family', async () => {
  for (let round = 0; round < 30; round += 1) {
    const tokens = await tokensFor(browser, conf);
    const both = [refresh(door, conf, tokens.refreshToken), revoke(door, conf, tokens.refreshToken)];
    const [refreshed, revoked] = await Promise.all(both);
    expect(revoked?.status).toBe(200);
    expect([200, 400]).toContain(refreshed?.status);
    const left = refreshed?.status === 200 ? tokensOf(refreshed) : tokens;
    expect(await isActive(door, left.accessToken)).toBe(false);
    expectError(await refresh(door, conf, left.refreshToken), 'invalid_grant');
  }
});

test('RT-09: a failed client authentication neither uses nor revokes a refresh token', async () => {
  const { refreshToken } = await tokensFor(browser, conf);
  expectError(await refresh(door, { ...conf, secret: 'wrong' }, refreshToken), 'invalid_client');
  expectTokens(await refresh(door, conf, refreshToken));
});

test('RT-11: a browser client’s code is redeemed without refresh token', async () => {
  expectTokens(await redeem(door, spa, await browser.codeFor(spa)), { refreshToken: false });
});

test('RT-12: a browser client can refresh only tokens of its password grant', async () => {
  const { refreshToken } = await tokensFor(browser, conf);
  expectError(await refresh(door, spa, refreshToken), 'invalid_grant');
  const trusted = await makeClient({ kind: 'browser', trusted: true });
  const tokens = tokensOf(await passwordGrant(door, trusted, person));
  const next = tokensOf(await refresh(door, trusted, tokens.refreshToken));
  expectTokens(await refresh(door, trusted, next.refreshToken));
});

test('RT-13: a refresh with a wider scope returns invalid_scope and keeps the token valid', async () => {
  const { refreshToken } = await tokensFor(browser, conf);
  for (const scope of ['read write', 'write', 'nosuch']) {
    expectError(await refresh(door, conf, refreshToken, { scope }), 'invalid_scope');
  }
  expectTokens(await refresh(door, conf, refreshToken));
});

test('RT-14: a refresh for a narrower scope narrows one access token, and the token family keeps its scope', async () => {
  const scopeOf = (answer: Answer) => claimsOf(tokensOf(answer).accessToken)['scope'];
  const zero = await tokensFor(browser, conf, { scope: 'read write' });
  const narrow = await refresh(door, conf, zero.refreshToken, { scope: 'read' });
  expect(scopeOf(narrow)).toBe('read');
  const full = await refresh(door, conf, tokensOf(narrow).refreshToken, { scope: 'write read' });
  expect(scopeOf(full)).toBe('read write');
  expect(scopeOf(await refresh(door, conf, tokensOf(full).refreshToken))).toBe('read write');
});

test('RT-15: each refresh checks all conditions of the token family', async () => {
  const cases: [string, string, number, string][] = [
    ['update people set disabled_at = now() where id = $2', 'person disabled', 400, 'invalid_grant'],
    ['update clients set disabled_at = now() where client_id = $1', 'client disabled', 401, 'invalid_client'],
    [
      "update subscriptions set state = 'revoked' where client_id = $1",
      'subscription revoked',
      400,
      'unauthorized_client',
    ],
    [
      'update token_families set revoked_at = now() where client_id = $1',
      'family revoked',
      400,
      'invalid_grant',
    ],
  ];
  for (const [change, name, status, error] of cases) {
    const [client, someone] = [await makeClient(), await makePerson()];
    const tokens = await tokensFor(await signIn(door, someone, client), client);
    expect(await isActive(door, tokens.accessToken), name).toBe(true);
    const values = change.includes('$2') ? change.replace('$2', '$1') : change;
    await sql(values, [change.includes('$2') ? someone.id : client.clientId]);
    expectError(await refresh(door, client, tokens.refreshToken), error, status);
    expect(await isActive(door, tokens.accessToken), name).toBe(false);
  }
});

test('RT-16: a token family of the password grant ends if its subscription is no longer trusted and approved', async () => {
  for (const change of ['trusted = false', "state = 'pending'"]) {
    const client = await makeClient({ trusted: true });
    const tokens = tokensOf(await passwordGrant(door, client, person));
    await sql(`update subscriptions set ${change} where client_id = $1`, [client.clientId]);
    expectError(await refresh(door, client, tokens.refreshToken), 'unauthorized_client');
    expect(await isActive(door, tokens.accessToken)).toBe(false);
  }
});

test('RT-17: a refresh fails after the idle lifetime of its token or the absolute lifetime of its family', async () => {
  for (const table of ['refresh_tokens set expires_at', 'token_families set expires_at']) {
    const client = await makeClient();
    const { refreshToken } = await tokensFor(browser, client);
    const key = table.startsWith('refresh') ? '(select id from token_families where client_id = $1)' : '($1)';
    const column = table.startsWith('refresh') ? 'family_id' : 'client_id';
    await sql(`update ${table} = now() - interval '1 second' where ${column} in ${key}`, [client.clientId]);
    expectError(await refresh(door, client, refreshToken), 'invalid_grant');
  }
});

test('RT-17: a successor never outlives its token family', async () => {
  const client = await makeClient();
  const { refreshToken } = await tokensFor(browser, client);
  await sql("update token_families set expires_at = now() + interval '60 seconds' where client_id = $1", [
    client.clientId,
  ]);
  const next = tokensOf(await refresh(door, client, refreshToken));
  const [row] = await sql<{ left: number }>(
    'select extract(epoch from expires_at - now())::int as left from refresh_tokens where token_hash = $1',
    [sha256(next.refreshToken)],
  );
  expect(row?.left).toBeLessThanOrEqual(60);
});

test('section 5: an unknown refresh token returns invalid_grant, a missing one invalid_request', async () => {
  for (const unknown of ['x', `ghr_${'A'.repeat(43)}`])
    expectError(await refresh(door, conf, unknown), 'invalid_grant');
  const form = { grant_type: 'refresh_token', client_id: conf.clientId, client_secret: conf.secret ?? '' };
  expectError(await token(door, form), 'invalid_request');
});
