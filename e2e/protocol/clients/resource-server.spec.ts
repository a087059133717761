// The code of docs/how-to/protect-an-api.md, run against the service (cases JW, SU-07; RFC 6750).
import { createPublicKey, randomUUID } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import http from 'node:http';
import { expect, test } from '@playwright/test';
import { exportJWK, generateKeyPair, type JWK, UnsecuredJWT } from 'jose';
import { writeSnippet } from '#testing/code/doc-snippets.ts';
import { fixtureApi, fixturePerson } from '#testing/data/fixtures.ts';
import { issuerOf } from '#testing/net/door.ts';
import { send } from '#testing/net/http.ts';
import { type Listening, listen } from '#testing/net/listen.ts';
import { claimsOf, introspect, revoke } from '#testing/service/token.ts';
import {
  bearer,
  expectInvalid,
  forged,
  REPLACED,
  serve,
  tokenAt,
} from '../../support/clients/resource-server.ts';
import { clearAddressAttempts, makeApi, makeClient, makePerson } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';
import { campusPerson } from '../../support/service/external.ts';

let api: Listening;
let token: string;
const call = (headers: Record<string, string | string[]>, path = '/') =>
  send(`${api.url}${path}`, { headers });

test.beforeAll(async () => {
  await clearAddressAttempts();
  api = await serve(writeSnippet('protect.mjs', door.url, REPLACED));
  token = await tokenAt('pw', fixturePerson('alice'));
});
test.afterAll(() => api.close());

test('JW-08: an API call with an access token succeeds, and its claims follow RFC 9068', async () => {
  const answer = await call(bearer(token));
  expect(answer.status).toBe(200);
  const claims = answer.json();
  for (const name of ['sub', 'client_id', 'scope', 'jti', 'iat', 'exp', 'iss', 'aud', 'auth_time']) {
    expect(claims).toHaveProperty(name);
  }
  expect(claims['sub']).not.toContain('@');
  expect(claims['iss']).toBe(issuerOf(door));
});

test('an API accepts tokens of all its methods with one key set', async () => {
  const answer = await call(bearer(await tokenAt('ext', campusPerson())));
  expect([answer.status, answer.json()['iss']]).toEqual([200, issuerOf(door, 'ext')]);
});

test('JW-10: a missing token returns a challenge without an error, and an invalid token returns invalid_token', async () => {
  for (const headers of [{}, { authorization: 'Basic YTpi' }, { authorization: 'Bearer' }]) {
    const answer = await call(headers as Record<string, string>);
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Bearer']);
  }
  for (const bad of ['x', `${token}x`, token.slice(0, -2), 'gha_nonsense'])
    expectInvalid(await call(bearer(bad)));
  const narrow = await call(bearer(token), '/admin');
  expect(narrow.status).toBe(403);
  expect(narrow.headers['www-authenticate']).toMatch(/^Bearer error="insufficient_scope".*scope="admin"$/);
});

test('JW-09: the scheme of the Authorization header is case-insensitive, and duplicate headers are rejected', async () => {
  for (const scheme of ['bearer', 'BEARER']) {
    expect((await call({ authorization: `${scheme} ${token}` })).status).toBe(200);
  }
  const twice = await call({ authorization: [`Bearer ${token}`, `Bearer ${token}`] });
  expect(twice.status).toBe(400);
  expect(twice.headers['www-authenticate']).toContain('error="invalid_request"');
});

test('JW-01: a token without a signature is rejected', async () => {
  for (const alg of ['none', 'None', 'NONE', 'nOnE', ''])
    expectInvalid(await call(bearer(await forged(token, { alg }))));
  expectInvalid(await call(bearer(await forged(token, {}))));
  expectInvalid(await call(bearer(new UnsecuredJWT(claimsOf(token)).encode())));
});

