// A pushed request with a proof of a key (RFC 9449 §10.1), tested by requests to the protocol core.
import { beforeAll, expect, test } from 'vitest';
import { settings } from '#lib/settings/settings.ts';
import { ask, givenFixtures, jsonOf, locationOf } from '#testing/in-process/in-process.ts';
import {
  givenTrustedClients,
  OPENID_PATH,
  redeemFor,
  signInTo,
  type TrustedClient,
} from '#testing/in-process/openid.ts';
import { type ProofKey, proofKey, proofOf } from '#testing/net/dpop.ts';

let client: TrustedClient;
let cookie = '';
let key: ProofKey;
let other: ProofKey;

beforeAll(async () => {
  await givenFixtures();
  [client] = (await givenTrustedClients(['keyed'])) as [TrustedClient];
  cookie = (await signInTo('alice@example.com')).cookie;
  [key, other] = await Promise.all([proofKey(), proofKey()]);
});

const at = (name: string) => `${settings().authUrl}${OPENID_PATH}/${name}`;
const push = async (by: ProofKey | null, more: Record<string, string> = {}) =>
  ask(`${OPENID_PATH}/par`, {
    form: {
      ...client,
      response_type: 'code',
      redirect_uri: `https://${client.client_id}.example/cb`,
      scope: 'openid',
      ...more,
    },
    headers: by ? { dpop: await proofOf(by, { address: at('par') }) } : {},
  });
async function codeOf(request_uri: unknown): Promise<string> {
  const query = new URLSearchParams({ client_id: client.client_id, request_uri: String(request_uri) });
  const answer = await ask(`${OPENID_PATH}/authorize?${query}`, { headers: { cookie } });
  return new URL(locationOf(answer)).searchParams.get('code') ?? '';
}
const redeem = async (code: string, by: ProofKey) =>
  ask(`${OPENID_PATH}/token`, {
    form: { ...client, grant_type: 'authorization_code', code },
    headers: { dpop: await proofOf(by, { address: at('token') }) },
  });

test('PAR: only the key of the DPoP proof redeems the code', async () => {
  const code = await codeOf(jsonOf(await push(key))['request_uri']);
  expect(jsonOf(await redeemFor(client, code))['error']).toBe('invalid_grant');
  expect(jsonOf(await redeem(code, other))['error']).toBe('invalid_grant');
  expect(jsonOf(await redeem(code, key))['token_type']).toBe('DPoP');
});

test('PAR: dpop_jkt also binds the code to a key, and a proof must match it', async () => {
  const code = await codeOf(jsonOf(await push(null, { dpop_jkt: key.jkt }))['request_uri']);
  expect(jsonOf(await redeem(code, other))['error']).toBe('invalid_grant');
  expect((await redeem(code, key)).status).toBe(200);
  expect((await push(key, { dpop_jkt: key.jkt })).status).toBe(201);
  const unequal = await push(key, { dpop_jkt: other.jkt });
  expect([unequal.status, jsonOf(unequal)['error']]).toEqual([400, 'invalid_dpop_proof']);
});

test('PAR rejects a proof for the token endpoint', async () => {
  const headers = { dpop: await proofOf(key, { address: at('token') }) };
  const refused = await ask(`${OPENID_PATH}/par`, { form: { ...client, response_type: 'code' }, headers });
  expect([refused.status, jsonOf(refused)['error']]).toEqual([400, 'invalid_dpop_proof']);
});
