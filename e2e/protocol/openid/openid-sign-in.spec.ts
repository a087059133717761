// The conformance suite's modules about the sign-in itself and its ID token (plan Basic OP), each test named after its
// module. The suite requires https; here http on localhost takes its place.
import { expect, test } from '@playwright/test';
import { decodeProtectedHeader } from 'jose';
import * as openid from 'openid-client';
import type { Person } from '#testing/data/world.ts';
import { issuerOf } from '#testing/net/door.ts';
import { send } from '#testing/net/http.ts';
import { Browser, queryOf } from '#testing/service/browser.ts';
import { expectErrorRedirect } from '../../support/clients/expectations.ts';
import { openIdCast, RelyingParty } from '../../support/clients/openid.ts';
import { makeClient } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';

/**
 * Claims that an ID token may contain although the client did not request them (Core §2, §3.1.3.6; RP-Initiated
 * Logout §2).
 */
const UNASKED = ['iss', 'sub', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'acr', 'amr', 'at_hash', 'sid'];

let rp: RelyingParty;
let person: Person;

test.beforeAll(async () => {
  ({ rp, person } = await openIdCast(door));
});

test('oidcc-server: a sign-in uses metadata and keys, and returns code, tokens, ID token and userinfo', async () => {
  const { jwks_uri: jwks = '', issuer } = rp.metadata;
  const keys = (await send(jwks)).json()['keys'] as Record<string, string>[];
  const kids = keys.map(({ kid }) => kid);
  expect(kids.every((kid) => typeof kid === 'string' && kid !== '')).toBe(true);
  expect(new Set(kids).size).toBe(kids.length);
  for (const key of keys) expect(key).not.toHaveProperty('d');

  const signedIn = await rp.signIn(new Browser(door), person);
  const { tokens, claims, answer } = signedIn;
  expect([...answer.searchParams.keys()]).toEqual(['code', 'state', 'iss']);
  expect(answer.searchParams.get('iss')).toBe(issuer);
  // a code must contain at least 128 random bits (RFC 6749 §10.10)
  expect(answer.searchParams.get('code')).toMatch(/^[\w-]{43,}$/);
  expect(tokens.token_type).toBe('bearer');
  expect(tokens.expires_in).toBeGreaterThan(0);
  expect(claims.sub).toBe(person.id);
  expect(claims.aud).toBe(rp.client.clientId);
  expect(Object.keys(claims).filter((claim) => !UNASKED.includes(claim))).toEqual([]);
  expect(await rp.userinfo(signedIn)).toEqual({ sub: person.id });
});

test('oidcc-response-type-missing: the client receives invalid_request', async () => {
  const { params } = rp.request({ response_type: undefined });
  const answer = await new Browser(door).authorize(params);
  const { state = null } = params;
  expectErrorRedirect(answer, door, ['invalid_request', 'unsupported_response_type'], {
    ...rp.client,
    state,
  });
});

test('oidcc-idtoken-signature: the default is RS256, with the kid of a published key', async () => {
  const { idToken } = await rp.signIn(new Browser(door), person);
  const { alg, kid } = decodeProtectedHeader(idToken);
  expect(alg).toBe('RS256');
  const keys = (await send(rp.metadata.jwks_uri ?? '')).json()['keys'] as Record<string, string>[];
  expect(keys.find((key) => key['kid'] === kid)).toMatchObject({ kty: 'RSA', alg: 'RS256', use: 'sig' });
});

test('oidcc-idtoken-unsigned: the metadata do not offer the algorithm "none"', () => {
  // the suite skips the module unless the metadata list this algorithm
  const { id_token_signing_alg_values_supported: offered = [] } = rp.metadata;
  expect(offered).toContain('RS256');
  expect(offered).not.toContain('none');
});

test('oidcc-ensure-request-without-nonce-succeeds-for-code-flow: the ID token contains no nonce', async () => {
  const { claims } = await rp.signIn(new Browser(door), person, { nonce: undefined });
  expect(claims).not.toHaveProperty('nonce');
});

test('oidcc-alternate-happy-flow: the order of scopes and parameters does not matter', async () => {
  const asked = rp.request({ scope: 'email openid' });
  const reversed = Object.fromEntries(Object.entries(asked.params).reverse());
  const answer = await new Browser(door).finish(reversed, person);
  const signedIn = await rp.finish(asked, answer.location);
  expect(await rp.userinfo(signedIn)).toEqual({
    sub: person.id,
    email: person.email,
    email_verified: false,
  });
  for (const claim of ['name', 'email']) expect(signedIn.claims).not.toHaveProperty(claim);
});

test('oidcc-server-client-secret-post: a client sends its secret in the form', async () => {
  const client = await makeClient({ kind: 'confidential' });
  const authentication = openid.ClientSecretPost(client.secret);
  expect(rp.metadata['token_endpoint_auth_methods_supported']).toContain('client_secret_post');
  const posting = await RelyingParty.at(door, client, { authentication });
  const signedIn = await posting.signIn(new Browser(door), person);
  expect(await posting.userinfo(signedIn)).toEqual({ sub: person.id });
});

test('oidcc-ensure-request-with-valid-pkce-succeeds: the metadata offer S256, and a request with S256 succeeds', async () => {
  expect(rp.metadata['code_challenge_methods_supported']).toEqual(['S256']);
  const asked = await rp.pkceRequest();
  const answer = await new Browser(door).finish(asked.params, person);
  expect((await rp.finish(asked, answer.location)).claims.sub).toBe(person.id);
});

test('oidcc-ensure-post-request-succeeds: a POST to authorize succeeds', async () => {
  const browser = new Browser(door);
  const asked = rp.request();
  const posted = await send(`${issuerOf(door)}/authorize`, {
    body: queryOf(asked.params),
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' },
    jar: browser.jar,
  });
  const page = await browser.onward(posted);
  const decided = await browser.onward(await browser.signInOn(page, person));
  const answer = decided.location ? decided : await browser.onward(await browser.decideOn(decided, 'allow'));
  expect((await rp.finish(asked, answer.location)).claims.sub).toBe(person.id);
});

test('oidcc-ensure-request-with-unknown-parameter-succeeds: an unknown parameter is ignored', async () => {
  const { claims } = await rp.signIn(new Browser(door), person, { extra: 'foobar' });
  expect(claims.sub).toBe(person.id);
});
