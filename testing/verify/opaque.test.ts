// Opaque tokens in the verification package: introspection (RFC 7662), whose responses are cached for seconds.
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { endImplementations, implementations } from './implementations.ts';
import { claimsFor, givenScriptedIssuer, type ScriptedIssuer, SECRET } from './scripted-issuer.ts';

const READ = { scope: 'read' };
let issuer: ScriptedIssuer;
let time: number;
let problems: string[];

beforeEach(async () => {
  issuer = await givenScriptedIssuer('opaque');
  time = 0;
  problems = [];
  says();
});
afterEach(() => issuer.close());
afterAll(endImplementations);

/** Sets the introspection response: a valid token with these members replaced. */
function says(over: Record<string, unknown> = {}): void {
  const claims = claimsFor(issuer.issuer, { token_type: 'bearer', ...over });
  issuer.script.introspected = { active: true, ...claims };
}

describe.each(implementations)('$name', ({ given: implementation }) => {
  function given(introspectionSecret: string | undefined = SECRET) {
    const onProblem = (text: string) => void problems.push(text);
    const check = implementation({ api: issuer.api, introspectionSecret, onProblem }, () => time);
    return async (token: string) => (await check(`Bearer ${token}`, READ)).refused?.status ?? 200;
  }

  const introspections = () => issuer.asked().filter((path) => path === 'introspect').length;

  test('the introspection request contains form-encoded id and secret, and active results are cached for ten seconds', async () => {
    const call = given();
    expect(new Set(await Promise.all([call('gha_a'), call('gha_a'), call('gha_a')]))).toEqual(new Set([200]));
    expect(introspections()).toBe(1);
    const credential = Buffer.from('orders:secret+%26+of+the+API').toString('base64');
    expect(issuer.script.credentials).toEqual([`Basic ${credential}`]);
    issuer.script.introspected = { active: false };
    time = 9_999;
    expect(await call('gha_a')).toBe(200);
    expect(introspections()).toBe(0);
    time = 10_000;
    expect(await call('gha_a')).toBe(401);
    expect(introspections()).toBe(1);
  });

  test('active introspection results are cached until exp at most, and inactive results for one second', async () => {
    const call = given();
    says({ exp: Math.floor(Date.now() / 1_000) + 9 });
    expect(await call('gha_b')).toBe(200);
    introspections();
    issuer.script.introspected = { active: false };
    time = 9_000;
    expect(await call('gha_b')).toBe(401);
    time = 9_999;
    expect(await call('gha_b')).toBe(401);
    expect(introspections()).toBe(1);
    says();
    time = 10_000;
    expect(await call('gha_b')).toBe(200);
  });

  test('introspection results for refresh tokens, bound tokens, expired tokens and tokens of another API or issuer are rejected', async () => {
    const call = given();
    for (const [n, over] of [
      { active: false },
      { active: 'true' },
      { token_type: 'refresh_token' },
      { token_type: 'DPoP' },
      { token_type: undefined },
      { aud: 'https://api.example/billing' },
      { iss: 'https://evil.example' },
      { cnf: { jkt: 'x' } },
      { exp: Math.floor(Date.now() / 1_000) - 1 },
      { exp: undefined },
      { sub: undefined },
    ].entries()) {
      says(over);
      Object.assign(issuer.script.introspected, 'active' in over ? over : {});
      expect(await call(`gha_bad${n}`), JSON.stringify(over)).toBe(401);
    }
  });

  test('tokens of a newly added issuer are accepted', async () => {
    const call = given();
    expect(await call('gha_c')).toBe(200);
    issuer.script.document['authorization_servers'] = [issuer.issuer, 'https://new.example'];
    says({ iss: 'https://new.example' });
    expect(await call('gha_d')).toBe(200);
  });

  test('a failed, rejected or invalid introspection returns 503 and is not cached', async () => {
    const call = given();
    expect(await call('gha_e')).toBe(200);
    for (const [n, status] of [401, 500, 302, 204].entries()) {
      issuer.script.instead = (path, response) => {
        if (!path.endsWith('/introspect')) return false;
        response.writeHead(status, { location: issuer.api }).end();
        return true;
      };
      expect(await call(`gha_away${n}`), String(status)).toBe(503);
      issuer.script.instead = null;
      expect(await call(`gha_away${n}`), String(status)).toBe(200);
    }
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.join(' ')).not.toMatch(/gha_|secret/);
  });

  test('an API with opaque tokens and without a secret returns 503 with an explanation', async () => {
    const check = implementation({ api: issuer.api, onProblem: (text) => void problems.push(text) });
    expect((await check('Bearer gha_f', READ)).refused?.status).toBe(503);
    expect(problems).toEqual(['the tokens of this API are opaque: its introspection secret is not set']);
  });

  test('1,000 unknown tokens cause at most 200 concurrent introspections, and 503 for the rest', async () => {
    const call = given();
    expect(await call('gha_g')).toBe(200);
    introspections();
    let open = 0;
    let most = 0;
    issuer.script.instead = (path, response) => {
      if (!path.endsWith('/introspect')) return false;
      open += 1;
      most = Math.max(most, open);
      setTimeout(() => {
        open -= 1;
        response.end('{"active":false}');
      }, 20);
      return true;
    };
    const statuses = await Promise.all(Array.from({ length: 1_000 }, (_, n) => call(`gha_unknown${n}`)));
    expect(statuses.every((status) => status === 401 || status === 503)).toBe(true);
    expect(most).toBeLessThanOrEqual(200);
    // the original response is restored, because on slow machines the cached result may expire during the test
    issuer.script.instead = null;
    expect(await call('gha_g')).toBe(200);
  });
});