test('JW-02: HS256 with the public key as its secret is rejected', async () => {
  const { keys } = (await send(`${issuerOf(door)}/jwks`)).json() as { keys: (JWK & { kid: string })[] };
  for (const jwk of keys) {
    const key = createPublicKey({ key: jwk as never, format: 'jwk' });
    const pem = key.export({ type: 'spki', format: 'pem' }).toString();
    const der = key.export({ type: 'spki', format: 'der' });
    for (const secret of [pem, pem.trim(), JSON.stringify(jwk), der]) {
      const bytes = new Uint8Array(Buffer.from(secret as string));
      expectInvalid(await call(bearer(await forged(token, { alg: 'HS256', kid: jwk.kid }, bytes))));
    }
  }
});

test('JW-04: a token with an unknown kid is rejected without a key fetch per call', async () => {
  const { privateKey } = await generateKeyPair('ES256');
  let fetched = 0;
  const count = (message: unknown) => {
    if (String((message as { request: { path: string } }).request.path).endsWith('/jwks')) fetched += 1;
  };
  const fresh = await serve(writeSnippet('protect.mjs', door.url, REPLACED));
  const ask = (presented: string) => send(`${fresh.url}/`, { headers: bearer(presented) });
  subscribe('undici:request:create', count);
  expect((await ask(token)).status).toBe(200);
  const kids = [randomUUID(), '../../etc/passwd', "' or 1=1 --", 'x'.repeat(10_000), ''];
  for (const kid of [...kids, ...Array.from({ length: 20 }, () => randomUUID())]) {
    expectInvalid(await ask(await forged(token, { kid }, privateKey)));
  }
  unsubscribe('undici:request:create', count);
  expect(fetched).toBe(1);
  fresh.close();
  // a token with the kid of a Gatehouse key is invalid if another key signed it
  expectInvalid(await call(bearer(await forged(token, {}, privateKey))));
});

test('JW-05: keys and key addresses in the token itself are ignored', async () => {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const jwk = await exportJWK(publicKey);
  let asked = 0;
  const { url, close } = await listen(
    http.createServer((_, response) => {
      asked += 1;
      response.end(JSON.stringify({ keys: [{ ...jwk, kid: 'theirs' }] }));
    }),
  );
  const headers = [{ jwk }, { jku: url }, { x5u: url }, { x5c: [Buffer.from('x').toString('base64')] }];
  for (const header of headers) {
    expectInvalid(await call(bearer(await forged(token, header, privateKey))));
    expectInvalid(await call(bearer(await forged(token, { ...header, kid: 'theirs' }, privateKey))));
  }
  expect(asked).toBe(0);
  await close();
});

test('SU-07: a token for another API is rejected', async () => {
  const other = await makeApi();
  const client = await makeClient({ trusted: true, apis: [other.id] });
  const person = await makePerson();
  expectInvalid(await call(bearer(await tokenAt('pw', person, other.id, client))));
});

test('a failed key fetch returns 503, not 401', async () => {
  const gone = await serve(writeSnippet('protect.mjs', 'http://127.0.0.1:1', REPLACED));
  const answer = await send(`${gone.url}/`, { headers: bearer(token) });
  expect(answer.status).toBe(503);
  gone.close();
});

test('the snippet introspects an opaque token, and returns null after its revocation', async () => {
  const client = await makeClient({ trusted: true, apis: ['billing'] });
  const person = await makePerson();
  const opaque = await tokenAt('pw', person, 'billing', client);
  const { secret } = fixtureApi('billing');
  expect((await introspect(door, opaque, { id: 'billing', secret })).json()['active']).toBe(true);
  process.env['INTROSPECTION_SECRET'] = secret;
  const file = writeSnippet('introspect.mjs', door.url, { "'local'": "'pw'" });
  const snippet = (await import(file)) as {
    introspect: (token: string) => Promise<Record<string, unknown> | null>;
  };
  expect(await snippet.introspect(opaque)).toMatchObject({ sub: person.id, client_id: client.clientId });
  expect(await snippet.introspect('gha_nonsense')).toBeNull();
  await revoke(door, client, opaque);
  expect(await snippet.introspect(opaque)).toBeNull();
});
