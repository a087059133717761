// Area A, the addresses outside of issuers: health, readiness, the callback, rejections of the exchange, and the
// documentation (specification 4.1 to 4.4, cases AA).
import { expect, test } from '@playwright/test';
import { fixtureClient } from '#testing/data/fixtures.ts';
import { send } from '#testing/net/http.ts';
import { Browser, signIn } from '#testing/service/browser.ts';
import { basic, redeem, redemptionOf, refresh, tokensOf } from '#testing/service/token.ts';
import { expectError, expectTokens, expectValidationError } from '../../support/clients/expectations.ts';
import { makePerson } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';

const conf = fixtureClient('conf');

const callback = (rest: string) => send(`${door.url}/auth/callback/broker${rest}`);

test('AA-01: /health returns ok and the version, for GET and HEAD only, without database information', async () => {
  const answer = await send(`${door.url}/health`);
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toMatch(/^application\/json/);
  expect(answer.json()).toEqual({ status: 'ok', version: '0.1.0' });
  const head = await send(`${door.url}/health`, { method: 'HEAD' });
  expect(head.status).toBe(200);
  expect(head.text).toBe('');
  // Next sends no Content-Length header, which HTTP allows
  const length = String(Buffer.byteLength(answer.text));
  expect(head.headers['content-length'] ?? length).toBe(length);
  expect((await send(`${door.url}/health`, { method: 'POST', body: '' })).status).toBe(405);
  expect((await send(`${door.url}/health?x=${'%00'}`)).status).toBe(200);
});

test('section 4: /ready names each check, and no address or password of the database', async () => {
  const answer = await send(`${door.url}/ready`);
  expect(answer.status).toBe(200);
  expect(Object.keys(answer.json()['checks'] as object).length).toBeGreaterThan(0);
  expect(answer.text).not.toMatch(/postgres|password|@localhost/i);
});

test('AA-02: a code without a pending sign-in is returned as received, and nobody is signed in', async () => {
  const answer = await callback('/abc?state=xyz');
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toMatch(/^application\/json/);
  expect(answer.headers['cache-control']).toContain('no-store');
  expect(answer.json()).toEqual({
    status: 'received',
    code: 'abc',
    state: 'xyz',
    token_endpoint: `${door.url}/auth/token`,
  });
  expect(answer.headers['set-cookie']).toBeUndefined();
  expect((await callback('/abc')).json()).toMatchObject({ status: 'received', state: null });
});

test('AA-03: the redirect address of a broker accepts the code in the query too', async () => {
  expect((await callback('?code=abc&state=xyz')).json()).toMatchObject({
    status: 'received',
    code: 'abc',
    state: 'xyz',
  });
  expect((await callback('?error=access_denied&state=xyz')).json()).toMatchObject({
    status: 'failed',
    error: 'access_denied',
  });
  expectValidationError(await callback(''), ['query', 'code']);
  expect((await callback('?code=abc')).headers['set-cookie']).toBeUndefined();
});

test('AA-04, SPEC 7: a code that is too long or contains invisible or non-ASCII characters returns 422', async () => {
  expect((await callback(`/${'c'.repeat(4_096)}`)).status).toBe(200);
  expectValidationError(await callback(`/${'c'.repeat(4_097)}`), ['path', 'code'], 'string_too_long');
  for (const code of ['%00', 'a%20b', '%C3%A9', 'a%0Ab', '%7f'])
    expectValidationError(await callback(`/${code}`), ['path', 'code']);
  expect((await callback('/a%2Fb')).json()).toMatchObject({ code: 'a/b' });
});

test('AA-04: a malformed escape in an address returns 422', async () => {
  expectValidationError(await callback('/%zz'), ['path', 'code']);
});

