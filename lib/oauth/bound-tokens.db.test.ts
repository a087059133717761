// DPoP-bound tokens at Gatehouse’s resources and at gateways (RFC 9449 §7). They require a fresh proof for the exact
// request. Covers signed and opaque tokens of users and clients.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { changeApi } from '#lib/catalogue/apis/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { loadSettings, settings } from '#lib/settings/settings.ts';
import { ask, jsonOf } from '#testing/in-process/in-process.ts';
import { giveFormat, givenMachines } from '#testing/in-process/machines.ts';
import {
  givenTrustedClients,
  OPENID_PATH,
  openIdCode,
  signInTo,
  type TrustedClient,
} from '#testing/in-process/openid.ts';
import { type ProofKey, proofKey, proofOf } from '#testing/net/dpop.ts';

const issuer = () => `${settings().authUrl}${OPENID_PATH}`;
const ORDER = { method: 'PUT', address: '' };

let machines: Awaited<ReturnType<typeof givenMachines>>;
let client: TrustedClient;
let cookie = '';
let key: ProofKey;
let other: ProofKey;

beforeAll(async () => {
  machines = await givenMachines();
  [client] = (await givenTrustedClients(['keyed'])) as [TrustedClient];
  cookie = (await signInTo('alice@example.com')).cookie;
  [key, other] = await Promise.all([proofKey(), proofKey()]);
  const orders = (await ask('/.well-known/oauth-protected-resource/apis/orders')).body;
  ORDER.address = `${JSON.parse(String(orders)).resource}/7`;
});

const atToken = async (form: Record<string, string>, by: ProofKey | null = key): Promise<string> => {
  const headers = by ? { dpop: await proofOf(by, { address: `${issuer()}/token` }) } : {};
  const answer = await ask(`${OPENID_PATH}/token`, { form, headers });
  if (answer.status !== 200) throw new Error(String(answer.body));
  return String(jsonOf(answer)['access_token']);
};
const personToken = async (by: ProofKey | null = key) =>
  atToken(
    {
      ...client,
      grant_type: 'authorization_code',
      code: await openIdCode(client, { cookie, scope: 'openid' }),
    },
    by,
  );
const machineToken = (by: ProofKey | null = key) =>
  atToken({ ...machines.bot, grant_type: 'client_credentials' }, by);

type Sent = { authorization: string; dpop?: string };
/** An endpoint: its address, its status for a valid user token, and the address that a proof must name. */
type Place = {
  send: (headers: Sent) => Promise<{ status: number; headers: Record<string, string | string[]> }>;
  proof: () => { method: string; address: string };
};
const userinfo: Place = {
  send: (headers) => ask(`${OPENID_PATH}/userinfo`, { headers }),
  proof: () => ({ method: 'GET', address: `${issuer()}/userinfo` }),
};
const gateway: Place = {
  send: (headers) =>
    ask('/verify/orders', {
      headers: { ...headers, 'x-original-method': ORDER.method, 'x-original-url': `${ORDER.address}?page=2` },
      address: '127.0.0.1',
    }),
  proof: () => ORDER,
};

