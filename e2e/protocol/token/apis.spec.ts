// Settings of an API: lifetimes, formats, required parameters, approval (contract section 3).
import { expect, test } from '@playwright/test';
import { fixtureClient } from '#testing/data/fixtures.ts';
import { type Person, sha256 } from '#testing/data/world.ts';
import { issuerOf } from '#testing/net/door.ts';
import { send } from '#testing/net/http.ts';
import { Browser, signIn } from '#testing/service/browser.ts';
import { claimsOf, passwordGrant, redeem, refresh, tokensOf } from '#testing/service/token.ts';
import {
  expectCode,
  expectErrorRedirect,
  expectPage,
  expectTokens,
} from '../../support/clients/expectations.ts';
import { makeApi, makeClient, makePerson, sql } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';

let browser: Browser;
let person: Person;
const given = async (changes: Record<string, string | number | boolean>) => {
  const { id } = await makeApi(changes);
  const client = await makeClient({ trusted: true, apis: [id] });
  return { client, at: { api: id }, issuer: issuerOf(door, 'pw', id) };
};

test.beforeAll(async () => {
  person = await makePerson();
  browser = await signIn(door, person, fixtureClient('conf'));
});

test('AZ-14: if the API requires a scope, a missing or empty one returns invalid_scope', async () => {
  const { client, at, issuer } = await given({ require_scope: true });
  for (const scope of [undefined, '']) {
    const answer = await browser.ask(client, { scope }, at);
    expectErrorRedirect(answer, door, 'invalid_scope', { ...client, issuer });
  }
  expectCode(await browser.ask(client, {}, at), door, { ...client, issuer });
});

test('section 3: expires_in and the token’s expiry follow the API’s setting', async () => {
  const { client, at } = await given({ access_token_ttl: 77, signing_alg: 'RS256' });
  const answer = await redeem(door, client, await browser.codeFor(client, { at }), { at });
  expect(answer.json()['expires_in']).toBe(77);
  const { accessToken } = tokensOf(answer);
  const claims = claimsOf(accessToken);
  expect(Number(claims['exp']) - Number(claims['iat'])).toBe(77);
  const header = JSON.parse(Buffer.from(accessToken.split('.')[0] ?? '', 'base64url').toString());
  expect(header.alg).toBe('RS256');
  const keys = (await send(`${issuerOf(door)}/jwks`)).json()['keys'] as { kid: string; kty: string }[];
  expect(keys.find((key) => key.kid === header.kid)?.kty).toBe('RSA');
});

test('section 3: opaque tokens consist of a prefix plus 256 random bits, and expire on time', async () => {
  const { client, at } = await given({ access_token_format: 'opaque', access_token_ttl: 90 });
  const { accessToken } = tokensOf(await redeem(door, client, await browser.codeFor(client, { at }), { at }));
  expect(accessToken).toMatch(/^[a-z]+_[\w-]{43}$/);
  const [row] = await sql<{ life: number }>(
    'select extract(epoch from expires_at - issued_at)::int as life from opaque_tokens where token_hash = $1',
    [sha256(accessToken)],
  );
  expect(row?.life).toBe(90);
});

test('section 3: a refresh token expires after its idle lifetime, and its token family after the absolute lifetime', async () => {
  const { client, at } = await given({ refresh_token_ttl: 100, refresh_family_ttl: 150 });
  const first = tokensOf(await redeem(door, client, await browser.codeFor(client, { at }), { at }));
  const answer = await refresh(door, client, first.refreshToken, {}, at);
  expectTokens(answer);
  const rows = await sql<{ life: number; family: number }>(
    `select extract(epoch from r.expires_at - r.issued_at)::int as life,
       extract(epoch from f.expires_at - f.created_at)::int as family
     from refresh_tokens r join token_families f on f.id = r.family_id where f.client_id = $1`,
    [client.clientId],
  );
  expect(rows).toEqual([
    { life: 100, family: 150 },
    { life: 100, family: 150 },
  ]);
});

test('section 6: the scope limit of a subscription applies to requested and omitted scopes', async () => {
  const client = await makeClient({ scopes: ['read'] });
  expectErrorRedirect(await browser.ask(client, { scope: 'write' }), door, 'invalid_scope', client);
  const answer = await redeem(door, client, await browser.codeFor(client, { params: { scope: undefined } }));
  expect(answer.json()['scope']).toBe('read');
  expect(claimsOf(tokensOf(answer).accessToken)['scope']).toBe('read');
});

test('section 6: a lowered scope limit applies at the next refresh and appears in its response, trusted or not', async () => {
  for (const trusted of [false, true]) {
    const client = await makeClient({ trusted });
    const code = await browser.codeFor(client, { params: { scope: 'read write' } });
    const { refreshToken } = tokensOf(await redeem(door, client, code));
    await sql("update subscriptions set scopes = '{read}' where client_id = $1", [client.clientId]);
    const lowered = await refresh(door, client, refreshToken);
    expect(claimsOf(tokensOf(lowered).accessToken)['scope']).toBe('read');
    expect(lowered.json()['scope']).toBe('read');
    await sql("update subscriptions set scopes = '{}' where client_id = $1", [client.clientId]);
    const full = await refresh(door, client, tokensOf(lowered).refreshToken);
    expect(claimsOf(tokensOf(full).accessToken)['scope']).toBe('read write');
    expect(full.json()['scope']).toBe('read write');
  }
});

test('4.6 rule 3: a subscription’s scope limit never narrows password grants or their refreshes', async () => {
  const client = await makeClient({ trusted: true, scopes: ['read'] });
  const first = tokensOf(await passwordGrant(door, client, person));
  const next = tokensOf(await refresh(door, client, first.refreshToken));
  for (const { accessToken } of [first, next]) expect(claimsOf(accessToken)['scope']).toBe('read write');
});

test('section 5: the response contains scope only if it differs from the request', async () => {
  const client = await makeClient();
  const asked = await redeem(
    door,
    client,
    await browser.codeFor(client, { params: { scope: 'write read' } }),
  );
  expect(asked.json()['scope'] ?? 'read write').toBe('read write');
  const silent = await redeem(door, client, await browser.codeFor(client, { params: { scope: undefined } }));
  expect(silent.json()['scope']).toBe('read write');
});

test('section 4: the addresses of a deleted API return 404 immediately', async () => {
  const { at, client } = await given({});
  await sql('delete from combinations where api_id = $1', [at.api]);
  expectPage(await new Browser(door).ask(client, {}, at), 404);
});
