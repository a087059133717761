// Discovery, caching and refresh of API metadata in the verification package (RFC 9728, RFC 8414).
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Options } from '#verify/options.ts';
import { endImplementations, implementations } from './implementations.ts';
import { givenScriptedIssuer, newSigner, type ScriptedIssuer } from './scripted-issuer.ts';

const READ = { scope: 'read' };
const DOCUMENTS = ['orders', 'orders', 'jwks'];
const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];

let issuer: ScriptedIssuer;
let time: number;
let problems: string[];

beforeEach(async () => {
  issuer = await givenScriptedIssuer();
  time = 0;
  problems = [];
});
afterEach(() => issuer.close());
afterAll(endImplementations);

const away = (_: string, response: { destroy: () => void }) => {
  response.destroy();
  return true;
};

type Script = ScriptedIssuer['script'];
type Instead = NonNullable<Script['instead']>;

const FAULTS: [fault: string, (url: string) => Partial<Pick<Script, 'document' | 'metadata' | 'instead'>>][] =
  [
    ['a redirect', (url) => ({ instead: redirect(url) })],
    ['an endless body', () => ({ instead: endless })],
    ['a page', () => ({ instead: page })],
    ['no resource', () => ({ document: { resource: undefined } })],
    ['no issuers', () => ({ document: { authorization_servers: [] } })],
    ['an unknown format', () => ({ document: { access_token_format: 'paseto' } })],
    ['no algorithm', () => ({ document: { access_token_signing_alg: 'none' } })],
    ['a symmetric algorithm', () => ({ document: { access_token_signing_alg: 'HS256' } })],
    ['another issuer’s metadata', () => ({ metadata: { issuer: 'https://auth.example' } })],
    ['keys over http', () => ({ metadata: { jwks_uri: 'http://auth.example/jwks' } })],
  ];