describe.each(['jwt', 'opaque'])('access tokens of the format %s', (format) => {
  beforeEach(async () => {
    await giveFormat(format);
    loadSettings({ ...process.env, BASE_URL: settings().baseUrl, TRUST_PROXY: '1' });
  });

  test.each<[string, Place]>([
    ['userinfo', userinfo],
    ['a gateway', gateway],
  ])('at %s a bound token is accepted, once with each proof of its key', async (_, { send, proof }) => {
    const token = await personToken();
    const good = { authorization: `DPoP ${token}`, dpop: await proofOf(key, { ...proof(), token }) };
    expect((await send(good)).status).toBe(200);
    const again = await send(good);
    expect([again.status, String(again.headers['www-authenticate'])]).toEqual([
      401,
      expect.stringMatching(/^DPoP .*error="invalid_dpop_proof"/),
    ]);
    // the scheme is case-insensitive (RFC 9110 §11.1)
    const loud = { authorization: `dpop ${token}`, dpop: await proofOf(key, { ...proof(), token }) };
    expect((await send(loud)).status).toBe(200);
  });

  test.each<[string, Place]>([
    ['userinfo', userinfo],
    ['a gateway', gateway],
  ])('at %s a stolen token without a proof of its key is rejected', async (_, { send, proof }) => {
    const [token, bearer] = [await personToken(), await personToken(null)];
    const says = async (headers: Sent) => {
      const answer = await send(headers);
      return `${answer.status} ${/error="(\w+)"/.exec(String(answer.headers['www-authenticate']))?.[1]}`;
    };
    const dpop = (by: ProofKey, more: object = {}) => proofOf(by, { ...proof(), token, ...more });
    const sent = async (by: ProofKey, more?: object) =>
      says({ authorization: `DPoP ${token}`, dpop: await dpop(by, more) });
    expect(await says({ authorization: `Bearer ${token}` })).toBe('401 invalid_token');
    expect(await says({ authorization: `Bearer ${token}`, dpop: await dpop(key) })).toBe('401 invalid_token');
    expect(await says({ authorization: `DPoP ${bearer}`, dpop: await dpop(key, { token: bearer }) })).toBe(
      '401 invalid_token',
    );
    expect(await says({ authorization: `DPoP ${token}` })).toBe('401 invalid_dpop_proof');
    expect(await sent(other)).toBe('401 invalid_dpop_proof');
    expect(await sent(key, { token: undefined })).toBe('401 invalid_dpop_proof');
    expect(await sent(key, { token: `${token}x` })).toBe('401 invalid_dpop_proof');
    expect(await sent(key, { method: 'DELETE' })).toBe('401 invalid_dpop_proof');
    expect(await sent(key, { address: `${proof().address}/x` })).toBe('401 invalid_dpop_proof');
    expect(await sent(key, { claims: { iat: 1 } })).toBe('401 use_dpop_nonce');
    const two = `${await dpop(key)}, ${await dpop(key)}`;
    expect(await says({ authorization: `DPoP ${token}`, dpop: two })).toBe('401 invalid_dpop_proof');
    expect((await send({ authorization: `Bearer ${bearer}` })).status).toBe(200);
  });

  test('introspection returns the key of bound user tokens and bound client tokens', async () => {
    for (const token of [await personToken(), await machineToken()])
      expect(await machines.introspect(token)).toMatchObject({
        active: true,
        token_type: 'DPoP',
        cnf: { jkt: key.jkt },
      });
    for (const token of [await personToken(null), await machineToken(null)]) {
      const told = await machines.introspect(token);
      expect([told['token_type'], told['cnf']]).toEqual(['bearer', undefined]);
    }
  });

  test('a client_credentials token is bound like a user token', async () => {
    const token = await machineToken();
    const proof = () => proofOf(key, { ...ORDER, token });
    expect((await gateway.send({ authorization: `DPoP ${token}`, dpop: await proof() })).status).toBe(200);
    expect((await gateway.send({ authorization: `Bearer ${token}` })).status).toBe(401);
    const atUserinfo = await proofOf(key, { ...userinfo.proof(), token });
    expect((await userinfo.send({ authorization: `DPoP ${token}`, dpop: atUserinfo })).status).toBe(403);
    expect((await userinfo.send({ authorization: `Bearer ${token}` })).status).toBe(401);
  });
});

