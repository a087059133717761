// Proofs of a key at the token endpoint (RFC 9449 §4.3): each bad proof is rejected, the grant remains usable, and a
// nonce corrects a wrong clock.
import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { changeApi } from '#lib/catalogue/apis/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { settings } from '#lib/settings/settings.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, givenFixtures, jsonOf } from '#testing/in-process/in-process.ts';
import {
  givenTrustedClients,
  OPENID_PATH,
  openIdCode,
  signInTo,
  type TrustedClient,
} from '#testing/in-process/openid.ts';
import { type ProofKey, proofKey, proofOf } from '#testing/net/dpop.ts';

const tokenAddress = () => `${settings().authUrl}${OPENID_PATH}/token`;

let cookie = '';
let server: TrustedClient;
let key: ProofKey;
let other: ProofKey;

beforeAll(async () => {
  await givenFixtures();
  cookie = (await signInTo('alice@example.com')).cookie;
  [server] = (await givenTrustedClients(['keyed-server'])) as [TrustedClient];
  [key, other] = await Promise.all([proofKey(), proofKey()]);
});

const codeFor = (client: TrustedClient) => openIdCode(client, { cookie, scope: 'openid' });
async function redeem(client: TrustedClient, code: string, proof: string) {
  const form = { ...client, grant_type: 'authorization_code', code };
  const answer = await ask(`${OPENID_PATH}/token`, { form, headers: { dpop: proof } });
  return { answer, status: answer.status, body: jsonOf(answer) };
}
const prove = (by: ProofKey, more: Partial<Parameters<typeof proofOf>[1]> = {}) =>
  proofOf(by, { address: tokenAddress(), ...more });

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Each bad proof of the certification suite (FAPI2SPFinalDpopNegativeTests), and similar ones. */
const BAD: [string, () => Promise<string> | string][] = [
  ['is no JWT', () => 'nonsense'],
  ['comes twice', async () => `${await prove(key)}, ${await prove(key)}`],
  ['is too long', () => prove(key, { claims: { more: 'x'.repeat(5_000) } })],
  ['has no typ', () => prove(key, { header: { typ: undefined } })],
  ['has another typ', () => prove(key, { header: { typ: 'JWT' } })],
  ['has no key', () => prove(key, { header: { jwk: undefined } })],
  ['shows its private key', () => prove(key, { header: { jwk: { ...key.jwk, d: 'x'.repeat(43) } } })],
  ['shows another key', () => prove(key, { header: { jwk: other.jwk } })],
  ['has a symmetric key', () => prove(key, { header: { jwk: { kty: 'oct', k: 'x'.repeat(43) } } })],
  ['has a key of another curve', () => prove(key, { header: { jwk: { ...key.jwk, crv: 'P-384' } } })],
  ['is not signed', () => `${encoded({ typ: 'dpop+jwt', alg: 'none', jwk: key.jwk })}.${encoded({})}.`],
  ['has a wrong signature', async () => `${(await prove(key)).slice(0, -6)}AAAAAA`],
  ['is signed by an algorithm that is not offered', async () => prove(await proofKey('ES384'))],
  ['is signed by RS256', async () => prove(await proofKey('RS256'))],
  ['asks for an extension', () => prove(key, { header: { b64: true, crit: ['b64'] } })],
  ['has no jti', () => prove(key, { claims: { jti: undefined } })],
  ['has an empty jti', () => prove(key, { claims: { jti: '' } })],
  ['has a long jti', () => prove(key, { claims: { jti: 'x'.repeat(129) } })],
  ['has a number as jti', () => prove(key, { claims: { jti: 7 } })],
  ['has no htm', () => prove(key, { claims: { htm: undefined } })],
  ['has another htm', () => prove(key, { method: 'GET' })],
  ['has an htm in small letters', () => prove(key, { method: 'post' })],
  ['has no htu', () => prove(key, { claims: { htu: undefined } })],
  [
    'is for another address',
    () => prove(key, { address: `${settings().authUrl}/auth/pw/api/billing/token` }),
  ],
  ['is for another host', () => prove(key, { address: tokenAddress().replace('//', '//evil.') })],
  ['has an htu that is no address', () => prove(key, { address: 'token' })],
  ['has no iat', () => prove(key, { claims: { iat: undefined } })],
  ['has a text as iat', () => prove(key, { claims: { iat: 'now' } })],
];

