// Clients with keys: key pairs, valid assertions that tests modify, and a JWKS server.
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import * as jose from 'jose';
import type { PublicKeySet } from '#lib/registry/keys.ts';
import { listen } from '../net/listen.ts';

export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

type PublicKey = PublicKeySet['keys'][number];
export type Pair = { alg: string; kid: string; privateKey: jose.CryptoKey; jwk: PublicKey };

export async function makePair(alg = 'ES256', kid: string = randomUUID()): Promise<Pair> {
  const { publicKey, privateKey } = await jose.generateKeyPair(alg, { extractable: true });
  return {
    alg,
    kid,
    privateKey,
    jwk: { ...(await jose.exportJWK(publicKey)), kid, alg, use: 'sig' } as PublicKey,
  };
}

export const setOf = (...pairs: Pair[]): PublicKeySet => ({ keys: pairs.map(({ jwk }) => jwk) });

type Asserted = { clientId: string; audience: string; pair: Pair };
/** Changes of a valid assertion; undefined omits a claim or header member. */
export type Changes = { claims?: Record<string, unknown>; header?: Record<string, unknown> };

/** Returns the default `aud`, `iss`, `sub`, `jti`, `iat` and `exp`, which `claims` can replace. */
export function claimsFor({ clientId, audience }: Omit<Asserted, 'pair'>, claims: Changes['claims'] = {}) {
  const iat = Math.floor(Date.now() / 1000);
  return { iss: clientId, sub: clientId, aud: audience, jti: randomUUID(), iat, exp: iat + 60, ...claims };
}

export async function makeAssertion(asserted: Asserted, { claims, header }: Changes = {}): Promise<string> {
  const { alg, kid, privateKey } = asserted.pair;
  const payload = JSON.stringify(claimsFor(asserted, claims));
  return new jose.CompactSign(new TextEncoder().encode(payload))
    .setProtectedHeader({ alg, kid, ...header })
    .sign(privateKey);
}

/** Serves a key set, or the response that a test chooses, and counts requests. */
export async function startKeyServer() {
  const state = {
    body: JSON.stringify({ keys: [] as unknown[] }),
    status: 200,
    delayMs: 0,
    requests: 0,
  };
  const server = http.createServer((_, response) => {
    state.requests += 1;
    const { status, body, delayMs } = state;
    setTimeout(() => {
      response.writeHead(status, { 'content-type': 'application/jwk-set+json', location: '/elsewhere' });
      response.end(body);
    }, delayMs);
  });
  const { url, close } = await listen(server);
  const publish = (...pairs: Pair[]) => {
    state.body = JSON.stringify(setOf(...pairs));
  };
  return { url: `${url}/keys`, close, state, publish };
}
