// private_key_jwt (RFC 7523, rfc7523bis, OpenID Connect Core §9), tested by requests to the protocol core. The keys are
// registered by value.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { changeApi } from '#lib/catalogue/apis/operations.ts';
import { changeClient, readClient } from '#lib/catalogue/clients/operations.ts';
import { processWide, settleBackground } from '#lib/kit/process.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { settings } from '#lib/settings/settings.ts';
import {
  ACCEPTED,
  expectReason,
  issuerHere,
  outcomeOf,
  passwordForm,
  REFUSED,
  sendAssertion,
} from '#testing/clients/asserted.ts';
import {
  ASSERTION_TYPE,
  type Changes,
  claimsFor,
  makeAssertion,
  makePair,
  type Pair,
  setOf,
} from '#testing/clients/client-keys.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, givenFixtures, jsonOf } from '#testing/in-process/in-process.ts';
import { givenTrustedClients, OPENID_PATH } from '#testing/in-process/openid.ts';

const CLIENT = 'keyed';
let pair: Pair;
let issuer: string;

beforeAll(async () => {
  await givenFixtures();
  issuer = issuerHere();
  pair = await makePair();
  const byKeys = { tokenEndpointAuthMethod: 'private_key_jwt', jwks: setOf(pair) };
  await givenTrustedClients([CLIENT, 'wide'], byKeys);
  await changeClient(OPERATOR, { clientId: 'wide', tokenEndpointAsAudience: true });
});
beforeEach(() => sql('delete from attempts'));

const assertionOf = (changes: Changes = {}, clientId = CLIENT) =>
  makeAssertion({ clientId, audience: issuer, pair }, changes);
test('Core §9: an assertion’s iss and aud are the client and the issuer, and client_id is optional', async () => {
  expect(await outcomeOf(await assertionOf())).toBe(ACCEPTED);
  expect(await outcomeOf(await assertionOf(), { form: { client_id: CLIENT } })).toBe(ACCEPTED);
  const answer = await sendAssertion(await assertionOf(), { form: passwordForm() });
  expect(answer.status, String(answer.body)).toBe(200);
});

test('RFC 7662, RFC 7009: introspection and revocation accept an assertion for the called issuer', async () => {
  const { access_token: token } = jsonOf(await sendAssertion(await assertionOf(), { form: passwordForm() }));
  for (const [endpoint, expected] of [
    ['introspect', { active: true, client_id: CLIENT }],
    ['revoke', {}],
  ] as const) {
    const form = { token: String(token), client_assertion_type: ASSERTION_TYPE };
    const good = await ask(`${OPENID_PATH}/${endpoint}`, {
      form: { ...form, client_assertion: await assertionOf() },
    });
    expect(good.status).toBe(200);
    expect(jsonOf(good)).toMatchObject(expected);
    const elsewhere = await assertionOf({ claims: { aud: issuer.replace('/pw/', '/ext/') } });
    const bad = await ask(`${OPENID_PATH}/${endpoint}`, { form: { ...form, client_assertion: elsewhere } });
    expect(bad.status).toBe(401);
  }
});

