// Client authentication at the token endpoint: one method at a time, and one response to all failures (cases CA).
import { expect, test } from '@playwright/test';
import { type Client, fixtureClient, fixturePerson } from '#testing/data/fixtures.ts';
import { sha256 } from '#testing/data/world.ts';
import { send } from '#testing/net/http.ts';
import { type Browser, signIn } from '#testing/service/browser.ts';
import {
  basic,
  passwordGrant,
  redeem,
  redemptionOf,
  refresh,
  token,
  tokensFor,
  tokenUrl,
} from '#testing/service/token.ts';
import { expectError, expectTokens } from '../../support/clients/expectations.ts';
import { makeClient, makePerson, sql } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';

const conf2 = fixtureClient('conf2');
const spa = fixtureClient('spa');
const nat = fixtureClient('nat');

let browser: Browser;
let conf: Client;
const secret = () => conf.secret ?? '';
const grant = (code: string) => ({ grant_type: 'authorization_code', code });

test.beforeAll(async () => {
  conf = await makeClient();
  browser = await signIn(door, await makePerson(), conf);
});

test('CA-01: a secret in the body is accepted', async () => {
  expectTokens(await redeem(door, conf, await browser.codeFor(conf)));
});

test('CA-02: a secret in Basic works with and without client_id in the body', async () => {
  const headers = basic(conf.clientId, secret());
  expectTokens(await token(door, grant((await browser.codeFor(conf)).code), { headers }));
  const form = { ...grant((await browser.codeFor(conf)).code), client_id: conf.clientId };
  expectTokens(await token(door, form, { headers }));
});

