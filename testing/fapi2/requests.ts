// The modules about metadata, pushed requests and the authorize address.
import { expect } from 'vitest';
import { shiftClock } from '#lib/kit/clock.ts';
import { ask, jsonOf } from '../in-process/in-process.ts';
import { Visitor } from '../in-process/visitor.ts';
import {
  answerTo,
  bank,
  claimsOf,
  codeFor,
  come,
  issuer,
  push,
  redeem,
  requestOf,
  resource,
  visit,
} from './bank.ts';
import type { Modules } from './modules.ts';

type Over = Record<string, string | undefined>;

/**
 * Runs the complete flow, from a pushed request to userinfo. `over`: parameters of the request that are
 * replaced.
 */
async function whole(over: Over = {}, by = bank.first) {
  const pushed = await push(by, over);
  const told = await come(by, pushed.body['request_uri']);
  expect(told.get('iss')).toBe(issuer());
  const { status, body } = await redeem(by, told.get('code') ?? '');
  expect([status, body['token_type']]).toEqual([200, 'DPoP']);
  const answer = await resource(by, body['access_token'] ?? '');
  expect(answer.status).toBe(200);
  const claims = claimsOf(body['id_token']);
  expect(jsonOf(answer)['sub']).toBe(claims['sub']);
  return { told, claims, tokens: body, userinfo: jsonOf(answer) };
}

async function refused(over: Over, error: string) {
  const { status, body } = await push(bank.first, over);
  expect([status, body['error'], body['request_uri']]).toEqual([400, error, undefined]);
}

/** Expects that parameters next to request_uri are ignored: the response contains the pushed values. */
async function besideIsNothing(name: 'nonce' | 'state') {
  const { first } = bank;
  const pushed = requestOf(first);
  const { request_uri } = (await push(first, pushed)).body;
  const told = await come(first, request_uri, { ...pushed, [name]: 'another' });
  expect(told.get('state')).toBe(pushed['state']);
  const { body } = await redeem(first, told.get('code') ?? '');
  expect(claimsOf(body['id_token'])['nonce']).toBe(pushed['nonce']);
}