describe('the client details show the audience that the client’s assertions contain', () => {
  const assertion = async (clientId = CLIENT) => (await readClient(OPERATOR, { clientId })).assertion;
  const versions = () =>
    sql('select xmin::text as by, audience from client_assertions where client_id = $1', [CLIENT]);
  /** Simulates a new process, or the next minute. */
  const forget = () => {
    processWide<unknown>('assertion-audiences').value = undefined;
  };
  beforeEach(async () => {
    await sql('delete from client_assertions');
    forget();
  });

  test('the client details show the audience: issuer or token endpoint, alone or in a list; an unchanged audience is not stored again', async () => {
    expect(await assertion()).toBeNull();
    expect(await outcomeOf(await assertionOf())).toBe(ACCEPTED);
    await expect.poll(() => assertion()).toMatchObject({ audience: 'issuer', since: expect.any(Date) });
    const written = await versions();
    expect(await outcomeOf(await assertionOf())).toBe(ACCEPTED);
    forget();
    expect(await outcomeOf(await assertionOf())).toBe(ACCEPTED);
    const endpoint = `${issuer}/token`;
    // a client whose assertions alternate between audiences causes one write in a minute
    expect(await outcomeOf(await assertionOf({ claims: { aud: [endpoint] } }))).toBe(ACCEPTED);
    await settleBackground(5_000);
    expect(await versions()).toEqual(written);
    forget();
    expect(await outcomeOf(await assertionOf({ claims: { aud: [endpoint] } }))).toBe(ACCEPTED);
    await expect.poll(async () => (await assertion())?.audience).toBe('token_endpoint');
    expect(await versions()).not.toEqual(written);
    const after = await versions();
    expect(await outcomeOf(await assertionOf({ claims: { aud: endpoint } }))).toBe(ACCEPTED);
    expect(await versions()).toEqual(after);
    forget();
    expect(await outcomeOf(await assertionOf())).toBe(ACCEPTED);
    await expect.poll(async () => (await assertion())?.audience).toBe('issuer');
  });

  test('a rejected assertion records no audience', async () => {
    const stranger = await makePair('ES256', pair.kid);
    const aud = `${issuer}/token`;
    const twice = await assertionOf();
    for (const one of [
      await makeAssertion({ clientId: CLIENT, audience: aud, pair: stranger }),
      await assertionOf({ claims: { aud: 'https://elsewhere.example' } }),
    ])
      expect(await outcomeOf(one)).toBe(REFUSED);
    expect(await assertion()).toBeNull();
    expect(await outcomeOf(twice)).toBe(ACCEPTED);
    expect(await outcomeOf(twice)).toBe(REFUSED);
    await expect.poll(() => assertion()).toMatchObject({ audience: 'issuer' });
  });

  test('the client details show no assertion audience for clients that use a secret', async () => {
    expect(await assertion('conf')).toBeNull();
  });
});

test('the exchange endpoint belongs to no issuer, so it accepts assertions for every issuer of Gatehouse and for the endpoint itself', async () => {
  const exchange = async (aud: string, clientId = CLIENT, more: Record<string, string> = {}) =>
    ask('/auth/token', {
      form: {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        client_assertion_type: ASSERTION_TYPE,
        client_assertion: await assertionOf({ claims: { aud } }, clientId),
        ...more,
      },
    });
  expect((await exchange(issuer)).status).toBe(400);
  expect((await exchange(issuer.replace('/pw/', '/brk/'))).status).toBe(400);
  const endpoint = `${settings().baseUrl}/auth/token`;
  for (const aud of [
    settings().authUrl,
    issuer.replace('/pw/', '/nothing/'),
    `${issuer}/`,
    `${issuer}/token`,
  ])
    expect((await exchange(aud)).status, aud).toBe(401);
  // no API is named, so the token could belong to an API that requires a profile
  expect((await exchange(endpoint)).status).toBe(401);
  expect((await exchange(endpoint, 'wide')).status).toBe(400);
  const idJag = {
    requested_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
    audience: 'https://a.example',
  };
  expect((await exchange(endpoint, CLIENT, idJag)).status).toBe(401);
  expect((await exchange(endpoint, 'wide', idJag)).status).toBe(400);
  expect((await exchange(issuer, CLIENT, idJag)).status).toBe(400);
});