test('CA-04: a wrong Basic secret returns 401 with a challenge, and the code remains valid', async () => {
  const given = await browser.codeFor(conf);
  for (const wrong of ['wrong', '', secret().slice(1), `${secret()} `]) {
    const answer = await token(door, grant(given.code), { headers: basic(conf.clientId, wrong) });
    expectError(answer, 'invalid_client');
    expect(answer.headers['www-authenticate']).toMatch(/^Basic realm="/);
  }
  expectTokens(await redeem(door, conf, given));
});

test('CA-05, CA-06: two authentication methods or two clients in one request return invalid_request, and the code remains valid', async () => {
  const given = await browser.codeFor(conf);
  const headers = basic(conf.clientId, secret());
  expectError(await token(door, redemptionOf(conf, given), { headers }), 'invalid_request');
  const other = { ...grant(given.code), client_id: conf2.clientId };
  expectError(await token(door, other, { headers }), 'invalid_request');
  expectTokens(await redeem(door, conf, given));
});

test('CA-07: a missing, wrong or empty secret of a confidential client returns invalid_client', async () => {
  const given = await browser.codeFor(conf, { pkce: true });
  const { secret: _, ...silent } = conf;
  for (const client of [
    silent,
    { ...conf, secret: '' },
    { ...conf, secret: 'wrong' },
    { ...conf, secret: conf2.secret ?? '' },
  ]) {
    expectError(await redeem(door, client, given), 'invalid_client');
  }
  expectTokens(await redeem(door, conf, given));
});

test('CA-03: an unknown and a disabled client return invalid_client, and a missing client invalid_request', async () => {
  const unknown = await redeem(door, { ...conf, clientId: 'nosuch' }, { code: 'x' });
  const wrong = await redeem(door, { ...conf, secret: 'wrong' }, { code: 'x' });
  const disabled = await redeem(door, fixtureClient('dis'), { code: 'x' });
  for (const answer of [unknown, wrong, disabled]) expectError(answer, 'invalid_client');
  const words = [unknown, wrong, disabled].map((answer) => answer.json()['error_description']);
  expect(new Set(words).size).toBe(1);
  expectError(await token(door, grant('x')), 'invalid_request');
});

test('CA-08: a public client that sends a secret receives invalid_client, and the code remains valid', async () => {
  for (const client of [spa, nat]) {
    const given = await browser.codeFor(client);
    expectError(await redeem(door, { ...client, secret: 'foo' }, given), 'invalid_client');
    expectTokens(await redeem(door, client, given), { refreshToken: client === nat });
  }
});

test('CA-10: a public client that sends Basic with a password receives invalid_client, and Basic without a password only names the client', async () => {
  for (const client of [spa, nat]) {
    const given = await browser.codeFor(client);
    const form = { ...grant(given.code), code_verifier: given.verifier ?? '' };
    expectError(await token(door, form, { headers: basic(client.clientId, 'foo') }), 'invalid_client');
    const answer = await token(door, form, { headers: basic(client.clientId, '') });
    expectTokens(answer, { refreshToken: client === nat });
  }
});

test('CA-13: a secret in the query is ignored', async () => {
  const given = await browser.codeFor(conf);
  const url = `${tokenUrl(door)}?client_secret=${encodeURIComponent(secret())}`;
  const answer = await send(url, { form: { ...grant(given.code), client_id: conf.clientId } });
  expectError(answer, 'invalid_client');
  expectTokens(await redeem(door, conf, given));
});

test('CA-14: a malformed Authorization header is rejected, never a server error', async () => {
  const encode = (text: string) => Buffer.from(text).toString('base64');
  const pair = encode(`${conf.clientId}:${secret()}`);
  const malformed = [
    'Basic',
    'Basic ',
    `Basic ${encode('nocolon')}`,
    'Basic ***',
    `Basic ${pair}!`,
    `Basic ${encode(`${conf.clientId}:%zz`)}`,
    `Basic ${encode(':x')}`,
    `Basic ${Buffer.from([0xff, 0x3a, 0xfe]).toString('base64')}`,
    `Bearer ${secret()}`,
    'Basic a b',
  ];
  for (const authorization of malformed) {
    const answer = await token(door, grant('x'), { headers: { authorization } });
    expectError(answer, ['invalid_request', 'invalid_client']);
  }
});

test('CA-15: a secret with : % & + é and space works in header and body', async () => {
  const client = await makeClient({ secret: 'a:b%c&d+é f/=~' });
  expectTokens(await redeem(door, client, await browser.codeFor(client)));
  const { code } = await browser.codeFor(client);
  expectTokens(await token(door, grant(code), { headers: basic(client.clientId, client.secret ?? '') }));
  const form = new URLSearchParams({ a: client.secret ?? '' }).toString().slice(2);
  const authorization = `basic ${Buffer.from(`${client.clientId}:${form}`).toString('base64')}`;
  const again = await browser.codeFor(client);
  expectTokens(await token(door, grant(again.code), { headers: { authorization } }));
});

test('CA-16: during an overlapping rotation both secrets are accepted, and afterwards only the new one', async () => {
  const client = await makeClient();
  const next = { ...client, secret: 'the-new-secret-of-this-test' };
  await sql("update client_secrets set expires_at = now() + interval '1 hour' where client_id = $1", [
    client.clientId,
  ]);
  await sql('insert into client_secrets (client_id, secret_hash) values ($1, $2)', [
    client.clientId,
    sha256(next.secret),
  ]);
  for (const known of [client, next]) expectTokens(await redeem(door, known, await browser.codeFor(known)));
  await sql(
    "update client_secrets set expires_at = now() - interval '1 second' where expires_at is not null and client_id = $1",
    [client.clientId],
  );
  expectError(await redeem(door, client, await browser.codeFor(client)), 'invalid_client');
  expectTokens(await redeem(door, next, await browser.codeFor(next)));
});

test('CA-17: a public client that became confidential needs its secret for earlier codes and refresh tokens', async () => {
  const client = await makeClient({ kind: 'native' });
  const tokens = await tokensFor(browser, client);
  const given = await browser.codeFor(client);
  await sql('insert into client_secrets (client_id, secret_hash) values ($1, $2)', [
    client.clientId,
    sha256('s'),
  ]);
  await sql("update clients set confidential = true, application_type = 'web' where client_id = $1", [
    client.clientId,
  ]);
  expectError(await redeem(door, client, given), 'invalid_client');
  expectError(await refresh(door, client, tokens.refreshToken), 'invalid_client');
});

test('CA-18: a JSON body is accepted like a form, for every grant', async () => {
  const given = await browser.codeFor(conf);
  const redeemed = await send(tokenUrl(door), { json: redemptionOf(conf, given) });
  expectTokens(redeemed);
  const form = { grant_type: 'refresh_token', client_id: conf.clientId, client_secret: secret() };
  expectTokens(
    await send(tokenUrl(door), { json: { ...form, refresh_token: redeemed.json()['refresh_token'] } }),
  );
});

test('section 5: a missing subscription returns unauthorized_client, only after authentication', async () => {
  const client = await makeClient({ apis: [] });
  const someone = fixturePerson('alice');
  expectError(await passwordGrant(door, client, someone), 'unauthorized_client');
  expectError(await redeem(door, client, { code: 'x' }), 'unauthorized_client');
  expectError(await redeem(door, { ...client, secret: 'wrong' }, { code: 'x' }), 'invalid_client');
});
