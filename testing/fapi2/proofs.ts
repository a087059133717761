// The modules about proofs of a key (DPoP).
import { exportJWK } from 'jose';
import { expect } from 'vitest';
import { type ProofKey, proofKey, proofOf } from '../net/dpop.ts';
import { bank, codeFor, issuer, push, redeem, resource, resourceWith, tokensFor } from './bank.ts';
import type { Modules } from './modules.ts';

const seconds = () => Math.floor(Date.now() / 1000);
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Expects that PAR, the token endpoint and the resource accept proofs with these claims. */
async function taken(claims: () => Record<string, unknown>): Promise<void> {
  const { first } = bank;
  const code = await codeFor(first, {}, { key: first.key, claims: claims() });
  const { status, body } = await redeem(first, code, { claims: claims() });
  expect(status).toBe(200);
  expect((await resource(first, body['access_token'] ?? '', { claims: claims() })).status).toBe(200);
}

/** Expects that the token endpoint rejects a code that is bound to another key than the client's. */
async function ofAnotherKey(over: Record<string, string>, sent: { key?: ProofKey | null }, by: ProofKey) {
  const refused = await redeem(bank.first, await codeFor(bank.first, over, sent), { key: by });
  expect([refused.status, refused.body['error']]).toEqual([400, 'invalid_grant']);
}

/** Blocks of module `dpop-negative-tests` in order: request and expected status. */
function blocks(token: string, other: ProofKey): [string, number, () => Promise<Record<string, string>>][] {
  const { key } = bank.first;
  const address = `${issuer()}/userinfo`;
  const authorization = `DPoP ${token}`;
  const prove = (more: Partial<Parameters<typeof proofOf>[1]> = {}, by = key) =>
    proofOf(by, { method: 'GET', address, token, ...more });
  const without = (name: string) => async () => ({
    authorization,
    dpop: await prove({ claims: { [name]: undefined } }),
  });
  const sent = (dpop: () => Promise<string> | string) => async () => ({ authorization, dpop: await dpop() });
  const at = new URL(address);
  const port = at.port || (at.protocol === 'https:' ? '443' : '80');
  const once = proofOf(key, { method: 'GET', address, token });
  const cut = async (change: (parts: string[]) => string[]) => change((await prove()).split('.')).join('.');
  const { jwk, privateKey } = key;
  return [
    ['more than one proof', 401, sent(async () => `${await prove()}, ${await prove()}`)],
    ['not well-formed', 401, sent(() => cut(([head = '', body = '']) => [head, body]))],
    ['typ is missing', 401, sent(() => prove({ header: { typ: undefined } }))],
    [
      'alg is missing',
      401,
      sent(() => cut(([, ...rest]) => [encoded({ typ: 'dpop+jwt', alg2: key.alg, jwk }), ...rest])),
    ],
    ['jwk is missing', 401, sent(() => prove({ header: { jwk: undefined } }))],
    ['jti is missing', 401, without('jti')],
    ['htm is missing', 401, without('htm')],
    ['htu is missing', 401, without('htu')],
    ['iat is missing', 401, without('iat')],
    ['ath is missing', 401, without('ath')],
    ['invalid typ', 401, sent(() => prove({ header: { typ: 'dpop+jwt+wrongyousee' } }))],
    ['RS256', 401, sent(async () => prove({}, await proofKey('RS256')))],
    [
      'alg none',
      401,
      sent(() => cut(([, body = '']) => [encoded({ alg: 'none', typ: 'dpop+jwt' }), body, ''])),
    ],
    [
      'invalid signature',
      401,
      sent(() => cut(([head = '', body = '', by = '']) => [head, body, `AAAA${by.slice(4)}`])),
    ],
    ['a private key', 401, sent(async () => prove({ header: { jwk: await exportJWK(privateKey) } }))],
    ['htm is PUT', 401, sent(() => prove({ method: 'PUT' }))],
    ['htu with query and fragment', 200, sent(() => prove({ address: `${address}?a=b#c` }))],
    ['htu without them', 200, sent(() => prove())],
    ['htu of another address', 401, sent(() => prove({ address: `${address}ohnonotagain` }))],
    ['iat in an hour', 401, sent(() => prove({ claims: { iat: seconds() + 3600 } }))],
    ['iat an hour ago', 401, sent(() => prove({ claims: { iat: seconds() - 3600 } }))],
    ['the first use of a jti', 200, sent(() => once)],
    ['the second use of a jti', 401, sent(() => once)],
    ['another ath', 401, sent(() => prove({ token: `${token}x` }))],
    ['another key', 401, sent(() => prove({}, other))],
    ['members that are unknown', 200, sent(() => prove({ header: { tx_id: 1 }, claims: { tx_id_key: 1 } }))],
    ['htu in capital letters', 200, sent(() => prove({ address: address.replace(at.origin, loud(at)) }))],
    [
      'htu with the usual port',
      200,
      sent(() => prove({ address: `${at.protocol}//${at.hostname}:${port}${at.pathname}` })),
    ],
    ['no proof', 401, async () => ({ authorization })],
    ['no proof, as Bearer', 401, async () => ({ authorization: `Bearer ${token}` })],
    ['a good proof', 200, sent(() => prove())],
  ];
}
const loud = ({ protocol, host }: URL) => `${protocol}//${host}`.toUpperCase();

export const PROOFS = {
  'access-token-type-header-case-sensitivity': async () => {
    const { access_token = '' } = await tokensFor(bank.first);
    for (const scheme of ['dpop', 'dPoP', 'DPOP'])
      expect((await resource(bank.first, access_token, { scheme })).status, scheme).toBe(200);
  },
  'check-dpop-proof-nbf-exp': () => taken(() => ({ nbf: seconds(), exp: seconds() + 300 })),
  'ensure-dpopproof-with-iat-10seconds-before-succeeds': () => taken(() => ({ iat: seconds() - 10 })),
  'ensure-dpopproof-with-iat-10seconds-after-succeeds': () => taken(() => ({ iat: seconds() + 8 })),
  'ensure-mismatched-dpop-jkt-fails': async () => {
    const { first, second } = bank;
    const { status, body } = await push(first, { dpop_jkt: second.key.jkt }, { key: first.key });
    expect([status, body['error']]).toEqual([400, 'invalid_dpop_proof']);
  },
  'ensure-token-endpoint-fails-with-mismatched-dpop-proof-jkt': async () =>
    ofAnotherKey({}, { key: bank.first.key }, await proofKey()),
  'ensure-token-endpoint-fails-with-mismatched-dpop-jkt': () =>
    ofAnotherKey({ dpop_jkt: bank.second.key.jkt }, {}, bank.first.key),
  'ensure-dpopproof-at-par-endpoint-binding-success': () => taken(() => ({})),
  'ensure-dpop-auth-code-binding-success': async () => {
    const { first } = bank;
    const code = await codeFor(first, { dpop_jkt: first.key.jkt }, { key: first.key });
    expect((await redeem(first, code)).status).toBe(200);
  },
  'dpop-negative-tests': async () => {
    const { access_token = '' } = await tokensFor(bank.first);
    for (const [name, status, headers] of blocks(access_token, await proofKey())) {
      const answer = await resourceWith(await headers());
      expect(answer.status, `${name}: ${answer.headers['www-authenticate']}`).toBe(status);
    }
  },
} satisfies Partial<Modules>;
