// Client-bound tokens (RFC 9449), tested by requests to the protocol core: issuance, claims, and rejected requests that
// leave the grant usable.
import { createHash } from 'node:crypto';
import { decodeJwt } from 'jose';
import { beforeAll, expect, test } from 'vitest';
import { changeApi } from '#lib/catalogue/apis/operations.ts';
import { changeClient } from '#lib/catalogue/clients/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { settings } from '#lib/settings/settings.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, givenFixtures, jsonOf, locationOf } from '#testing/in-process/in-process.ts';
import { givenTrustedClients, OPENID_PATH, signInTo } from '#testing/in-process/openid.ts';
import { type ProofKey, proofKey, proofOf } from '#testing/net/dpop.ts';

type Client = { client_id: string; client_secret?: string };

const VERIFIER = 'v'.repeat(43);
const challenge = createHash('sha256').update(VERIFIER).digest('base64url');
const tokenAddress = () => `${settings().authUrl}${OPENID_PATH}/token`;

let cookie = '';
let [server, app, page]: Client[] = [];
let key: ProofKey;
let other: ProofKey;

beforeAll(async () => {
  await givenFixtures();
  cookie = (await signInTo('alice@example.com')).cookie;
  const named = async (name: string, kind: string) => {
    const [made] = await givenTrustedClients([name], { kind });
    return kind === 'confidential' ? made : { client_id: name };
  };
  server = await named('keyed-server', 'confidential');
  app = await named('keyed-app', 'native');
  page = await named('keyed-page', 'browser');
  [key, other] = await Promise.all([proofKey(), proofKey()]);
});

async function codeFor(client: Client | undefined, more: Record<string, string> = {}): Promise<string> {
  const query = {
    client_id: client?.client_id ?? '',
    scope: 'openid',
    response_type: 'code',
    redirect_uri: `https://${client?.client_id}.example/cb`,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...more,
  };
  const answer = await ask(`${OPENID_PATH}/authorize?${new URLSearchParams(query)}`, { headers: { cookie } });
  const code = new URL(locationOf(answer)).searchParams.get('code');
  if (!code) throw new Error(locationOf(answer));
  return code;
}

async function token(form: Record<string, string>, proof?: string) {
  const answer = await ask(`${OPENID_PATH}/token`, {
    form,
    headers: proof === undefined ? {} : { dpop: proof },
  });
  return { answer, status: answer.status, body: jsonOf(answer) as Record<string, string> };
}

const redeem = (client: Client | undefined, code: string, proof?: string) =>
  token({ ...client, grant_type: 'authorization_code', code, code_verifier: VERIFIER }, proof);
const refresh = (client: Client | undefined, refreshToken = '', proof?: string) =>
  token({ ...client, grant_type: 'refresh_token', refresh_token: refreshToken }, proof);
const prove = (by: ProofKey, more: Partial<Parameters<typeof proofOf>[1]> = {}) =>
  proofOf(by, { address: tokenAddress(), ...more });

const jktOf = (accessToken = '') => (decodeJwt(accessToken)['cnf'] as { jkt: string } | undefined)?.jkt;

test('RFC 9449 §5: a proof binds the issued token to its key, and without a proof the token is a bearer token', async () => {
  const bound = await redeem(server, await codeFor(server), await prove(key));
  expect(bound.status, JSON.stringify(bound.body)).toBe(200);
  expect(bound.body['token_type']).toBe('DPoP');
  expect(jktOf(bound.body['access_token'])).toBe(key.jkt);
  const plain = await redeem(server, await codeFor(server));
  expect([plain.body['token_type'], jktOf(plain.body['access_token'])]).toEqual(['bearer', undefined]);
});

test.each(['ES256', 'PS256', 'EdDSA', 'Ed25519'])('a proof key for %s is accepted', async (alg) => {
  const { status, body } = await redeem(server, await codeFor(server), await prove(await proofKey(alg)));
  expect([status, body['token_type']]).toEqual([200, 'DPoP']);
});

