// Accepted tokens and error challenges of the verification package (RFC 6750, 9068, 9470, 9728).
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { gatehouse } from '#verify/fetch.ts';
import type { Requirement } from '#verify/options.ts';
import { sentToWeb } from '#verify/sent.ts';
import { verifier } from '#verify/verifier.ts';
import { endImplementations, type Implementation, implementations, lacking } from './implementations.ts';
import { givenScriptedIssuer, newSigner, type ScriptedIssuer, type Signer } from './scripted-issuer.ts';

let issuer: ScriptedIssuer;
let stranger: Signer;

beforeAll(async () => {
  issuer = await givenScriptedIssuer();
  stranger = await newSigner();
});
afterAll(() => {
  endImplementations();
  return issuer.close();
});

const INVALID = '401 Bearer error="invalid_token", error_description="the token is not valid here"';
const now = () => Math.floor(Date.now() / 1_000);

test.skip.for(lacking)('the tests of %s are skipped, because its runtime is not installed', () => {});

describe.each(implementations)('$name', ({ given }) => {
  let check: ReturnType<Implementation['given']>;
  beforeAll(() => {
    check = given({ api: issuer.api });
  });

  const call = (header: string | string[] | null, requirement: Requirement = { scope: 'read' }) =>
    check(header, requirement);

  /** Returns status and challenge, without the metadata URL, which all challenges contain. */
  async function refusal(...asked: Parameters<typeof call>): Promise<string> {
    const { refused } = await call(...asked);
    const challenge = String(refused?.headers['www-authenticate']);
    const metadata = `resource_metadata="${issuer.api}"`;
    expect(challenge.endsWith(metadata)).toBe(true);
    expect(refused?.headers['cache-control']).toBe('no-store');
    return `${refused?.status} ${challenge.slice(0, -metadata.length).replace(/,? $/, '')}`;
  }

  test('requests with a valid token return the caller', async () => {
    const act = { sub: 'agent', client_id: 'agent' };
    const { caller } = await call(`bEaReR ${await issuer.token({ claims: { act, groups: ['staff'] } })}`);
    expect(caller).toMatchObject({ sub: 'alice', clientId: 'shop', scope: 'read', kind: 'person', act });
    expect(caller?.claims['groups']).toEqual(['staff']);
    const machine = await issuer.token({ claims: { sub: 'shop', auth_time: undefined } });
    expect((await call(`Bearer ${machine}`)).caller).toMatchObject({
      sub: 'shop',
      kind: 'machine',
      act: null,
    });
  });

  test('a request without a token causes a challenge without an error', async () => {
    for (const none of [null, '', 'Basic YTpi', 'Bearer', 'Bearer ', 'Digest a="b", c="d"', 'Bearerx y'])
      expect(await refusal(none), String(none)).toBe('401 Bearer');
  });

  test('two Authorization headers, another scheme and malformed tokens are rejected', async () => {
    const token = await issuer.token();
    for (const bad of [
      [`Bearer ${token}`, `Bearer ${token}`],
      `Bearer ${token}, Bearer ${token}`,
      ['Basic YTpi', `Bearer ${token}`],
      `Bearer ${token} ${token}`,
      `Bearer ${token}\u00a0`,
      'Bearer x',
      'Bearer a.b.c',
      `Bearer ${token}x`,
      `Bearer ${token.slice(0, -2)}`,
      `Bearer ${token.split('.').slice(0, 2).join('.')}.`,
      `Bearer ${'x'.repeat(100_000)}`,
      `Bearer ${await issuer.token({ claims: { long: 'x'.repeat(100_000) } })}`,
    ])
      expect(await refusal(bad)).toBe(INVALID);
  });

  test('a token with another signature, type, issuer, audience, time or kind of claim is rejected', async () => {
    const signers = issuer.script.keys[0] as Signer;
    const spki = new TextEncoder().encode(JSON.stringify(signers.jwk));
    const unsigned = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url');
    const [, payload] = (await issuer.token()).split('.');
    const headers = [
      { typ: 'JWT' },
      { typ: undefined },
      { typ: 'logout+jwt' },
      { kid: undefined },
      { kid: '__proto__' },
    ];
    const claims = [
      { iss: 'https://auth.example/auth/pw/api/orders' },
      { iss: undefined },
      { aud: 'https://api.example/billing' },
      { aud: undefined },
      { exp: now() - 60 },
      { exp: undefined },
      { exp: 'tomorrow' },
      { nbf: now() + 60 },
      { iat: now() + 60 },
      { iat: undefined },
      { sub: undefined },
      { sub: '' },
      { sub: 1 },
      { client_id: undefined },
      { client_id: ['shop'] },
      { scope: ['read'] },
      { act: 'agent' },
      { cnf: { jkt: 'x' } },
      { cnf: null },
    ];
    const bad = [
      `${unsigned}.${payload}.`,
      await issuer.token({ key: stranger.privateKey }),
      await issuer.token({ signer: stranger }),
      await issuer.token({ header: { jwk: stranger.jwk }, key: stranger.privateKey }),
      await issuer.token({ header: { alg: 'HS256' }, key: spki }),
      await issuer.token({ header: { crit: ['exp2'], exp2: 1 } }).catch(() => 'x'),
      ...(await Promise.all(headers.map((header) => issuer.token({ header })))),
      ...(await Promise.all(claims.map((over) => issuer.token({ claims: over })))),
    ];
    for (const [n, token] of bad.entries())
      expect(await refusal(`Bearer ${token}`), `token ${n}`).toBe(INVALID);
  });

  test('clock skew of seconds is accepted, and larger skew is rejected', async () => {
    for (const [seconds, status] of [
      [3, undefined],
      [30, 401],
    ] as const) {
      const claims = { iat: now() + seconds, nbf: now() + seconds };
      expect((await call(`Bearer ${await issuer.token({ claims })}`)).refused?.status).toBe(status);
    }
    const over = `Bearer ${await issuer.token({ claims: { exp: now() - 20 } })}`;
    expect((await call(over)).refused?.status).toBe(401);
    const tolerant = given({ api: issuer.api, clockTolerance: 60 });
    expect((await tolerant(over)).refused).toBeUndefined();
  });

  test('the challenge names each requirement of the route that the token lacks', async () => {
    const bearer = async (claims: Record<string, unknown> = {}) => `Bearer ${await issuer.token({ claims })}`;
    const [plain, machine] = [await bearer(), await bearer({ sub: 'shop' })];
    expect(await refusal(plain, { scope: 'read write' })).toBe(
      '403 Bearer error="insufficient_scope", error_description="the token does not have this scope", scope="read write"',
    );
    expect(await refusal(await bearer({ scope: 'reader' }))).toMatch(/^403 /);
    expect((await call(await bearer({ scope: undefined }), {})).caller?.scope).toBe('');
    expect(await refusal(machine, { kind: 'person' })).toMatch(/^403 Bearer error="insufficient_scope"/);
    expect(await refusal(plain, { kind: 'machine' })).toMatch(/^403 Bearer error="insufficient_scope"/);
    const mfa = 'urn:gatehouse:acr:mfa';
    const weak =
      '401 Bearer error="insufficient_user_authentication", error_description="a stronger or a newer sign-in is needed"';
    expect(await refusal(plain, { acr: mfa, maxAge: 60 })).toBe(`${weak}, acr_values="${mfa}", max_age="60"`);
    for (const [acr, asked, takes] of [
      ['urn:gatehouse:acr:password', mfa, false],
      [mfa, mfa, true],
      ['urn:gatehouse:acr:phishing-resistant', mfa, true],
      ['phr', mfa, true],
      ['urn:gatehouse:acr:phishing-resistant', 'phrh', true],
      [mfa, 'phr', false],
      ['theirs', 'theirs', true],
      ['theirs', mfa, false],
      [mfa, 'theirs', false],
      [undefined, 'undefined', false],
    ] as const)
      expect(!(await call(await bearer({ acr }), { acr: asked })).refused, `${acr} for ${asked}`).toBe(takes);
    expect((await call(plain, { maxAge: 60 })).refused).toBeUndefined();
    for (const auth_time of [now() - 90, undefined, 'now'])
      expect(await refusal(await bearer({ auth_time }), { maxAge: 60 })).toBe(`${weak}, max_age="60"`);
    expect(await refusal(await bearer({ sub: 'shop', acr: mfa }), { acr: mfa })).toMatch(/^401 /);
  });

  test('invalid option values throw at startup', async () => {
    const { api } = issuer;
    const token = `Bearer ${await issuer.token()}`;
    for (const wrong of [
      { scope: '' },
      { scope: 'read  write' },
      { scope: 'a"b' },
      { acr: 'two words' },
      { maxAge: -1 },
      { maxAge: 1.5 },
      { kind: 'robot' },
      { kind: 'machine', maxAge: 60 },
    ])
      await expect(check(token, wrong as Requirement), JSON.stringify(wrong)).rejects.toThrow();
    for (const wrong of [
      { api: 'http://auth.example/.well-known/oauth-protected-resource/apis/orders' },
      { api: 'http://127.0.0.1.example/' },
      { api: 'file:///etc/passwd' },
      { api, introspectionSecret: '' },
      { api: 'https://auth.example/', introspectionSecret: 'x' },
      { api, issuers: [] },
      { api, issuers: ['http://auth.example'] },
      { api, clockTolerance: 3_600 },
    ])
      await expect((async () => given(wrong)(token))(), JSON.stringify(wrong)).rejects.toThrow();
  });
});

test('unknown option names throw at startup', () => {
  const { api } = issuer;
  for (const wrong of [{ scopes: 'read' }, { scope: ['a b'] }, { maxAge: '60' }, { dpop: 'required' }])
    expect(() => gatehouse({ api }).require(wrong as Requirement), JSON.stringify(wrong)).toThrow(TypeError);
  for (const wrong of [{}, { api, audience: 'x' }])
    expect(() => gatehouse(wrong as { api: string }), JSON.stringify(wrong)).toThrow(TypeError);
});

test('problem messages contain no token or secret', async () => {
  const said = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const gone = verifier({ api: 'http://127.0.0.1:1/apis/orders', introspectionSecret: 'the-secret' });
  const token = await issuer.token();
  const headers = { authorization: `Bearer ${token}` };
  const { refused } = await gone()(sentToWeb(new Request('https://api.example', { headers })));
  expect(refused).toEqual({ status: 503, headers: { 'retry-after': '5', 'cache-control': 'no-store' } });
  expect(said).toHaveBeenCalledTimes(1);
  expect(String(said.mock.calls)).not.toMatch(/the-secret|eyJ/);
  said.mockRestore();
});
