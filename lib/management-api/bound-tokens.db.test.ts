// A management API token that is bound to a key (RFC 9449 §7), with real requests.
import { beforeAll, expect, it } from 'vitest';
import { decideSubscription, requestSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import { MANAGEMENT_API } from '#lib/management/built-in.ts';
import { MANAGEMENT_SCOPES } from '#lib/management/policy.ts';
import { settings } from '#lib/settings/settings.ts';
import { givenClient, givenPerson } from '#testing/data/registry.ts';
import { ask, jsonOf } from '#testing/in-process/in-process.ts';
import { givenManagementApi, callManagement as send } from '#testing/in-process/management.ts';
import { type ProofKey, proofKey, proofOf } from '#testing/net/dpop.ts';

const BOT = { clientId: 'bot', api: MANAGEMENT_API };
const address = (path: string) => `${settings().baseUrl}/api/v1${path}`;
let secret = '';

beforeAll(async () => {
  await givenManagementApi();
  const owner = await givenPerson('owner', 'developer', 'approver');
  const chief = await givenPerson('chief', 'administrator');
  secret = String(await givenClient(owner, 'bot'));
  await requestSubscription(owner, { ...BOT, machine: true, scopes: [...MANAGEMENT_SCOPES] });
  await decideSubscription(chief, { ...BOT, action: 'approve' });
});

async function boundToken(key: ProofKey): Promise<string> {
  const path = `/auth/local/api/${MANAGEMENT_API}/token`;
  const answer = await ask(path, {
    form: { client_id: 'bot', client_secret: secret, grant_type: 'client_credentials' },
    headers: { dpop: await proofOf(key, { address: `${settings().authUrl}${path}` }) },
  });
  return String(jsonOf(answer)['access_token']);
}

it('a key-bound token requires a fresh proof for each request to the management API', async () => {
  const [key, other] = await Promise.all([proofKey(), proofKey()]);
  const token = await boundToken(key);
  /** Returns the status, the error, and the status of the same request sent again. */
  const call = async (scheme: string, by: ProofKey | null, more: object = {}) => {
    const proof = by && (await proofOf(by, { method: 'GET', address: address('/clients'), token, ...more }));
    const headers = { authorization: `${scheme} ${token}`, ...(proof && { dpop: proof }) };
    const [answer, again] = [await send('/clients', { headers }), await send('/clients', { headers })];
    return [
      answer.status,
      /error="(\w+)"/.exec(String(answer.headers['www-authenticate']))?.[1],
      again.status,
    ];
  };
  expect(await call('DPoP', key)).toEqual([200, undefined, 401]);
  expect(await call('Bearer', null)).toEqual([401, 'invalid_token', 401]);
  expect(await call('Bearer', key)).toEqual([401, 'invalid_token', 401]);
  expect(await call('DPoP', null)).toEqual([401, 'invalid_dpop_proof', 401]);
  expect(await call('DPoP', other)).toEqual([401, 'invalid_dpop_proof', 401]);
  expect(await call('DPoP', key, { address: address('/people') })).toEqual([401, 'invalid_dpop_proof', 401]);
  expect(await call('DPoP', key, { claims: { iat: 1 } })).toEqual([401, 'use_dpop_nonce', 401]);
});
