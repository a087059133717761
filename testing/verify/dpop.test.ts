// Key-bound tokens (RFC 9449 §7): valid once, with a proof for the exact request.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gatehouse } from '#verify/fetch.ts';
import type { Requirement } from '#verify/options.ts';
import { type ProofKey, proofKey, proofOf } from '../net/dpop.ts';
import { type Called, endImplementations, type Implementation, implementations } from './implementations.ts';
import { givenScriptedIssuer, type ScriptedIssuer } from './scripted-issuer.ts';

const ORDER = 'https://api.example/v1/orders/7';
/** The request URL that the server behind the proxy sees. */
const CALLED = 'http://10.0.0.7:8080/orders/7?page=2';
const ALGS = 'algs="ES256 PS256 EdDSA Ed25519"';
const TOKEN = 'error="invalid_token", error_description="the token is not valid here"';
const PROOF = `401 DPoP error="invalid_dpop_proof", error_description="the proof is not valid here", ${ALGS}`;
const now = () => Math.floor(Date.now() / 1_000);

let issuer: ScriptedIssuer;
let key: ProofKey;
let other: ProofKey;
beforeAll(async () => {
  issuer = await givenScriptedIssuer();
  [key, other] = await Promise.all([proofKey(), proofKey()]);
});
afterAll(() => {
  endImplementations();
  return issuer.close();
});

const bound = (by = key, over: Record<string, unknown> = {}) =>
  issuer.token({ claims: { cnf: { jkt: by.jkt }, ...over } });
type Proven = Partial<Parameters<typeof proofOf>[1]>;
const proofFor = (token: string, by = key, more: Proven = {}) =>
  proofOf(by, { method: 'GET', address: ORDER, token, ...more });