test('RFC 9449 §5: a public client’s refresh token requires its original key, and a rejection keeps the token valid', async () => {
  const first = await redeem(app, await codeFor(app), await prove(key));
  const refreshToken = first.body['refresh_token'];
  for (const proof of [undefined, await prove(other)]) {
    const refused = await refresh(app, refreshToken, proof);
    expect([refused.status, refused.body['error']]).toEqual([400, 'invalid_grant']);
  }
  const next = await refresh(app, refreshToken, await prove(key));
  expect([next.status, jktOf(next.body['access_token'])]).toEqual([200, key.jkt]);
  // reuse without the key still revokes the token family (RFC 9700 §4.14.2)
  await sql(`update refresh_tokens set used_at = used_at - interval '1 minute' where used_at is not null`);
  expect((await refresh(app, refreshToken)).body['error']).toBe('invalid_grant');
  expect((await refresh(app, next.body['refresh_token'], await prove(key))).body['error']).toBe(
    'invalid_grant',
  );
});

test('a public client’s first proof at a later request binds its token family', async () => {
  const first = await redeem(app, await codeFor(app));
  const bound = await refresh(app, first.body['refresh_token'], await prove(key));
  expect([bound.body['token_type'], bound.status]).toEqual(['DPoP', 200]);
  expect((await refresh(app, bound.body['refresh_token'])).body['error']).toBe('invalid_grant');
  expect((await refresh(app, bound.body['refresh_token'], await prove(key))).status).toBe(200);
});

test('RFC 9449 §5: a confidential client may use another key at each refresh', async () => {
  const first = await redeem(server, await codeFor(server), await prove(key));
  const second = await refresh(server, first.body['refresh_token'], await prove(other));
  expect(jktOf(second.body['access_token'])).toBe(other.jkt);
});

test('RFC 9449 §10: a code with dpop_jkt requires that key, and rejections leave the code usable', async () => {
  const code = await codeFor(app, { dpop_jkt: key.jkt });
  for (const proof of [undefined, await prove(other)])
    expect((await redeem(app, code, proof)).body['error']).toBe('invalid_grant');
  expect((await redeem(app, code, await prove(key))).status).toBe(200);
});

test('the authorize endpoint rejects an invalid dpop_jkt', async () => {
  await expect(codeFor(app, { dpop_jkt: 'short' })).rejects.toThrow('error=invalid_request');
});

test('a client or API that requires bound tokens receives only bound tokens', async () => {
  const code = await codeFor(app);
  await changeClient(OPERATOR, { clientId: app?.client_id ?? '', dpopBoundAccessTokens: true });
  const refused = await redeem(app, code);
  expect([refused.status, refused.body['error']]).toEqual([400, 'invalid_dpop_proof']);
  expect((await redeem(app, code, await prove(key))).status).toBe(200);
  await changeClient(OPERATOR, { clientId: app?.client_id ?? '', dpopBoundAccessTokens: false });
  await changeApi(OPERATOR, { id: 'orders', dpop: 'required' });
  try {
    const one = await codeFor(server);
    expect((await redeem(server, one)).body['error']).toBe('invalid_dpop_proof');
    expect((await redeem(server, one, await prove(key))).body['token_type']).toBe('DPoP');
  } finally {
    await changeApi(OPERATOR, { id: 'orders', dpop: 'optional' });
  }
});

test('RFC 9700 §2.2.2: a browser client with bound tokens receives refresh tokens, which end with the session', async () => {
  const without = await redeem(page, await codeFor(page), await prove(key));
  expect([without.status, without.body['refresh_token']]).toEqual([200, undefined]);
  await changeClient(OPERATOR, { clientId: page?.client_id ?? '', dpopBoundAccessTokens: true });
  const own = await signInTo('alice@example.com');
  const before = cookie;
  cookie = own.cookie;
  const { body } = await redeem(page, await codeFor(page, { scope: 'read' }), await prove(key));
  cookie = before;
  expect(body['refresh_token']).toMatch(/^ghr_/);
  const [ends] = await sql<{ early: boolean }>(`select f.expires_at <= s.expires_at as early
    from token_families f join sessions s on s.sid = f.sid and s.person_id = f.person_id where f.client_id = 'keyed-page'
    order by f.created_at desc limit 1`);
  expect(ends?.early).toBe(true);
  const next = await refresh(page, body['refresh_token'], await prove(key));
  expect(next.status).toBe(200);
  await sql(`update sessions set ended_at = now() where person_id = $1 and ended_at is null`, [own.personId]);
  expect((await refresh(page, next.body['refresh_token'], await prove(key))).body['error']).toBe(
    'invalid_grant',
  );
  cookie = (await signInTo('alice@example.com')).cookie;
});