describe('verification for a gateway', () => {
  const asked = async (headers: Record<string, string>, proofFor = ORDER) => {
    const token = await personToken();
    const dpop = await proofOf(key, { ...proofFor, token });
    const sent = { authorization: `DPoP ${token}`, dpop, ...headers };
    return (await ask('/verify/orders', { headers: sent, address: '127.0.0.1' })).status;
  };
  const forwarded = () => {
    const { protocol, host, pathname } = new URL(ORDER.address);
    return {
      'x-forwarded-method': ORDER.method,
      'x-forwarded-proto': protocol.slice(0, -1),
      'x-forwarded-host': host,
      'x-forwarded-uri': `${pathname}?page=2`,
    };
  };
  const original = () => ({
    'x-original-method': ORDER.method,
    'x-original-url': `${ORDER.address}?page=2`,
  });

  test('the gateway must send the original request in one group of headers, or in two matching groups', async () => {
    expect(await asked(forwarded())).toBe(200);
    expect(await asked({ ...forwarded(), ...original() })).toBe(200);
    expect(await asked({ ...forwarded(), ...original(), 'x-original-method': 'GET' })).toBe(401);
    // a second, incomplete set of headers is also compared, because callers can send its headers
    expect(await asked({ ...forwarded(), 'x-original-method': 'GET' })).toBe(401);
    expect(await asked({ ...forwarded(), 'x-original-url': `${ORDER.address}/8` })).toBe(401);
    expect(await asked({ ...original(), 'x-forwarded-method': 'GET' })).toBe(401);
    // headers set by Gatehouse’s TLS proxy do not describe the request
    expect(
      await asked({ ...original(), 'x-forwarded-host': 'auth.example', 'x-forwarded-proto': 'https' }),
    ).toBe(200);
    expect(await asked({})).toBe(401);
  });

  test('responses about a bound token are not cacheable, because each proof works once', async () => {
    await changeApi(OPERATOR, { id: 'orders', verifyCache: 30 });
    try {
      const [token, bearer] = [await personToken(), await personToken(null)];
      const kept = async (headers: Sent) => (await gateway.send(headers)).headers['cache-control'];
      const dpop = await proofOf(key, { ...ORDER, token });
      expect(await kept({ authorization: `DPoP ${token}`, dpop })).toBe('no-store');
      expect(await kept({ authorization: `Bearer ${bearer}` })).toBe('private, max-age=30');
    } finally {
      await changeApi(OPERATOR, { id: 'orders', verifyCache: 0 });
    }
  });

  test('an untrusted gateway’s headers are ignored', async () => {
    loadSettings({ ...process.env, BASE_URL: settings().baseUrl, TRUST_PROXY: '0' });
    expect(await asked(forwarded())).toBe(401);
    loadSettings({ ...process.env, BASE_URL: settings().baseUrl, TRUST_PROXY: '1' });
  });

  test('an original request address outside the API is rejected', async () => {
    const elsewhere = { method: 'PUT', address: `${ORDER.address.replace('//', '//x.')}` };
    const headers = { 'x-original-method': 'PUT', 'x-original-url': elsewhere.address };
    expect(await asked(headers, elsewhere)).toBe(401);
  });
});

test('RFC 9449 §9: if an API requires nonces, its resources require them too, and a successful response may contain a newer nonce', async () => {
  await changeApi(OPERATOR, { id: 'orders', dpopNonce: 'required' });
  try {
    const first = await ask(`${OPENID_PATH}/token`, {
      form: { ...machines.bot, grant_type: 'client_credentials' },
      headers: { dpop: await proofOf(key, { address: `${issuer()}/token` }) },
    });
    expect([first.status, jsonOf(first)['error']]).toEqual([400, 'use_dpop_nonce']);
    const nonce = String(first.headers['dpop-nonce']);
    const code = await openIdCode(client, { cookie, scope: 'openid' });
    const given = await ask(`${OPENID_PATH}/token`, {
      form: { ...client, grant_type: 'authorization_code', code },
      headers: { dpop: await proofOf(key, { address: `${issuer()}/token`, nonce }) },
    });
    const token = String(jsonOf(given)['access_token']);
    const send = async (more: object) =>
      userinfo.send({
        authorization: `DPoP ${token}`,
        dpop: await proofOf(key, { ...userinfo.proof(), token, ...more }),
      });
    const without = await send({});
    expect([without.status, String(without.headers['www-authenticate'])]).toEqual([
      401,
      expect.stringMatching(/^DPoP .*error="use_dpop_nonce"/),
    ]);
    expect((await send({ nonce: String(without.headers['dpop-nonce']) })).status).toBe(200);
  } finally {
    await changeApi(OPERATOR, { id: 'orders', dpopNonce: 'off' });
  }
});

test('issuer and API metadata list the proof algorithms and the DPoP requirement', async () => {
  const metadata = jsonOf(await ask(`${OPENID_PATH}/.well-known/oauth-authorization-server`));
  const algs = ['ES256', 'PS256', 'EdDSA', 'Ed25519'];
  expect(metadata['dpop_signing_alg_values_supported']).toEqual(algs);
  const resource = async () => jsonOf(await ask('/.well-known/oauth-protected-resource/apis/orders'));
  expect(await resource()).toMatchObject({ dpop_signing_alg_values_supported: algs });
  expect((await resource())['dpop_bound_access_tokens_required']).toBeUndefined();
  await changeApi(OPERATOR, { id: 'orders', dpop: 'required' });
  expect(await resource()).toMatchObject({ dpop_bound_access_tokens_required: true });
  await changeApi(OPERATOR, { id: 'orders', dpop: 'optional' });
});