test.each(BAD)('a proof that %s is rejected, and the code remains usable', async (_, make) => {
  const code = await codeFor(server);
  const refused = await redeem(server, code, await make());
  expect(refused.status).toBe(400);
  expect(refused.body['error']).toBe('invalid_dpop_proof');
  expect((await redeem(server, code, await prove(key))).status).toBe(200);
});

test('RFC 9449 §4.3: the htu comparison ignores query, fragment, host case and default port', async () => {
  const address = new URL(tokenAddress());
  const port = address.port === '' ? (address.protocol === 'https:' ? ':443' : ':80') : `:${address.port}`;
  const loud = `${address.protocol.toUpperCase()}//${address.hostname.toUpperCase()}${port}${address.pathname}`;
  for (const htu of [`${address}?a=b`, `${address}#x`, loud])
    expect(
      (await redeem(server, await codeFor(server), await prove(key, { address: htu }))).status,
      htu,
    ).toBe(200);
});

test('RFC 9449 §8: a proof from a wrong clock returns use_dpop_nonce and keeps the code valid, and a proof with that nonce succeeds', async () => {
  const code = await codeFor(server);
  for (const off of [-3_600, 3_600]) {
    const iat = Math.floor(Date.now() / 1000) + off;
    const asked = await redeem(server, code, await prove(key, { claims: { iat } }));
    expect([asked.status, asked.body['error']]).toEqual([400, 'use_dpop_nonce']);
    const nonce = String(asked.answer.headers['dpop-nonce']);
    if (off < 0) continue;
    expect((await redeem(server, code, await prove(key, { nonce, claims: { iat } }))).status).toBe(200);
  }
});

test('RFC 9449 §8: an API with required nonces accepts only its recent nonces', async () => {
  await changeApi(OPERATOR, { id: 'orders', dpopNonce: 'required' });
  try {
    const code = await codeFor(server);
    const bad = [undefined, randomBytes(16).toString('base64url'), '', 7 as unknown as string];
    let nonce = '';
    for (const one of bad) {
      const asked = await redeem(server, code, await prove(key, { claims: { nonce: one } }));
      expect([asked.status, asked.body['error']]).toEqual([400, 'use_dpop_nonce']);
      nonce = String(asked.answer.headers['dpop-nonce']);
    }
    expect((await redeem(server, code, await prove(key, { nonce }))).status).toBe(200);
  } finally {
    await changeApi(OPERATOR, { id: 'orders', dpopNonce: 'off' });
  }
});

test('bad proofs count per IP address like wrong secrets, and use_dpop_nonce responses do not count', async () => {
  const from = { address: '203.0.113.77' };
  const send = async (proof: string) =>
    ask(`${OPENID_PATH}/token`, {
      form: { ...server, grant_type: 'refresh_token', refresh_token: 'x' },
      headers: { dpop: proof },
      ...from,
    });
  const late = await prove(key, { claims: { iat: 1 } });
  for (let n = 0; n < 70; n += 1) expect(jsonOf(await send(late))['error']).toBe('use_dpop_nonce');
  const bad = await prove(key, { method: 'GET' });
  const answers: number[] = [];
  for (let n = 0; n < 70; n += 1) answers.push((await send(bad)).status);
  expect([answers[0], answers.at(-1)]).toEqual([400, 429]);
});

