// The modules about the token endpoint, assertions of clients and refresh tokens.
import { expect } from 'vitest';
import type { Changes } from '../clients/client-keys.ts';
import { sql } from '../data/registry.ts';
import { ask, jsonOf } from '../in-process/in-process.ts';
import { proofKey } from '../net/dpop.ts';
import {
  assertion,
  type Body,
  bank,
  claimsOf,
  codeFor,
  issuer,
  type Party,
  post,
  push,
  redeem,
  resource,
  type Told,
  tokensFor,
} from './bank.ts';
import type { Modules } from './modules.ts';

const says = ({ status, body }: Told) => [status, body['error'], body['access_token'] ?? body['request_uri']];
const REFUSED_CLIENT = [401, 'invalid_client', undefined];
const seconds = () => Math.floor(Date.now() / 1000);

/** Expects that the token endpoint rejects a code with these client credentials. */
async function notRedeemed(credentials: Body): Promise<void> {
  const { first } = bank;
  expect(says(await redeem(first, await codeFor(first), { credentials }))).toEqual(REFUSED_CLIENT);
}
const notPushed = async (changes: Changes) =>
  expect(says(await push(bank.first, {}, { credentials: await assertion(bank.first, changes) }))).toEqual(
    REFUSED_CLIENT,
  );

const refresh = (by: Party, token: string | undefined, sent = {}) =>
  post('token', by, { grant_type: 'refresh_token', refresh_token: token ?? '', scope: by.scope }, sent);

export const TOKENS = {
  'ensure-client-id-in-token-endpoint': async () => {
    const { first, second } = bank;
    const credentials = { client_id: second.id, ...(await assertion(second, {}, first.pair)) };
    await notRedeemed(credentials);
  },
  'ensure-holder-of-key-required': async () => {
    const { first } = bank;
    const refused = await redeem(first, await codeFor(first), { key: null });
    expect(says(refused)).toEqual([400, 'invalid_dpop_proof', undefined]);
  },
  'ensure-authorization-code-is-bound-to-client': async () => {
    const { first, second } = bank;
    const refused = await redeem(second, await codeFor(first), {}, { redirect_uri: first.redirectUri });
    expect(says(refused)).toEqual([400, 'invalid_grant', undefined]);
  },
  'attempt-reuse-authorization-code-after-one-second': async () => {
    const { first } = bank;
    const code = await codeFor(first);
    const { access_token = '' } = (await redeem(first, code)).body;
    await sql(`update codes set used_at = used_at - interval '1 second' where used_at is not null`);
    expect(says(await redeem(first, code))).toEqual([400, 'invalid_grant', undefined]);
    expect((await resource(first, access_token)).status).toBe(401);
  },
  'ensure-token-endpoint-fails-with-expired-auth-code': async () => {
    const { first } = bank;
    const code = await codeFor(first);
    await sql(`update codes set expires_at = expires_at - interval '62 seconds' where used_at is null`);
    expect(says(await redeem(first, code))).toEqual([400, 'invalid_grant', undefined]);
  },
  'ensure-signed-client-assertion-with-RS256-fails': async () => {
    for (const party of [bank.first, bank.second]) {
      const credentials = await assertion(party, {}, party.rs256);
      const refused = await redeem(party, await codeFor(party), { credentials });
      expect(says(refused)).toEqual(REFUSED_CLIENT);
    }
  },
  'ensure-client-assertion-in-token-endpoint': () => notRedeemed({ client_id: bank.first.id }),
  'ensure-client-assertion-with-exp-is-5-minutes-in-past-fails': async () =>
    notRedeemed(await assertion(bank.first, { claims: { exp: seconds() - 300 } })),
  'ensure-client-assertion-with-wrong-aud-fails': async () =>
    notRedeemed(await assertion(bank.first, { claims: { aud: 'https://www.other1.example.com/' } })),
  'ensure-client-assertion-with-no-sub-fails': async () =>
    notRedeemed(await assertion(bank.first, { claims: { sub: undefined } })),
  'refresh-token': async () => {
    const { first, second } = bank;
    const given = await tokensFor(first);
    const again = await refresh(first, given['refresh_token'], { key: await proofKey() });
    expect([again.status, again.body['refresh_token']]).toEqual([200, undefined]);
    const [before, after] = [claimsOf(given['id_token']), claimsOf(again.body['id_token'])];
    for (const name of ['iss', 'sub', 'aud', 'auth_time']) expect(after[name]).toEqual(before[name]);
    const unknown = await refresh(first, given['refresh_token'], { credentials: {} });
    expect(says(unknown)).toEqual([400, 'invalid_request', undefined]);
    expect(says(await refresh(first, given['refresh_token'], { key: null }))).toEqual([
      400,
      'invalid_dpop_proof',
      undefined,
    ]);
    // tokens that are bound to the second client
    const others = await tokensFor(second);
    expect((await refresh(second, others['refresh_token'])).status).toBe(200);
    const stolen = await refresh(first, others['refresh_token']);
    expect(says(stolen)).toEqual([400, 'invalid_grant', undefined]);
    expect((await refresh(first, given['refresh_token'])).status).toBe(200);
    expect(
      jsonOf(await ask(`${bank.path}/.well-known/openid-configuration`))['grant_types_supported'],
    ).toContain('refresh_token');
  },
  'par-ensure-jwt-client-assertions-nbf-8-seconds-in-the-future-is-accepted': async () => {
    const claims = { iat: seconds() + 8, nbf: seconds() + 8 };
    const { status } = await push(bank.first, {}, { credentials: await assertion(bank.first, { claims }) });
    expect(status).toBe(201);
  },
  'par-ensure-jwt-client-assertions-nbf-over-60-seconds-in-the-future-fails': () =>
    notPushed({ claims: { iat: seconds() + 62, nbf: seconds() + 62, exp: seconds() + 122 } }),
  'par-test-array-as-audience-fails': async () => {
    await notPushed({ claims: { aud: [issuer(), `${issuer()}/token`] } });
    await notPushed({ claims: { aud: [issuer()] } });
  },
  'par-test-par-endpoint-url-as-audience-fails': () => notPushed({ claims: { aud: `${issuer()}/par` } }),
  'par-test-token-endpoint-url-as-audience-fails': () => notPushed({ claims: { aud: `${issuer()}/token` } }),
  'ensure-pkce-code-verifier-required': async () => {
    const { first } = bank;
    const refused = await redeem(first, await codeFor(first), {}, { code_verifier: '' });
    expect(says(refused)).toEqual([400, 'invalid_grant', undefined]);
  },
  'incorrect-pkce-code-verifier-rejected': async () => {
    const { first } = bank;
    const refused = await redeem(first, await codeFor(first), {}, { code_verifier: 'w'.repeat(43) });
    expect(says(refused)).toEqual([400, 'invalid_grant', undefined]);
  },
} satisfies Partial<Modules>;