export const REQUESTS = {
  'discovery-end-point-verification': async () => {
    const metadata = jsonOf(await ask(`${bank.path}/.well-known/openid-configuration`));
    const algs = ['PS256', 'ES256', 'EdDSA', 'Ed25519'];
    expect(metadata).toMatchObject({
      issuer: issuer(),
      authorization_response_iss_parameter_supported: true,
      pushed_authorization_request_endpoint: `${issuer()}/par`,
      require_pushed_authorization_requests: true,
      token_endpoint_auth_methods_supported: ['private_key_jwt'],
      token_endpoint_auth_signing_alg_values_supported: algs,
      id_token_signing_alg_values_supported: ['ES256'],
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      scopes_supported: expect.arrayContaining(['openid', 'accounts']),
    });
    expect(algs).toEqual(expect.arrayContaining(metadata['dpop_signing_alg_values_supported'] as string[]));
    expect(metadata['grant_types_supported']).not.toContain('password');
  },
  'happy-flow': async () => {
    const { first, second } = bank;
    await whole();
    // the second client sends dpop_jkt instead of a proof, and a long state
    const asked = { state: 's'.repeat(128), nonce: 'n'.repeat(43), dpop_jkt: second.key.jkt };
    const { told, claims, tokens } = await whole(asked, second);
    expect([told.get('state'), claims['nonce']]).toEqual([asked.state, asked.nonce]);
    expect([told.get('dummy1'), told.get('dummy2')]).toEqual(['lorem', 'ipsum']);
    expect((await resource(first, tokens['access_token'] ?? '')).status).toBe(401);
  },
  'user-rejects-authentication': async () => {
    for (const party of [bank.first, bank.second]) {
      const visitor = new Visitor();
      const { request_uri = '' } = (await push(party, { state: 'kept' })).body;
      const page = await visit(visitor, { client_id: party.id, request_uri });
      const { client } = await visitor.submit(page, { cancel: '1' });
      expect([client.get('error'), client.get('state'), client.get('iss')]).toEqual([
        'access_denied',
        'kept',
        issuer(),
      ]);
    }
  },
  'ensure-authorization-request-without-state-success': async () => {
    const { told, claims } = await whole({ state: undefined });
    expect([told.has('state'), claims['s_hash']]).toEqual([false, undefined]);
  },
  'ensure-authorization-request-without-nonce-success': async () => {
    expect((await whole({ nonce: undefined })).claims['nonce']).toBeUndefined();
  },
  'ensure-authorization-request-with-64-char-nonce-success': async () => {
    expect((await whole({ nonce: 'n'.repeat(64) })).claims['nonce']).toBe('n'.repeat(64));
  },
  'ensure-other-scope-order-succeeds': async () => {
    await whole({ scope: bank.first.scope.split(' ').reverse().join(' ') });
  },
  'test-claims-parameter-identity-claims': async () => {
    const { claims_supported } = jsonOf(await ask(`${bank.path}/.well-known/openid-configuration`));
    const names = (claims_supported as string[]).filter((name) => ['name', 'email'].includes(name));
    expect(names).toEqual(['name', 'email']);
    const asked = { name: null, email: { essential: true }, no_such_claim: { value: 'x' } };
    const { claims, userinfo } = await whole({
      scope: 'openid accounts',
      claims: JSON.stringify({ id_token: asked, userinfo: asked, elsewhere: asked }),
    });
    for (const told of [claims, userinfo]) {
      expect(told).toMatchObject({ name: 'Pat Person', email: bank.person.username });
      expect(told).not.toHaveProperty('no_such_claim');
    }
  },
  'ensure-different-nonce-inside-and-outside-request-object': () => besideIsNothing('nonce'),
  'ensure-different-state-inside-and-outside-request-object': () => besideIsNothing('state'),
  'ensure-authorization-request-with-long-nonce': async () => {
    expect((await whole({ nonce: 'n'.repeat(384) })).claims['nonce']).toBe('n'.repeat(384));
  },
  'ensure-authorization-request-with-long-state': async () => {
    expect((await whole({ state: 's'.repeat(1_000) })).told.get('state')).toBe('s'.repeat(1_000));
  },
  'state-only-outside-request-object-not-used': async () => {
    const { request_uri } = (await push(bank.first, { state: undefined })).body;
    const told = await come(bank.first, request_uri, { state: 'outside' });
    expect([told.get('code'), told.has('state')]).toEqual([expect.stringMatching(/./), false]);
  },
  'ensure-request-object-without-redirect-uri-fails': () =>
    refused({ redirect_uri: undefined }, 'invalid_request'),
  'plain-fapi-tolerate-unregistered-redirect-uri': () =>
    refused({ redirect_uri: `${bank.first.redirectUri}/unregistered` }, 'invalid_request'),
  'ensure-unsigned-authorization-request-without-using-par-fails': async () => {
    const asked = requestOf(bank.first);
    const { back } = await answerTo(asked);
    expect([back.get('error'), back.get('state'), back.has('code')]).toEqual([
      'invalid_request',
      asked['state'],
      false,
    ]);
  },
  'ensure-redirect-uri-in-authorization-request': () => refused({ redirect_uri: '' }, 'invalid_request'),
  'ensure-response-type-code-idtoken-fails': () =>
    refused({ response_type: 'code id_token' }, 'unsupported_response_type'),
  'ensure-response-type-token-fails': () => refused({ response_type: 'token' }, 'unsupported_response_type'),
  'par-ensure-reused-request-uri-prior-to-auth-completion-succeeds': async () => {
    const { first } = bank;
    const { request_uri = '' } = (await push(first)).body;
    const visitor = new Visitor();
    const query = { client_id: first.id, request_uri };
    expect((await visit(visitor, query)).page).toBe('login');
    const { client } = await visitor.submit(await visit(visitor, query), bank.person);
    expect((await redeem(first, client.get('code') ?? '')).status).toBe(200);
  },
  'par-attempt-reuse-request_uri': async () => {
    const { request_uri } = (await push(bank.first)).body;
    expect((await come(bank.first, request_uri)).get('code')).toMatch(/./);
    const again = await come(bank.first, request_uri);
    expect([again.get('error'), again.has('code')]).toEqual(['invalid_request_uri', false]);
  },
  'par-attempt-to-use-expired-request_uri': async () => {
    const { request_uri, expires_in } = (await push(bank.first)).body;
    expect(Number(expires_in)).toBeLessThan(600);
    shiftClock((Number(expires_in) + 1) * 1000);
    try {
      expect((await come(bank.first, request_uri)).get('error')).toBe('invalid_request_uri');
    } finally {
      shiftClock(0);
    }
  },
  'par-attempt-to-use-request_uri-for-different-client': async () => {
    const { request_uri = '' } = (await push(bank.first)).body;
    const { status, text } = await answerTo({ client_id: bank.second.id, request_uri });
    expect([status, text]).toEqual([400, expect.stringContaining('invalid_request_uri')]);
  },
  'par-authorization-request-containing-request_uri-form-param': () =>
    refused({ request_uri: 'urn:ietf:params:oauth:request_uri:of-the-client' }, 'invalid_request'),
  'par-attempt-invalid-http-method': async () => {
    expect((await ask(`${bank.path}/par`, { method: 'PUT', form: requestOf(bank.first) })).status).toBe(405);
  },
  'par-ensure-pkce-required': () =>
    refused({ code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'),
  'par-plain-pkce-rejected': () => refused({ code_challenge_method: 'plain' }, 'invalid_request'),
  'par-without-duplicate-parameters': async () => {
    expect((await redeem(bank.first, await codeFor(bank.first))).status).toBe(200);
  },
} satisfies Partial<Modules>;