const time = () => Math.floor(Date.now() / 1000);
const REFUSALS: [what: string, changes: () => Changes, reason: string][] = [
  ['iss is somebody else', () => ({ claims: { iss: 'tru' } }), 'assertion-subject'],
  ['iss is missing', () => ({ claims: { iss: undefined } }), 'assertion-subject'],
  ['aud is missing', () => ({ claims: { aud: undefined } }), 'assertion-audience'],
  ['aud is an empty list', () => ({ claims: { aud: [] } }), 'assertion-audience'],
  [
    'aud is a list in a list',
    () => ({ claims: { aud: [[issuer]] as unknown as string[] } }),
    'assertion-audience',
  ],
  [
    'aud is a list with others',
    () => ({ claims: { aud: [issuer, 'https://evil.example'] } }),
    'assertion-audience',
  ],
  [
    'aud is another issuer',
    () => ({ claims: { aud: issuer.replace('/pw/', '/ext/') } }),
    'assertion-audience',
  ],
  [
    'aud is the token endpoint of another issuer',
    () => ({ claims: { aud: `${issuer.replace('/pw/', '/ext/')}/token` } }),
    'assertion-audience',
  ],
  [
    'aud is the issuer and its token endpoint',
    () => ({ claims: { aud: [issuer, `${issuer}/token`] } }),
    'assertion-audience',
  ],
  ['aud has a slash at its end', () => ({ claims: { aud: `${issuer}/` } }), 'assertion-audience'],
  ['exp is missing', () => ({ claims: { exp: undefined } }), 'assertion-time'],
  ['exp is a text', () => ({ claims: { exp: String(time() + 60) } }), 'assertion-time'],
  ['exp is past', () => ({ claims: { exp: time() - 31 } }), 'assertion-expired'],
  ['exp is far ahead', () => ({ claims: { exp: time() + 660 } }), 'assertion-too-long'],
  ['iat is ahead', () => ({ claims: { iat: time() + 40 } }), 'assertion-time'],
  ['nbf is ahead', () => ({ claims: { nbf: time() + 40 } }), 'assertion-time'],
  ['nbf is no number', () => ({ claims: { nbf: {} } }), 'assertion-time'],
  ['jti is missing', () => ({ claims: { jti: undefined } }), 'assertion-id'],
  ['jti is empty', () => ({ claims: { jti: '' } }), 'assertion-id'],
  ['jti is a number', () => ({ claims: { jti: 7 } }), 'assertion-id'],
  ['jti is long', () => ({ claims: { jti: 'x'.repeat(1_025) } }), 'assertion-id'],
  ['typ is of an access token', () => ({ header: { typ: 'at+jwt' } }), 'assertion-malformed'],
  [
    'it is larger than 8,192 characters',
    () => ({ claims: { more: 'x'.repeat(8_000) } }),
    'assertion-malformed',
  ],
  ['kid is none of the client’s', () => ({ header: { kid: 'other' } }), 'assertion-key'],
];