describe.each(implementations.filter(({ proves }) => proves))('$name', ({ given }) => {
  let check: ReturnType<Implementation['given']>;
  beforeAll(() => {
    check = given({ api: issuer.api, publicUrl: 'https://api.example/v1/' });
  });

  /** Returns the status and the challenge, without the metadata URL, which all challenges contain. */
  async function answer(
    authorization: string,
    proof: Called['proof'],
    requirement: Requirement = { scope: 'read' },
    called: Partial<Called> = {},
  ): Promise<string> {
    const sent = { method: 'GET', url: CALLED, proof, ...called };
    const { caller, refused } = await check(authorization, requirement, sent);
    if (caller) return `200 ${caller.sub}`;
    const challenge = String(refused?.headers['www-authenticate']);
    const metadata = `, resource_metadata="${issuer.api}"`;
    expect(challenge.endsWith(metadata)).toBe(true);
    return `${refused?.status} ${challenge.slice(0, -metadata.length)}`;
  }

  test('a valid proof is accepted once, for each algorithm, and the scheme in any letter case', async () => {
    for (const alg of ['ES256', 'PS256', 'EdDSA', 'Ed25519']) {
      const by = await proofKey(alg);
      const token = await bound(by);
      const proof = await proofFor(token, by);
      expect(await answer(`dPoP ${token}`, proof), alg).toBe('200 alice');
      expect(await answer(`DPoP ${token}`, proof), alg).toBe(PROOF);
      expect(await answer(`DPoP ${token}`, await proofFor(token, by)), alg).toBe('200 alice');
    }
  });

  test('a bound token is rejected if it is sent as a bearer token, and an unbound token is rejected with a proof', async () => {
    const [keyed, plain] = [await bound(), await issuer.token()];
    for (const proof of [null, await proofFor(keyed)])
      expect(await answer(`Bearer ${keyed}`, proof)).toBe(`401 Bearer ${TOKEN}`);
    expect(await answer(`DPoP ${plain}`, await proofFor(plain))).toBe(`401 DPoP ${TOKEN}, ${ALGS}`);
    expect(await answer(`DPoP ${keyed}x`, await proofFor(keyed))).toBe(`401 DPoP ${TOKEN}, ${ALGS}`);
    for (const cnf of [null, 'x', {}, { jkt: other.jkt }, { jkt: key.jkt, 'x5t#S256': 'x' }]) {
      const token = await bound(key, { cnf });
      expect(await answer(`DPoP ${token}`, await proofFor(token)), JSON.stringify(cnf)).toMatch(/^401 DPoP /);
      expect(await answer(`Bearer ${token}`, null), JSON.stringify(cnf)).toBe(`401 Bearer ${TOKEN}`);
    }
  });

  test('a route with dpop: true rejects unbound tokens, and its challenges use the scheme that it accepts', async () => {
    const [keyed, plain] = [await bound(), await issuer.token()];
    const only = { dpop: true };
    expect(await answer(`DPoP ${keyed}`, await proofFor(keyed), only)).toBe('200 alice');
    expect(await answer(`Bearer ${plain}`, null, only)).toBe(`401 DPoP ${TOKEN}, ${ALGS}`);
    expect(await answer('Basic YTpi', null, only)).toBe(`401 DPoP ${ALGS}`);
    expect(await answer(`Bearer ${plain}`, null, { dpop: false })).toBe('200 alice');
    expect(await answer(`DPoP ${keyed}`, await proofFor(keyed), { scope: 'write' })).toBe(
      `403 DPoP error="insufficient_scope", error_description="the token does not have this scope", scope="write", ${ALGS}`,
    );
    await expect(check('', { dpop: 'required' } as never)).rejects.toThrow();
  });

  test('malformed proofs and proofs for another key, method, URL, token or time are rejected', async () => {
    const token = await bound();
    const good = await proofFor(token);
    const [head, payload, signature] = good.split('.');
    const secret = { ...key.jwk, d: 'AAAA' };
    const bad: Record<string, Called['proof']> = {
      none: null,
      empty: '',
      nonsense: 'a.b.c',
      two: [await proofFor(token), await proofFor(token)],
      joined: `${await proofFor(token)}, ${await proofFor(token)}`,
      unsigned: `${head}.${payload}.`,
      forged: `${head}.${(await proofFor(token)).split('.')[1]}.${signature}`,
      'another key': await proofFor(token, other),
      'another key in the header': await proofFor(token, other, { header: { jwk: key.jwk } }),
    };
    const claims = {
      htm: ['POST', 'get', undefined],
      htu: [
        'https://api.example/orders/7',
        'http://api.example/v1/orders/7',
        `${ORDER}/`,
        CALLED,
        'x',
        undefined,
      ],
      ath: ['x', undefined],
      iat: [now() - 310, now() + 310, String(now()), undefined],
      jti: ['', 1, undefined],
    };
    for (const [name, values] of Object.entries(claims))
      for (const value of values)
        bad[`${name} ${value}`] = await proofFor(token, key, { claims: { [name]: value } });
    const headers = [
      { typ: 'JWT' },
      { typ: undefined },
      { jwk: undefined },
      { jwk: secret },
      { jwk: { ...key.jwk, k: 'AAAA' } },
      { jwk: { ...key.jwk, crv: 'P-384' } },
      { jwk: { kty: 'oct', k: 'AAAA' } },
    ];
    for (const header of headers) bad[JSON.stringify(header)] = await proofFor(token, key, { header });
    for (const [name, proof] of Object.entries(bad))
      expect(await answer(`DPoP ${token}`, proof), name).toBe(PROOF);
    expect(await answer(`DPoP ${token}`, good, {}, { method: 'PUT' })).toBe(PROOF);
    expect(await answer(`DPoP ${token}`, good, {}, { url: CALLED.replace('7?', '8?') })).toBe(PROOF);
    // the rejected requests did not use up the proof
    expect(await answer(`DPoP ${token}`, good)).toBe('200 alice');
  });

  test('a proof whose clock is minutes off, or that has a query in htu or an algorithm alias, is accepted', async () => {
    const token = await bound();
    for (const claims of [
      { iat: now() - 290 },
      { iat: now() + 290 },
      { htu: `${ORDER}?page=2#top` },
      { htu: 'HTTPS://API.example:443/v1/orders/7' },
      { nonce: 'of the issuer' },
      // unreserved characters may be escaped (RFC 3986 §6.2.2.2)
      { htu: ORDER.replace('orders', '%6Frde%72s') },
      { htu: ORDER.replace('/orders', '/x/../orders') },
    ])
      expect(
        await answer(`DPoP ${token}`, await proofFor(token, key, { claims })),
        JSON.stringify(claims),
      ).toBe('200 alice');
  });

  test('typ of a proof is a case-insensitive media type, and application/ is optional (RFC 7515 §4.1.9)', async () => {
    const token = await bound();
    for (const typ of ['DPoP+JWT', 'application/dpop+jwt', 'Application/DPOP+jwt'])
      expect(await answer(`DPoP ${token}`, await proofFor(token, key, { header: { typ } })), typ).toBe(
        '200 alice',
      );
    for (const typ of ['at+jwt', 'text/dpop+jwt', 'dpop+jwt '])
      expect(await answer(`DPoP ${token}`, await proofFor(token, key, { header: { typ } })), typ).toBe(PROOF);
  });

  test('without publicUrl, the URL of a proof is built from Host on localhost, and other hosts cause 503 with an explanation', async () => {
    const problems: string[] = [];
    const theirs = given({ api: issuer.api, onProblem: (text) => void problems.push(text) });
    const token = await bound();
    const status = async (url: string, address: string) => {
      const proof = await proofFor(token, key, { address });
      const { refused } = await theirs(`DPoP ${token}`, {}, { method: 'GET', url, proof });
      return refused?.status ?? 200;
    };
    expect(await status('http://localhost:8080/orders', 'http://localhost:8080/orders')).toBe(200);
    expect(await status('http://[::1]:8080/orders', 'http://localhost:8080/orders')).toBe(401);
    expect(await status('https://api.example/orders', 'https://api.example/orders')).toBe(503);
    expect(problems).toEqual([
      expect.stringMatching(/^a token is bound to a key: public(?:Url|_url) is not set$/),
    ]);
    for (const publicUrl of ['api.example', 'http://api.example'])
      await expect((async () => given({ api: issuer.api, publicUrl })('', {}))()).rejects.toThrow();
  });

  test('for an opaque token, the introspection response determines the key', async () => {
    const opaque = await givenScriptedIssuer('opaque');
    const theirs = given({
      api: opaque.api,
      introspectionSecret: 'secret',
      publicUrl: 'https://api.example/v1',
    });
    const says = { active: true, iss: opaque.issuer, aud: 'https://api.example/orders', sub: 'alice' };
    const times = { client_id: 'shop', iat: now(), exp: now() + 300 };
    Object.assign(opaque.script.introspected, says, times, { token_type: 'DPoP', cnf: { jkt: key.jkt } });
    const status = async (authorization: string, proof: string | null) => {
      const { refused } = await theirs(authorization, {}, { method: 'GET', url: CALLED, proof });
      return refused?.status ?? 200;
    };
    expect(await status('DPoP gha_a', await proofFor('gha_a'))).toBe(200);
    expect(await status('DPoP gha_a', await proofFor('gha_b'))).toBe(401);
    expect(await status('DPoP gha_a', null)).toBe(401);
    expect(await status('Bearer gha_a', null)).toBe(401);
    await opaque.close();
  });
});

test.for(implementations.filter(({ proves }) => !proves))(
  '$name, which does not support DPoP, rejects a bound token with either scheme',
  async ({ given }) => {
    const token = await bound();
    const proof = await proofFor(token, key, { address: 'http://localhost/orders' });
    for (const scheme of ['Bearer', 'DPoP']) {
      const sent = { method: 'GET', url: 'http://localhost/orders', proof };
      const { refused } = await given({ api: issuer.api })(`${scheme} ${token}`, {}, sent);
      expect(refused?.headers['www-authenticate']).toBe(`Bearer ${TOKEN}, resource_metadata="${issuer.api}"`);
    }
  },
);

test('two guards on a route accept the same proof of one request', async () => {
  const api = gatehouse({ api: issuer.api, publicUrl: 'https://api.example/v1' });
  const handler = api.require()(api.require({ scope: 'read' })(({ caller }) => new Response(caller.sub)));
  const token = await bound();
  const headers = { authorization: `DPoP ${token}`, dpop: await proofFor(token) };
  const statuses = [];
  for (const url of [CALLED, CALLED]) statuses.push((await handler(new Request(url, { headers }))).status);
  expect(statuses).toEqual([200, 401]);
});
