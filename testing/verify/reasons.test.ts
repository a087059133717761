// Logged reasons for rejected requests: each names the remedy, none contains a token.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Requirement } from '#verify/options.ts';
import { calledUrl } from '#verify/sent.ts';
import { verifier } from '#verify/verifier.ts';
import { proofKey, proofOf } from '../net/dpop.ts';
import { endImplementations, implementations } from './implementations.ts';
import { givenScriptedIssuer, newSigner, RESOURCE, type ScriptedIssuer } from './scripted-issuer.ts';

let issuer: ScriptedIssuer;
let opaque: ScriptedIssuer;
beforeAll(async () => {
  issuer = await givenScriptedIssuer();
  opaque = await givenScriptedIssuer('opaque');
});
afterAll(async () => {
  endImplementations();
  await issuer.close();
  await opaque.close();
});

const now = () => Math.floor(Date.now() / 1_000);

describe.each(implementations)('$name', ({ given, proves }) => {
  const heard: string[] = [];
  let check: ReturnType<typeof given>;
  beforeAll(() => {
    check = given({
      api: issuer.api,
      ...(proves ? { publicUrl: 'https://api.example' } : {}),
      onRefused: (text) => heard.push(text),
    });
  });

  /** Returns the single reason of a rejected request. */
  async function reason(
    header: string | null,
    needs: Requirement = { scope: 'read' },
    proof: string | null = null,
  ) {
    heard.length = 0;
    const called = { method: 'GET', url: 'https://api.example/orders', proof };
    const { refused } = await check(header, needs, called);
    expect(refused?.status).toBeGreaterThanOrEqual(401);
    expect(heard).toHaveLength(1);
    expect(heard[0]).not.toMatch(/eyJ|gha_/);
    return heard[0] ?? '';
  }
  const of = async (over: Parameters<ScriptedIssuer['token']>[0], needs?: Requirement) =>
    reason(`Bearer ${await issuer.token(over)}`, needs);

  test('faults of the Authorization header and the token are reported', async () => {
    expect(await reason(null)).toMatch(/no Authorization header/);
    expect(await reason('Bearer a, Bearer b')).toMatch(/not one token/);
    expect(await reason('Bearer gha_opaque')).toMatch(/not a JWT/);
    expect(await of({ claims: { aud: 'https://other.example' } })).toBe(
      `aud of the token is "https://other.example", but the url of the API is ${RESOURCE}`,
    );
    expect(await of({ claims: { iss: 'https://other.example' } })).toContain(issuer.issuer);
    expect(await of({ claims: { exp: now() - 60 } })).toMatch(/expired/);
    expect(await of({ claims: { iat: now() + 3_600 } })).toMatch(/compare the clocks/);
    expect(await of({ header: { kid: 'other' } })).toMatch(/kid "other"/);
    expect(await of({ key: (await newSigner()).privateKey })).toMatch(/signature/);
    const [head, payload] = (await issuer.token()).split('.');
    expect(await reason(`Bearer ${head}.${payload}.AAAA`)).toMatch(/signature|not a JWT/);
  });

  test('requirements of the route that the token lacks are reported', async () => {
    expect(await of({}, { scope: 'read write' })).toBe('the token lacks the scope write: it has "read"');
    expect(await of({}, { kind: 'machine' })).toMatch(/token is for a person/);
    expect(await of({}, { maxAge: 0, acr: 'urn:gatehouse:acr:mfa' })).toMatch(/too weak or too old/);
  });

  test('faults of a bound token and its proof are reported', async () => {
    const key = await proofKey();
    const token = await issuer.token({ claims: { cnf: { jkt: key.jkt } } });
    expect(await reason(`Bearer ${token}`)).toMatch(/bound to a key/);
    if (!proves) return;
    const address = 'https://api.example/orders';
    const proof = (over: object = {}) => proofOf(key, { method: 'GET', address, token, ...over });
    expect(await reason(`DPoP ${token}`)).toMatch(/DPoP header/);
    expect(await reason(`DPoP ${token}`, {}, await proof({ method: 'PUT' }))).toMatch(/htm .*"PUT"/);
    expect(await reason(`DPoP ${token}`, {}, await proof({ address: `${address}/7` }))).toMatch(
      /htu .*orders.7/,
    );
    expect(await reason(`DPoP ${token}`, {}, await proof({ token: 'x' }))).toMatch(/ath/);
  });

  test('the rejection reason contains the introspection result of an opaque token', async () => {
    const theirs: string[] = [];
    const ask = given({
      api: opaque.api,
      introspectionSecret: 'secret',
      onRefused: (text) => theirs.push(text),
    });
    Object.assign(opaque.script.introspected, { active: false });
    await ask('Bearer gha_over');
    expect(theirs).toEqual([expect.stringMatching(/not active/)]);
  });
});

test('token rejection reasons are logged to the console by default, and not in production', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const url = URL.parse('https://api.example/orders');
  const sent = { request: { method: 'GET' }, url, header: null, proof: null };
  await verifier({ api: issuer.api })()(sent);
  expect(warn.mock.calls).toEqual([[expect.stringMatching(/refused: the request has no Authorization/)]]);
  vi.stubEnv('NODE_ENV', 'production');
  await verifier({ api: issuer.api })()(sent);
  expect(warn).toHaveBeenCalledTimes(1);
  vi.unstubAllEnvs();
  warn.mockRestore();
});

test('the URL of a request combines Host and target, parsed separately (RFC 9112 §3.3)', () => {
  for (const [host, target, url] of [
    ['api.example', '/orders?page=2#x', 'http://api.example/orders'],
    ['api.example:8080', '//evil.example/orders', 'http://api.example:8080//evil.example/orders'],
    ['[::1]:80', '/a/../orders', 'http://[::1]/orders'],
    ['api.example', 'http://evil.example/orders', 'http://api.example/orders'],
    ['api.example', '*', 'http://api.example/'],
    ['', '/orders', 'http://host.invalid/orders'],
    ['api.example/orders/7?', '/orders', undefined],
    ['localhost#', '/orders', undefined],
    ['user@localhost', '/orders', undefined],
    ['localhost\\x', '/orders', undefined],
    ['local host', '/orders', undefined],
    ['[::1', '/orders', undefined],
  ] as const)
    expect(calledUrl([host], target)?.href, host).toBe(url);
  expect(calledUrl(['a', 'b'], '/')).toBe(null);
  expect(calledUrl([], '/orders')?.href).toBe('http://host.invalid/orders');
});