describe('an assertion is rejected with invalid_client, and the developer sees the reason', () => {
  beforeEach(() => sql('delete from refused_requests'));

  test.each(REFUSALS)('the assertion is rejected: %s', async (_, changes, reason) => {
    expect(await outcomeOf(await assertionOf(changes()), { form: { client_id: CLIENT } })).toBe(REFUSED);
    await expectReason(CLIENT, reason);
  });

  test('an assertion is rejected if its signing key belongs to another client', async () => {
    const stranger = { ...(await makePair()), kid: pair.kid };
    const assertion = await makeAssertion({ clientId: CLIENT, audience: issuer, pair: stranger });
    expect(await outcomeOf(assertion)).toBe(REFUSED);
    await expectReason(CLIENT, 'assertion-signature');
  });

  test('an assertion is rejected if alg is none, or HMAC with the public key as secret', async () => {
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = part(claimsFor({ clientId: CLIENT, audience: issuer }));
    for (const alg of ['none', 'HS256', 'HS512', 'ES256K', '', 7]) {
      expect(
        await outcomeOf(`${part({ alg, kid: pair.kid })}.${claims}.${alg === 'none' ? '' : 'AAAA'}`),
      ).toBe(REFUSED);
      await expectReason(CLIENT, 'assertion-algorithm');
    }
  });

  test('an assertion is rejected if it has surrounding characters that a lenient decoder would skip', async () => {
    const good = await assertionOf();
    for (const text of [`${good}\n`, ` ${good}`, `${good}=`, `${good}.`, good.replace('.', '=.')])
      expect(await outcomeOf(text, { form: { client_id: CLIENT } })).toBe(REFUSED);
    await expectReason(CLIENT, 'assertion-malformed');
    expect(await outcomeOf(good)).toBe(ACCEPTED);
  });

  test('an assertion is rejected if client_assertion_type is missing or wrong', async () => {
    for (const type of ['', 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer'])
      expect(await outcomeOf(await assertionOf(), { form: { client_assertion_type: type } })).toBe(REFUSED);
    await expectReason(CLIENT, 'assertion-type');
  });

  test('an assertion is rejected if client_id names another client', async () => {
    expect(await outcomeOf(await assertionOf(), { form: { client_id: 'wide' } })).toBe(REFUSED);
    await expectReason('wide', 'assertion-subject');
  });

  test('clients with a secret and public clients cannot use an assertion', async () => {
    for (const clientId of ['tru', 'spa']) {
      expect(await outcomeOf(await assertionOf({}, clientId))).toBe(REFUSED);
      await expectReason(clientId, 'assertion-not-expected');
    }
  });

  test('a client with keys is rejected if it sends a secret or no credential', async () => {
    for (const more of [{ client_secret: 'any' }, {}]) {
      const form = { grant_type: 'refresh_token', refresh_token: 'x', client_id: CLIENT, ...more };
      expect((await ask(`${OPENID_PATH}/token`, { form })).status).toBe(401);
      await expectReason(CLIENT, 'assertion-expected');
    }
  });

  test('RFC 7523 §3: an assertion is rejected on its second use, and another client can use an equal jti', async () => {
    const assertion = await assertionOf({ claims: { jti: 'the same' } });
    expect(await outcomeOf(assertion)).toBe(ACCEPTED);
    expect(await outcomeOf(assertion)).toBe(REFUSED);
    await expectReason(CLIENT, 'assertion-used');
    expect(await outcomeOf(await assertionOf({ claims: { jti: 'the same' } }, 'wide'))).toBe(ACCEPTED);
  });
});

test('RFC 6749 §2.3: two authentication methods in one request are rejected, and the assertion can still be used', async () => {
  const assertion = await assertionOf();
  const basic = { authorization: `Basic ${Buffer.from(`${CLIENT}:x`).toString('base64')}` };
  expect(await outcomeOf(assertion, { form: { client_secret: 'x' } })).toBe('400 invalid_request');
  expect(await outcomeOf(assertion, { headers: basic })).toBe('400 invalid_request');
  expect(await outcomeOf(assertion)).toBe(ACCEPTED);
});

const AUDIENCES: [what: string, aud: () => string | string[]][] = [
  ['the issuer', () => issuer],
  ['the token endpoint', () => `${issuer}/token`],
  ['a list of the issuer', () => [issuer]],
  ['a list of the token endpoint', () => [`${issuer}/token`]],
];

test.each(AUDIENCES)(
  'Core §9, RFC 7523 §3: an API without a profile accepts an assertion whose aud is %s',
  async (_, aud) => {
    for (const clientId of [CLIENT, 'wide'])
      expect(await outcomeOf(await assertionOf({ claims: { aud: aud() } }, clientId))).toBe(ACCEPTED);
  },
);

describe('an API with the profile oauth-2.1', () => {
  beforeAll(async () => {
    await changeApi(OPERATOR, { id: 'orders', profile: 'oauth-2.1' });
    return () => changeApi(OPERATOR, { id: 'orders', profile: null });
  });

  test('an assertion’s aud must be the issuer as a string, and the token endpoint as aud requires the client’s setting', async () => {
    const taken = async (aud: string | string[], clientId: string) =>
      (await outcomeOf(await assertionOf({ claims: { aud } }, clientId))) !== REFUSED;
    const outcomes = await Promise.all(
      AUDIENCES.flatMap(([, aud]) => [taken(aud(), CLIENT), taken(aud(), 'wide')]),
    );
    expect(outcomes).toEqual([true, true, false, true, false, true, false, true]);
  });
});

test('typ of an assertion can be JWT or client-authentication+jwt, iat is optional, and small clock differences are accepted', async () => {
  for (const typ of ['JWT', 'client-authentication+jwt'])
    expect(await outcomeOf(await assertionOf({ header: { typ } }))).toBe(ACCEPTED);
  for (const claims of [
    { iat: undefined },
    { iat: time() + 20 },
    { exp: time() - 20 },
    { exp: time() + 600 },
  ])
    expect(await outcomeOf(await assertionOf({ claims }))).toBe(ACCEPTED);
});

test('an unknown client and a bad assertion cause the same response', async () => {
  const [unknown, bad] = await Promise.all([
    sendAssertion(await assertionOf({}, 'nobody')),
    sendAssertion(await assertionOf({ claims: { aud: 'x' } })),
  ]);
  const request_id = expect.any(String);
  expect([unknown.status, jsonOf(unknown)]).toEqual([bad.status, { ...jsonOf(bad), request_id }]);
});

test('a disabled client is rejected before its keys are read', async () => {
  await sql('update clients set disabled_at = now() where client_id = $1', ['wide']);
  expect(await outcomeOf(await assertionOf({}, 'wide'))).toBe(REFUSED);
  await expectReason('wide', 'client-disabled');
  await sql('update clients set disabled_at = null where client_id = $1', ['wide']);
});

test('no response or log about assertions contains a secret', async () => {
  expect(await readClient(OPERATOR, { clientId: CLIENT })).toMatchObject({
    kind: 'confidential',
    secrets: [],
  });
});