describe.each(implementations)('$name', ({ given: implementation }) => {
  /** Creates a checker that knows only the API's metadata URL. `time`: the clock of its cache. */
  function given(over: Partial<Options> = {}) {
    const check = implementation(
      { api: issuer.api, onProblem: (text) => void problems.push(text), ...over },
      () => time,
    );
    return async (token: string) => {
      const { refused } = await check(`Bearer ${token}`, READ);
      return refused?.status ?? 200;
    };
  }

  test('nothing is fetched before the first token arrives, and then parallel requests fetch each document once', async () => {
    const call = given();
    const token = await issuer.token();
    expect(issuer.asked()).toEqual([]);
    const statuses = await Promise.all(Array.from({ length: 50 }, () => call(token)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(issuer.asked()).toEqual(DOCUMENTS);
  });

  test('metadata documents are fetched again after five minutes', async () => {
    const call = given();
    const token = await issuer.token();
    expect(await call(token)).toBe(200);
    issuer.script.document['authorization_servers'] = ['https://auth.example/other'];
    issuer.asked();
    time = 5 * MINUTE - 1;
    expect(await call(token)).toBe(200);
    expect(issuer.asked()).toEqual([]);
    issuer.script.document['authorization_servers'] = [issuer.issuer];
    issuer.script.document['resource'] = 'https://api.example/elsewhere';
    time = 5 * MINUTE;
    expect(await call(token)).toBe(401);
    expect(issuer.asked()).toEqual(DOCUMENTS);
  });

  test('a new key, issuer or algorithm is accepted after one fetch that parallel requests share', async () => {
    for (const change of ['key', 'issuer', 'algorithm']) {
      const call = given();
      expect(await call(await issuer.token()), change).toBe(200);
      issuer.asked();
      let token: string;
      if (change === 'key') {
        issuer.script.keys.push(await newSigner());
        token = await issuer.token();
      } else if (change === 'issuer') {
        issuer.script.document['authorization_servers'] = [issuer.issuer, 'https://new.example'];
        token = await issuer.token({ claims: { iss: 'https://new.example' } });
      } else {
        issuer.script.document['access_token_signing_alg'] = 'RS256';
        const signer = await newSigner('rsa', 'RS256');
        issuer.script.keys.push(signer);
        token = await issuer.token({ header: { alg: 'RS256' }, signer });
      }
      const statuses = await Promise.all(Array.from({ length: 20 }, () => call(token)));
      expect(new Set(statuses), change).toEqual(new Set([200]));
      expect(issuer.asked(), change).toEqual(DOCUMENTS);
    }
  });

  test('a thousand tokens with unknown keys cause one fetch in thirty seconds', async () => {
    const call = given();
    const good = await issuer.token();
    expect(await call(good)).toBe(200);
    const strangers = await Promise.all(
      Array.from({ length: 1_000 }, (_, n) => issuer.token({ header: { kid: `stranger-${n}` } })),
    );
    issuer.asked();
    expect(new Set(await Promise.all(strangers.map(call)))).toEqual(new Set([401]));
    expect(issuer.asked()).toEqual(DOCUMENTS);
    time = 30 * SECOND - 1;
    expect(new Set(await Promise.all(strangers.slice(0, 20).map(call)))).toEqual(new Set([401]));
    expect(issuer.asked()).toEqual([]);
    time = 30 * SECOND;
    expect(await call(strangers[0] ?? '')).toBe(401);
    expect(issuer.asked()).toEqual(DOCUMENTS);
    expect(await call(good)).toBe(200);
  });

  test('a token of an unknown issuer causes a fetch only if a key of the service signed it', async () => {
    const call = given();
    expect(await call(await issuer.token())).toBe(200);
    issuer.asked();
    const { privateKey } = await newSigner();
    const claims = { iss: 'https://evil.example' };
    expect(await call(await issuer.token({ claims, key: privateKey }))).toBe(401);
    expect(issuer.asked()).toEqual([]);
    expect(await call(await issuer.token({ claims }))).toBe(401);
    expect(issuer.asked()).toEqual(DOCUMENTS);
  });

  test('if metadata are unavailable at startup, requests return 503, and after a retry one second later the token is accepted', async () => {
    const call = given();
    const token = await issuer.token();
    issuer.script.instead = away;
    expect(new Set(await Promise.all([call(token), call(token), call(token)]))).toEqual(new Set([503]));
    expect(issuer.asked()).toEqual(['orders']);
    expect(await call(token)).toBe(503);
    expect(issuer.asked()).toEqual([]);
    issuer.script.instead = null;
    time = SECOND;
    expect(await call(token)).toBe(200);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(issuer.api);
  });

  test('if metadata become unavailable later, the cached ones apply for at most one hour, with a retry every ten seconds', async () => {
    const call = given();
    const token = await issuer.token();
    expect(await call(token)).toBe(200);
    issuer.script.instead = away;
    issuer.asked();
    time = 5 * MINUTE;
    expect(await call(token)).toBe(200);
    expect(await call(token)).toBe(200);
    expect(issuer.asked()).toEqual(['orders']);
    // unknown keys may be new
    expect(await call(await issuer.token({ header: { kid: 'new' } }))).toBe(503);
    expect(await call(await issuer.token({ header: { kid: 'newer' } }))).toBe(503);
    expect(issuer.asked()).toEqual(['orders']);
    time += 10 * SECOND;
    expect(await call(token)).toBe(200);
    await expect.poll(() => issuer.asked()).toEqual(['orders']);
    time = HOUR - 1;
    expect(await call(token)).toBe(200);
    time = HOUR;
    expect(await call(token)).toBe(503);
    issuer.script.instead = null;
    time += 10 * SECOND;
    expect(await call(token)).toBe(200);
  });

  test('an unreachable issuer is skipped', async () => {
    const call = given();
    issuer.script.document['authorization_servers'] = [`${issuer.issuer}-gone`, issuer.issuer];
    expect(await call(await issuer.token())).toBe(200);
  });

  test('the option "issuers" overrides the list in the metadata document', async () => {
    const call = given({ issuers: [issuer.issuer] });
    issuer.script.document['authorization_servers'] = ['https://new.example'];
    expect(await call(await issuer.token())).toBe(200);
    expect(await call(await issuer.token({ claims: { iss: 'https://new.example' } }))).toBe(401);
  });

  test.for(FAULTS)(
    'with %s in the metadata, all tokens are rejected and the reason is reported',
    async ([, faultAt]) => {
      const call = given();
      const { document, metadata, instead = null } = faultAt(issuer.issuer);
      Object.assign(issuer.script.document, document);
      Object.assign(issuer.script.metadata, metadata);
      issuer.script.instead = instead;
      expect(await call(await issuer.token())).toBe(503);
      expect(problems).toHaveLength(1);
    },
  );
});

const redirect =
  (url: string): Instead =>
  (path, response) => {
    if (!path.endsWith('/jwks')) return false;
    response.writeHead(302, { location: `${url}/introspect` }).end();
    return true;
  };

const page: Instead = (_, response) => {
  response.end('<html>');
  return true;
};

const endless: Instead = (path, response) => {
  if (!path.endsWith('/jwks')) return false;
  const more = () => {
    while (!response.destroyed && response.write(' '.repeat(65_536)));
  };
  response.on('drain', more);
  more();
  return true;
};