test('AA-05: a long or repeated state returns 422, and an empty state is ignored', async () => {
  expect((await callback(`/abc?state=${'s'.repeat(2_048)}`)).status).toBe(200);
  expectValidationError(
    await callback(`/abc?state=${'s'.repeat(2_049)}`),
    ['query', 'state'],
    'string_too_long',
  );
  expectValidationError(await callback('/abc?state=a&state=b'), ['query', 'state']);
  expect((await callback('/abc?state=')).json()['state']).toBeNull();
});

test('AA-04: input appears as text, never as markup', async () => {
  const answer = await send(
    `${door.url}/auth/callback/broker/%3Cscript%3Ealert(1)%3C%2Fscript%3E?state=%3Cb%3E`,
    {
      headers: { accept: 'text/html' },
    },
  );
  if (/^text\/html/.test(String(answer.headers['content-type'])))
    expect(answer.text).not.toContain('<script>alert');
  else expect(answer.headers['x-content-type-options']).toBe('nosniff');
});

test('AA-11: /auth/token rejects codes and refresh tokens of an issuer without revoking them', async () => {
  const browser = await signIn(door, await makePerson(), conf);
  const given = await browser.codeFor(conf);
  const url = `${door.url}/auth/token`;
  const refused = await send(url, { form: redemptionOf(conf, given) });
  expectError(refused, ['invalid_grant', 'invalid_request', 'unsupported_grant_type', 'unauthorized_client']);
  const tokens = tokensOf(await redeem(door, conf, given));
  const form = { grant_type: 'refresh_token', refresh_token: tokens.refreshToken };
  const headers = basic(conf.clientId, conf.secret ?? '');
  expectError(await send(url, { form, headers }), [
    'unsupported_grant_type',
    'invalid_grant',
    'unauthorized_client',
  ]);
  expectTokens(await refresh(door, conf, tokens.refreshToken));
});

test('section 6: the exchange authenticates its client as required in section 5', async () => {
  const url = `${door.url}/auth/token`;
  const form = { grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange', subject_token: 'x' };
  expectError(await send(url, { form, headers: basic('conf', 'wrong') }), 'invalid_client');
  expectError(await send(url, { form }), ['invalid_request', 'invalid_client']);
  expectError(
    await send(url, { form: { client_id: 'conf', client_secret: conf.secret ?? '' } }),
    'invalid_request',
  );
  expectError(await send(url, { body: 'x', headers: { 'content-type': 'text/plain' } }), 'invalid_request');
});

test('AA-12: the documentation is one HTML page that contains every address', async () => {
  const answer = await send(`${door.url}/documentation`);
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
  for (const words of [
    '/health',
    '/auth/callback/broker/',
    '/auth/token',
    '/authorize',
    '/token',
    '/documentation',
    'curl',
  ]) {
    expect(answer.text).toContain(words);
  }
  expect(answer.headers['set-cookie']).toBeUndefined();
  expect(answer.text).not.toContain(conf.secret ?? '');
});

test('section 4: openapi.json is OpenAPI 3.1 of version 0.1.0, with the paths of issuers and the paths outside of issuers', async () => {
  const answer = await send(`${door.url}/openapi.json`);
  expect(answer.status).toBe(200);
  const document = answer.json() as { openapi: string; info: { version: string }; paths: object };
  expect(document.openapi).toMatch(/^3\.1\./);
  expect(document.info.version).toBe('0.1.0');
  const paths = Object.keys(document.paths).join(' ');
  for (const path of ['/health', '/auth/callback/broker/{code}', '/auth/token', '/authorize', '/token'])
    expect(paths).toContain(path);
  const posted = await send(`${door.url}/openapi.json`, { method: 'POST', body: '' });
  expectError(posted, 'invalid_request', 405);
  expect(posted.headers['allow']).toContain('GET');
});

test('AA-06: a callback cannot affect a pending authorize request', async () => {
  const fresh = new Browser(door);
  await fresh.start(conf);
  await fresh.get(`${door.url}/auth/callback/broker/abc?state=xyz`);
  const silent = await fresh.ask(conf, { prompt: 'none' });
  expect(silent.location).toContain('error=login_required');
});
