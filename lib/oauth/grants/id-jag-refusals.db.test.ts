// Rejected ID-JAGs, each with its reason in the client's request log.
import { SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { expectReason } from '#testing/clients/asserted.ts';
import { type Changes, makePair, type Pair } from '#testing/clients/client-keys.ts';
import {
  type Bearer,
  BROKER_PATH,
  bring,
  CONF,
  type IdentityProvider,
  idJagClaims,
  makeIdJag,
  outcome,
  startIdentityProvider,
  trustForMachines,
} from '#testing/clients/id-jag.ts';
import { sql } from '#testing/data/registry.ts';
import { givenFixtures, jsonOf } from '#testing/in-process/in-process.ts';

let idp: IdentityProvider;
let stranger: Pair;
let issuer: string;

beforeAll(async () => {
  await givenFixtures();
  idp = await startIdentityProvider();
  stranger = await makePair('ES256', idp.pair.kid);
  await trustForMachines(idp, 'conf');
  issuer = String(idJagClaims(idp).aud);
});
afterAll(() => idp.close());
beforeEach(() => sql('delete from refused_requests'));

const now = () => Math.floor(Date.now() / 1000);
const GRANT = '400 invalid_grant';
const REFUSALS: [what: string, changes: () => Changes, reason: string, error?: string][] = [
  ['typ is an ID token’s', () => ({ header: { typ: 'JWT' } }), 'jag-type'],
  ['typ is missing', () => ({ header: { typ: undefined } }), 'jag-type'],
  ['typ is an access token’s', () => ({ header: { typ: 'at+jwt' } }), 'jag-type'],
  ['aud has two', () => ({ claims: { aud: [issuer, 'https://elsewhere.example'] } }), 'jag-audience'],
  ['aud is the same twice', () => ({ claims: { aud: [issuer, issuer] } }), 'jag-audience'],
  ['aud is empty', () => ({ claims: { aud: [] } }), 'jag-audience'],
  ['aud is missing', () => ({ claims: { aud: undefined } }), 'jag-audience'],
  ['aud is another issuer', () => ({ claims: { aud: issuer.replace('orders', 'billing') } }), 'jag-audience'],
  ['aud is the token endpoint', () => ({ claims: { aud: `${issuer}/token` } }), 'jag-audience'],
  ['aud has a slash at its end', () => ({ claims: { aud: `${issuer}/` } }), 'jag-audience'],
  ['iss is unknown', () => ({ claims: { iss: 'https://evil.example' } }), 'jag-issuer'],
  ['iss has a slash at its end', () => ({ claims: { iss: `${idp.issuer}/` } }), 'jag-issuer'],
  ['iss is missing', () => ({ claims: { iss: undefined } }), 'jag-issuer'],
  ['client_id is another client', () => ({ claims: { client_id: 'conf2' } }), 'jag-client'],
  ['client_id is missing', () => ({ claims: { client_id: undefined } }), 'jag-client'],
  ['sub is missing', () => ({ claims: { sub: undefined } }), 'jag-subject'],
  ['sub is empty', () => ({ claims: { sub: '' } }), 'jag-subject'],
  ['sub is a number', () => ({ claims: { sub: 7 } }), 'jag-subject'],
  ['sub is long', () => ({ claims: { sub: 'x'.repeat(256) } }), 'jag-subject'],
  ['sub holds what no row can', () => ({ claims: { sub: 'a\u0000b' } }), 'jag-subject'],
  ['jti is missing', () => ({ claims: { jti: undefined } }), 'jag-id'],
  ['jti is empty', () => ({ claims: { jti: '' } }), 'jag-id'],
  ['jti is long', () => ({ claims: { jti: 'x'.repeat(1_025) } }), 'jag-id'],
  ['exp is missing', () => ({ claims: { exp: undefined } }), 'jag-time'],
  ['iat is missing', () => ({ claims: { iat: undefined } }), 'jag-time'],
  ['exp is a text', () => ({ claims: { exp: String(now() + 60) } }), 'jag-time'],
  ['iat is ahead', () => ({ claims: { iat: now() + 40 } }), 'jag-time'],
  ['nbf is ahead: not yet valid', () => ({ claims: { nbf: now() + 40 } }), 'jag-time'],
  ['auth_time is ahead', () => ({ claims: { auth_time: now() + 40 } }), 'jag-time'],
  ['exp is past', () => ({ claims: { iat: now() - 100, exp: now() - 31 } }), 'jag-expired'],
  ['it is old', () => ({ claims: { iat: now() - 640 } }), 'jag-too-old'],
  ['it is made out for long', () => ({ claims: { exp: now() + 3_700 } }), 'jag-too-long'],
  ['it is bound to a key', () => ({ claims: { cnf: { jkt: 'x' } } }), 'jag-bound'],
  ['it holds authorization_details', () => ({ claims: { authorization_details: [] } }), 'jag-bound'],
  ['scope is a list', () => ({ claims: { scope: ['read'] } }), 'jag-malformed'],
  ['resource is a number', () => ({ claims: { resource: 7 } }), 'jag-malformed'],
  ['it has crit', () => ({ header: { crit: ['b64'], b64: true } }), 'jag-malformed'],
  ['it is larger than 16,384 characters', () => ({ claims: { more: 'x'.repeat(16_000) } }), 'jag-malformed'],
  [
    'resource is another API',
    () => ({ claims: { resource: 'https://api.example/billing' } }),
    'jag-resource',
    '400 invalid_target',
  ],
  [
    'its scope is above the ceiling',
    () => ({ claims: { scope: 'admin' } }),
    'jag-scope',
    '400 invalid_scope',
  ],
  ['its scope is empty', () => ({ claims: { scope: '' } }), 'jag-scope', '400 invalid_scope'],
  ['its kid is unknown', () => ({ header: { kid: 'another' } }), 'jag-key'],
];

describe('rejected ID-JAGs', () => {
  test.each(REFUSALS)('the ID-JAG is rejected if %s', async (_, changes, reason, error = GRANT) => {
    expect(await outcome(await makeIdJag(idp, changes()))).toBe(error);
    await expectReason('conf', reason);
  });

  test('an ID-JAG with alg none or HS256 is rejected, even with the broker’s public key as secret', async () => {
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const typ = 'oauth-id-jag+jwt';
    const unsigned = `${encode({ alg: 'none', typ })}.${encode(idJagClaims(idp))}.`;
    const secret = new TextEncoder().encode(JSON.stringify(idp.pair.jwk));
    const symmetric = await new SignJWT(idJagClaims(idp))
      .setProtectedHeader({ alg: 'HS256', typ, kid: idp.pair.kid })
      .sign(secret);
    for (const assertion of [unsigned, symmetric]) {
      expect(await outcome(assertion)).toBe(GRANT);
      await expectReason('conf', 'jag-algorithm');
    }
  });

  test('an ID-JAG with a stranger’s signature under the broker’s kid, or an altered payload, is rejected', async () => {
    const good = await makeIdJag(idp);
    const [head = '', , tail = ''] = good.split('.');
    const altered = `${head}.${Buffer.from(JSON.stringify(idJagClaims(idp, { sub: 'boss' }))).toString('base64url')}.${tail}`;
    for (const assertion of [await makeIdJag({ issuer: idp.issuer, pair: stranger }), altered]) {
      expect(await outcome(assertion)).toBe(GRANT);
      await expectReason('conf', 'jag-signature');
    }
    expect(await sql("select from external_identities where subject = 'boss'")).toEqual([]);
  });

  test('a malformed ID-JAG and a request without one are rejected', async () => {
    for (const assertion of ['x', 'a.b', 'a.b.c', `${await makeIdJag(idp)} `]) {
      expect(await outcome(assertion), assertion).toBe(GRANT);
      await expectReason('conf', 'jag-malformed');
    }
    expect(await outcome('')).toBe('400 invalid_request');
  });

  test('a public client, and a client without machine permission, approval or the right secret, cannot use an ID-JAG', async () => {
    const as = async (form: Record<string, string>, error = '400 unauthorized_client') => {
      const claims = { client_id: form['client_id'] };
      expect(await outcome(await makeIdJag(idp, { claims }), { form }), form['client_id']).toBe(error);
    };
    await as({ client_id: 'nat' });
    await expectReason('nat', 'jag-public-client');
    await as({ client_id: 'conf2', client_secret: 'S2-conf2-secret-of-the-fixtures' });
    await expectReason('conf2', 'not-machine');
    await as({ client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures' });
    await as({ client_id: 'pend', client_secret: 'pend-secret-of-the-fixtures' });
    await expectReason('pend', 'subscription-pending');
    await as({ client_id: 'conf', client_secret: 'wrong' }, '401 invalid_client');
  });

  test('issuers of local and external methods do not support the grant of an ID-JAG', async () => {
    for (const method of ['pw', 'ext']) {
      const bearer: Bearer = { path: BROKER_PATH.replace('brk', method) };
      const claims = { aud: issuer.replace('/brk/', `/${method}/`) };
      expect(await outcome(await makeIdJag(idp, { claims }), bearer)).toBe('400 unsupported_grant_type');
    }
  });

  test('a rejected ID-JAG is not used up, and the error reveals neither user nor keys', async () => {
    const jti = 'only-once';
    const early = await bring(await makeIdJag(idp, { claims: { jti, scope: 'admin' } }));
    expect(jsonOf(early)).toEqual({
      error: 'invalid_scope',
      error_description: expect.not.stringContaining('admin'),
      request_id: expect.any(String),
    });
    expect(await outcome(await makeIdJag(idp, { claims: { jti } }))).toBe('200');
    expect(await outcome(await makeIdJag(idp, { claims: { jti } }))).toBe(GRANT);
    await expectReason('conf', 'jag-used');
  });

  test('an unreachable broker returns temporarily_unavailable, and the ID-JAG stays unused', async () => {
    const other = await startIdentityProvider();
    other.state.down = true;
    await trustForMachines(other);
    const assertion = await makeIdJag(other);
    expect(await outcome(assertion, { form: CONF })).toBe('503 temporarily_unavailable');
    other.state.down = false;
    expect(await outcome(assertion)).toBe('200');
    await trustForMachines(idp);
    await other.close();
  });
});
