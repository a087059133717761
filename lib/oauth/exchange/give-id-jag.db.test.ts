// ID-JAGs that Gatehouse issues (draft-ietf-oauth-identity-assertion-authz-grant §4.3), and requests that it rejects,
// tested by requests to the protocol core.
import { createLocalJWKSet, decodeJwt, type JSONWebKeySet, jwtVerify } from 'jose';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { changeClient } from '#lib/catalogue/clients/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { settings } from '#lib/settings/settings.ts';
import { expectReason } from '#testing/clients/asserted.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, givenFixtures, jsonOf } from '#testing/in-process/in-process.ts';
import { OPENID_PATH, openIdTokens, signInTo } from '#testing/in-process/openid.ts';

const TRU = { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures' };
const CONF = { client_id: 'conf', client_secret: 'S1-conf-secret-of-the-fixtures' };
const CHAT = 'https://login.chat.example';
const TYPE = 'urn:ietf:params:oauth:token-type';
const ISSUER = `${OPENID_PATH}/token`;
const SERVICE = '/auth/token';
let alice: { personId: string; cookie: string };

beforeAll(async () => {
  await givenFixtures();
  alice = await signInTo('alice@example.com');
  await changeClient(OPERATOR, {
    clientId: 'tru',
    idJagAudiences: [CHAT, 'https://wiki.example/t1 f53f191f'],
  });
});
beforeEach(() => sql('delete from refused_requests'));

const tokens = (scope = 'openid read') => openIdTokens(TRU, { cookie: alice.cookie, scope });
type Form = Record<string, string | undefined>;

async function exchange(form: Form, { path = ISSUER, by = TRU }: { path?: string; by?: Form } = {}) {
  const all = {
    ...by,
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    requested_token_type: `${TYPE}:id-jag`,
    subject_token_type: `${TYPE}:id_token`,
    audience: CHAT,
    ...form,
  };
  const sent = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return ask(path, { form: Object.fromEntries(sent) });
}

async function given(form: Form, where = {}): Promise<Record<string, string>> {
  const answer = await exchange(form, where);
  if (answer.status !== 200) throw new Error(String(answer.body));
  return jsonOf(answer) as Record<string, string>;
}

const errorOf = async (form: Form, where = {}) => {
  const answer = await exchange(form, where);
  return answer.status === 200 ? '200' : `${answer.status} ${jsonOf(answer)['error']}`;
};

test('the client of an ID token receives an ID-JAG with all draft claims, signed by Gatehouse', async () => {
  const { id_token: idToken = '' } = await tokens();
  for (const path of [ISSUER, SERVICE]) {
    const asked = {
      subject_token: idToken,
      resource: 'https://api.chat.example/',
      scope: 'chat.read chat.history',
    };
    const answer = await given(asked, { path });
    expect(answer).toEqual({
      access_token: expect.any(String),
      issued_token_type: `${TYPE}:id-jag`,
      token_type: 'N_A',
      expires_in: 300,
    });
    const jwks = jsonOf(await ask(`${OPENID_PATH}/jwks`)) as unknown as JSONWebKeySet;
    const { payload } = await jwtVerify(answer['access_token'] ?? '', createLocalJWKSet(jwks), {
      typ: 'oauth-id-jag+jwt',
      issuer: `${settings().authUrl}${OPENID_PATH}`,
      audience: CHAT,
      algorithms: ['RS256'],
    });
    expect(payload).toEqual({
      iss: decodeJwt(idToken).iss,
      sub: alice.personId,
      aud: CHAT,
      client_id: 'tru',
      jti: expect.any(String),
      iat: expect.any(Number),
      exp: (payload.iat ?? 0) + 300,
      auth_time: decodeJwt(idToken)['auth_time'],
      resource: asked.resource,
      scope: asked.scope,
      acr: 'urn:gatehouse:acr:password',
      amr: ['pwd'],
    });
  }
  const [event] = await sql<object>(
    "select person_id, client_id, details ->> 'audience' as audience from audit_events where event = 'id_jag.issued' limit 1",
  );
  expect(event).toEqual({ person_id: alice.personId, client_id: 'tru', audience: CHAT });
});

test('an exchange of an access token also returns an ID-JAG, and the client can have another id at the target server', async () => {
  const { access_token: token } = await tokens('read');
  for (const type of ['access_token', 'jwt']) {
    const form = {
      subject_token: token,
      subject_token_type: `${TYPE}:${type}`,
      audience: 'https://wiki.example/t1',
    };
    const claims = decodeJwt((await given(form, { path: SERVICE }))['access_token'] ?? '');
    expect(claims).toMatchObject({
      sub: alice.personId,
      client_id: 'f53f191f',
      aud: 'https://wiki.example/t1',
    });
    for (const absent of ['scope', 'resource', 'email', 'name']) expect(claims).not.toHaveProperty(absent);
  }
});

test('userinfo, introspection and exchange reject an ID-JAG, and it does not count as an ID token', async () => {
  const { id_token: idToken } = await tokens();
  const { access_token: idJag = '' } = await given({ subject_token: idToken });
  const bearer = { headers: { authorization: `Bearer ${idJag}` } };
  expect((await ask(`${OPENID_PATH}/userinfo`, bearer)).status).toBe(401);
  expect(jsonOf(await ask(`${OPENID_PATH}/introspect`, { form: { ...TRU, token: idJag } }))).toEqual({
    active: false,
  });
  expect(await errorOf({ subject_token: idJag })).toBe('400 invalid_request');
  expect(await errorOf({ subject_token: idJag, subject_token_type: `${TYPE}:jwt` })).toBe(
    '400 invalid_request',
  );
});

test('an ID-JAG requires a confidential client and an audience listed by an administrator', async () => {
  const { id_token: idToken } = await tokens();
  expect(await errorOf({ subject_token: idToken }, { by: CONF })).toBe('400 unauthorized_client');
  await expectReason('conf', 'id-jag-not-allowed');
  expect(await errorOf({ subject_token: idToken }, { by: { client_id: 'nat' } })).toBe(
    '400 unauthorized_client',
  );
  for (const audience of [
    `${CHAT}/`,
    'https://evil.example',
    'https://wiki.example/t1 f53f191f',
    'https://WIKI.example/t1',
  ])
    expect(await errorOf({ subject_token: idToken, audience }), audience).toBe('400 invalid_target');
  await expectReason('tru', 'id-jag-audience');
  expect(await errorOf({ subject_token: idToken, audience: undefined })).toBe('400 invalid_request');
  expect(await errorOf({ subject_token: idToken }, { by: { ...TRU, client_secret: 'wrong' } })).toBe(
    '401 invalid_client',
  );
});

test('an ID-JAG is issued only for a token of the named type that this issuer issued to this client', async () => {
  const { id_token: idToken = '', access_token: token } = await tokens();
  await changeClient(OPERATOR, { clientId: 'conf', idJagAudiences: [CHAT] });
  const access = { subject_token: token, subject_token_type: `${TYPE}:access_token` };
  for (const path of [ISSUER, SERVICE]) {
    for (const form of [{ subject_token: idToken }, access])
      expect(await errorOf(form, { path, by: CONF })).toBe('400 invalid_request');
    expect(await errorOf({ subject_token: `${idToken}x` }, { path })).toBe('400 invalid_request');
    expect(await errorOf({ subject_token: token }, { path })).toBe('400 invalid_request');
    expect(await errorOf({ ...access, subject_token: idToken }, { path })).toBe('400 invalid_request');
  }
  const elsewhere = { path: '/auth/ext/api/orders/token' };
  for (const form of [{ subject_token: idToken }, access])
    expect(await errorOf(form, elsewhere)).toBe('400 invalid_request');
  for (const form of [
    { subject_token: undefined },
    { subject_token_type: undefined },
    { subject_token_type: `${TYPE}:saml2` },
  ])
    expect(await errorOf({ subject_token: idToken, ...form })).toBe('400 invalid_request');
  await changeClient(OPERATOR, { clientId: 'conf', idJagAudiences: [] });
});

test('the request for an ID-JAG is rejected if it has unsupported restrictions or malformed parameters', async () => {
  const { id_token: subject_token } = await tokens();
  for (const more of [{ actor_token: 'x' }, { authorization_details: '[]' }])
    expect(await errorOf({ subject_token, ...more })).toBe('400 invalid_request');
  for (const resource of [
    'chat',
    'https://chat.example/#x',
    'https://chat.example/ x',
    `https://c.example/${'x'.repeat(2_000)}`,
  ])
    expect(await errorOf({ subject_token, resource }), resource).toBe('400 invalid_target');
  for (const scope of ['a"b', 'ä', 'x'.repeat(4_097)])
    expect(await errorOf({ subject_token, scope })).toBe('400 invalid_scope');
});

test('no ID-JAG is issued after token revocation, for disabled users, or for suspended clients', async () => {
  const forms = async (): Promise<Form[]> => {
    const { id_token: idToken, access_token: token, refresh_token: refresh = '' } = await tokens();
    const all = [
      { subject_token: idToken },
      { subject_token: token, subject_token_type: `${TYPE}:access_token` },
    ];
    return all.map((form) => ({ ...form, refresh }));
  };
  const ends: Record<string, [end: (refresh: string) => Promise<unknown>, undo: () => Promise<unknown>]> = {
    revocation: [(token) => ask(`${OPENID_PATH}/revoke`, { form: { ...TRU, token } }), async () => {}],
    disabled: [
      () => sql('update people set disabled_at = now() where id = $1', [alice.personId]),
      () => sql('update people set disabled_at = null where id = $1', [alice.personId]),
    ],
    suspended: [
      () => sql("update subscriptions set state = 'suspended' where client_id = 'tru'"),
      () => sql("update subscriptions set state = 'approved' where client_id = 'tru'"),
    ],
  };
  for (const [what, [end, undo]] of Object.entries(ends)) {
    await sql('delete from token_families');
    const [one, other] = await forms();
    expect([
      await errorOf({ ...one, refresh: undefined }),
      await errorOf({ ...other, refresh: undefined }),
    ]).toEqual(['200', '200']);
    await end(one?.['refresh'] ?? '');
    for (const form of [one, other])
      expect(await errorOf({ ...form, refresh: undefined }), what).toBe('400 invalid_request');
    await undo();
    alice = await signInTo('alice@example.com');
  }
});

test('an exchange of an ID token with a pairwise sub is rejected, and an exchange of the access token works and keeps sub pairwise', async () => {
  await changeClient(OPERATOR, { clientId: 'tru', subjectType: 'pairwise' });
  const { id_token: idToken = '', access_token: token } = await tokens();
  expect(await errorOf({ subject_token: idToken })).toBe('400 invalid_request');
  const { access_token: idJag = '' } = await given({
    subject_token: token,
    subject_token_type: `${TYPE}:access_token`,
  });
  expect(decodeJwt(idJag).sub).toBe(decodeJwt(idToken).sub);
  await changeClient(OPERATOR, { clientId: 'tru', subjectType: 'public' });
});
