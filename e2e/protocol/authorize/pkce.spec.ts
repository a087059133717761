// PKCE (RFC 7636): S256 only, always for public clients, and never optional once a challenge was sent (cases PK).
import { expect, test } from '@playwright/test';
import { fixtureClient } from '#testing/data/fixtures.ts';
import { issuerOf } from '#testing/net/door.ts';
import { send } from '#testing/net/http.ts';
import { challengeOf, freshPkce } from '#testing/net/pkce.ts';
import { type Browser, type Params, signIn } from '#testing/service/browser.ts';
import { redeem } from '#testing/service/token.ts';
import { expectError, expectErrorRedirect, expectTokens } from '../../support/clients/expectations.ts';
import { makeClient, makePerson, rowsOf } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';

// Verifier of the example in RFC 7636, appendix B.
const V = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const CH = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

const conf = fixtureClient('conf');
const spa = fixtureClient('spa');
const nat = fixtureClient('nat');

let browser: Browser;
const refused = async (client: typeof conf, cases: Params[]) => {
  for (const changes of cases) {
    const answer = await browser.ask(client, { code_challenge: undefined, ...changes });
    expectErrorRedirect(answer, door, 'invalid_request', client);
  }
};

test.beforeAll(async () => {
  browser = await signIn(door, await makePerson(), conf);
});

test('PK-01, SPEC 7: a public client without a challenge receives invalid_request', async () => {
  for (const client of [spa, nat])
    await refused(client, [{}, { code_challenge: '', code_challenge_method: '' }]);
});

test('PK-02, SPEC 7: a challenge without a method returns invalid_request, for every client', async () => {
  for (const client of [spa, nat, conf]) await refused(client, [{ code_challenge: CH }]);
});

test('PK-03: any method except S256 returns invalid_request', async () => {
  for (const method of ['plain', 's256', 'S512', 'S256,plain'])
    for (const client of [spa, conf])
      await refused(client, [{ code_challenge: CH, code_challenge_method: method }]);
});

test('PK-04: a method without a challenge returns invalid_request', async () => {
  for (const client of [spa, nat, conf])
    await refused(client, [{ code_challenge_method: 'S256' }, { code_challenge_method: 'plain' }]);
});

test('PK-05: a challenge that is not 43 base64url characters returns invalid_request', async () => {
  const wrong = [
    CH.slice(1),
    `${CH}A`,
    `${CH.slice(1)}=`,
    `${CH.slice(1)}+`,
    `${CH.slice(1)}\u0000`,
    `${CH}=`,
    `${CH} `,
  ];
  await refused(
    spa,
    wrong.map((challenge) => ({ code_challenge: challenge, code_challenge_method: 'S256' })),
  );
});

test('PK-06, PK-07: a confidential client can omit or use PKCE', async () => {
  expectTokens(await redeem(door, conf, await browser.codeFor(conf)));
  expectTokens(await redeem(door, conf, await browser.codeFor(conf, { pkce: true })));
  expect(challengeOf(V)).toBe(CH);
  expectTokens(await redeem(door, conf, await browser.codeFor(conf, { verifier: V, pkce: true })));
});

test('PK-11: only the correct verifier succeeds, and a wrong verifier keeps the code valid', async () => {
  const given = await browser.codeFor(spa);
  const verifier = given.verifier ?? '';
  const wrong = [
    challengeOf(verifier),
    verifier.toLowerCase().replace(/^./, 'Z'),
    `${verifier}=`,
    `${verifier} `,
    `${verifier}\n`,
    `${verifier}A`,
  ];
  for (const candidate of wrong) {
    expectError(await redeem(door, spa, { ...given, verifier: candidate }), [
      'invalid_grant',
      'invalid_request',
    ]);
  }
  expectTokens(await redeem(door, spa, given), { refreshToken: false });
});

test('PK-12: a verifier outside 43 to 128 characters of the alphabet returns invalid_request', async () => {
  const given = await browser.codeFor(spa);
  const start = (given.verifier ?? '').slice(0, 42);
  for (const verifier of [
    start,
    'a'.repeat(129),
    'a'.repeat(10_000),
    `${start}+`,
    `${start}/`,
    `${start}é`,
    `${start}\u0000`,
  ]) {
    expectError(await redeem(door, spa, { ...given, verifier }), 'invalid_request');
  }
});

test('PK-13: a verifier of 43 or 128 characters with . - _ ~ is accepted', async () => {
  const { verifier } = freshPkce();
  for (const chosen of [`.-_~${verifier.slice(4)}`, `.-_~${verifier.repeat(3).slice(0, 124)}`]) {
    expectTokens(await redeem(door, spa, await browser.codeFor(spa, { verifier: chosen })), {
      refreshToken: false,
    });
  }
});

test('PK-14: an empty or missing verifier for a code with a challenge returns invalid_grant', async () => {
  for (const client of [spa, conf]) {
    const given = await browser.codeFor(client, { pkce: true });
    expectError(await redeem(door, client, { code: given.code, verifier: '' }), 'invalid_grant');
    expectError(await redeem(door, client, { code: given.code }), 'invalid_grant');
    expectTokens(await redeem(door, client, given), { refreshToken: client === conf });
  }
});

test('section 5: a verifier for a code without a challenge returns invalid_grant', async () => {
  const client = await makeClient();
  const given = await browser.codeFor(client);
  expectError(await redeem(door, client, { ...given, verifier: V }), 'invalid_grant');
  expect(await rowsOf(client.clientId)).toMatchObject({ used_codes: 0, families: 0 });
  expectTokens(await redeem(door, client, given));
});

test('PK-16: the metadata list only S256', async () => {
  const answer = await send(`${issuerOf(door)}/.well-known/oauth-authorization-server`);
  expect(answer.json()['code_challenge_methods_supported']).toEqual(['S256']);
});