describe('RFC 9449 §11.1: a proof is accepted once', () => {
  const form = { grant_type: 'password', username: 'alice@example.com', password: 'alice-password-1' };
  const outcome = async (path: string, body: Record<string, string>, proof: string) => {
    const answer = await ask(path, { form: { ...server, ...body }, headers: { dpop: proof } });
    return jsonOf(answer)['error'] ?? answer.status;
  };

  test.each([
    ['the token endpoint', `${OPENID_PATH}/token`, () => form, 200],
    [
      'the endpoint for pushed requests',
      `${OPENID_PATH}/par`,
      () => ({ response_type: 'code', redirect_uri: 'https://keyed-server.example/cb' }),
      201,
    ],
  ])('at %s, each proof is accepted once, even among concurrent requests', async (_, path, body, status) => {
    const address = `${settings().authUrl}${path}`;
    const proof = await proofOf(key, { address });
    const answers = await Promise.all(Array.from({ length: 5 }, () => outcome(path, body(), proof)));
    expect(answers.filter((answer) => answer === status)).toHaveLength(1);
    expect(answers.filter((answer) => answer === 'invalid_dpop_proof')).toHaveLength(4);
    expect(await outcome(path, body(), await proofOf(key, { address }))).toBe(status);
  });

  test('proofs for single-use codes or rotated refresh tokens are not stored, and proofs for unrotated refresh tokens are', async () => {
    const stored = async () =>
      (await sql<{ n: number }>('select count(*)::int as n from used_proofs'))[0]?.n ?? 0;
    const address = tokenAddress();
    const proof = await proofOf(key, { address });
    const before = await stored();
    const first = await redeem(server, await codeFor(server), proof);
    expect(first.status).toBe(200);
    const [more] = (await givenTrustedClients(['keyed-still'], { refreshTokenRotation: 'never' })) as [
      TrustedClient,
    ];
    const refresh = async (client: TrustedClient, token: unknown, by: string) => {
      const answer = await ask(`${OPENID_PATH}/token`, {
        form: { ...client, grant_type: 'refresh_token', refresh_token: String(token) },
        headers: { dpop: by },
      });
      return jsonOf(answer);
    };
    const tokens = await refresh(server, first.body['refresh_token'], proof);
    expect(tokens['access_token']).toBeDefined();
    expect(await stored()).toBe(before);
    // the token was rotated, so repeating the request fails
    expect((await refresh(server, first.body['refresh_token'], proof))['error']).toBe('invalid_grant');
    const kept = await redeem(more, await codeFor(more), await proofOf(key, { address }));
    const again = await proofOf(key, { address });
    expect((await refresh(more, kept.body['refresh_token'], again))['access_token']).toBeDefined();
    expect((await refresh(more, kept.body['refresh_token'], again))['error']).toBe('invalid_dpop_proof');
    expect(await stored()).toBe(before + 1);
    // refresh tokens issued from this point rotate; the existing token does not
    await sql("update clients set refresh_token_rotation = 'always' where client_id = $1", ['keyed-still']);
    await currentSnapshot();
    const later = await proofOf(key, { address });
    expect((await refresh(more, kept.body['refresh_token'], later))['access_token']).toBeDefined();
    expect((await refresh(more, kept.body['refresh_token'], later))['error']).toBe('invalid_dpop_proof');
  });

  test.each([
    ['the token endpoint', 'token', { grant_type: 'refresh_token', refresh_token: 'x' }, 'invalid_grant'],
    [
      'the endpoint for pushed requests',
      'par',
      { response_type: 'code', code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' },
      201,
    ],
  ])(
    'at %s, proofs of a public client are not stored, because anyone can send its client_id',
    async (_, at, more, result) => {
      const clientId = `keyed-native-${at}`;
      const [named] = await givenTrustedClients([clientId], { kind: 'native' });
      const path = `${OPENID_PATH}/${at}`;
      const body = { ...named, ...more, redirect_uri: `https://${clientId}.example/cb` };
      const stored = () => sql('select count(*)::int as n from used_proofs');
      const before = await stored();
      const proof = await proofOf(key, { address: `${settings().authUrl}${path}` });
      for (let n = 0; n < 2; n += 1) expect(await outcome(path, body, proof)).toBe(result);
      expect(await stored()).toEqual(before);
    },
  );

  test('a failed client authentication does not use up the proof', async () => {
    const path = `${OPENID_PATH}/token`;
    const proof = await proofOf(key, { address: `${settings().authUrl}${path}` });
    expect(await outcome(path, { ...form, client_secret: 'wrong' }, proof)).toBe('invalid_client');
    expect(await outcome(path, form, proof)).toBe(200);
  });
});
