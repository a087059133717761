// The rules for single values, tested with random input.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Params } from '#lib/http/params.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import type { SnapshotClient } from '#lib/store/snapshot.ts';
import { like, nasty } from '../../scripts/fuzz/values.ts';
import { openInteraction, sealInteraction } from './authorize/interaction.ts';
import { readClientCredentials } from './client.ts';
import { InvalidClient, InvalidRequest, InvalidScope } from './errors.ts';
import {
  appendParameters,
  challengeOf,
  isCodeChallenge,
  isCodeVerifier,
  isRegisteredRedirectUri,
  namesApi,
  parseMaxAge,
  parsePrompt,
  parseScope,
} from './rules.ts';

loadSettings({ DATABASE_URL: 'postgres://localhost/none', GATEHOUSE_SECRET: 'A'.repeat(43) });
const RUNS = { numRuns: 5_000 };

function refusedBy<T>(kinds: (abstract new (...given: never[]) => Error)[], work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (kinds.some((kind) => error instanceof kind)) return null;
    throw error;
  }
}

const params = (values: Record<string, string> = {}): Params => ({
  values: new Map(Object.entries(values)),
  repeated: new Set(),
});

test('CA-14: any Authorization header is parsed as Basic or rejected, and none throws an error', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        nasty,
        nasty.map((text) => `Basic ${text}`),
        fc.uint8Array().map((bytes) => `Basic ${Buffer.from(bytes).toString('base64')}`),
      ),
      (header) => {
        refusedBy([InvalidClient, InvalidRequest], () => readClientCredentials(header, params()));
      },
    ),
    RUNS,
  );
});

test('CA-15: Basic preserves ids and secrets of any characters', () => {
  fc.assert(
    fc.property(nasty, nasty, (id, secret) => {
      const [clientId, plain] = [id.toWellFormed(), secret.toWellFormed()];
      fc.pre(clientId !== '');
      const form = (text: string) => new URLSearchParams({ x: text }).toString().slice(2);
      const header = `Basic ${Buffer.from(`${form(clientId)}:${form(plain)}`).toString('base64')}`;
      const read = readClientCredentials(header, params());
      expect(read).toMatchObject({ clientId, secret: plain === '' ? null : plain, basic: true });
    }),
    RUNS,
  );
});

test('RFC 8707: a resource matches the API only by its url or origin, normalized like URL libraries', () => {
  const api = 'https://mcp.example/mcp';
  const good = [
    api,
    'https://mcp.example/',
    'https://mcp.example',
    'https://MCP.example:443/mcp',
    'https://mcp.example/a/../mcp',
  ];
  const sent = like(
    ...good,
    'https://mcp.example/other',
    'https://evil.example/mcp',
    'https://mcp.example@evil.example/mcp',
  );
  fc.assert(
    fc.property(sent, (resource) => {
      const read = URL.parse(resource);
      const same = read !== null && [api, 'https://mcp.example/'].includes(read.href);
      if (namesApi(api, resource)) expect(same && !/[#\s\\]/.test(resource)).toBe(true);
      if (good.includes(resource)) expect(namesApi(api, resource)).toBe(true);
    }),
    RUNS,
  );
});

const REGISTERED = ['https://conf.example/cb', 'http://127.0.0.1/cb', 'com.example.app:/cb'];

test('RU-01, RU-11: unregistered redirect URIs are rejected, except ports of a native client’s loopback address', () => {
  const uri = like(
    ...REGISTERED,
    'http://localhost:5000/cb',
    'http://127.0.0.1:5000/cb',
    'http://[::1]:1/cb',
    'https://conf.example:443/cb',
  );
  fc.assert(
    fc.property(uri, fc.boolean(), (text, native) => {
      const client = {
        confidential: !native,
        applicationType: native ? 'native' : 'web',
        redirectUris: REGISTERED,
      } as unknown as SnapshotClient;
      const loopback = native && /^http:\/\/127\.0\.0\.1(:\d{1,5})?\/cb$/.test(text);
      expect(isRegisteredRedirectUri(client, text)).toBe(REGISTERED.includes(text) || loopback);
    }),
    RUNS,
  );
});

test('RU-15, RU-16: for any state, the redirect starts with the registered text and returns the state unchanged', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...REGISTERED, 'https://conf.example', 'https://conf.example/cb?tenant=7'),
      nasty,
      (uri, text) => {
        const state = text.toWellFormed();
        const location = appendParameters(uri, [
          ['code', 'c'],
          ['state', state],
        ]);
        expect(location.startsWith(uri)).toBe(true);
        expect(location).toMatch(/^[\x21-\x7e]*$/);
        const read = new URLSearchParams(location.slice(location.indexOf('?') + 1));
        expect(read.get('state')).toBe(state);
        expect(read.getAll('code')).toEqual(['c']);
      },
    ),
    RUNS,
  );
});

test('AZ-11: parsed scopes are a subset of the allowed scopes in the API’s order, otherwise parsing fails with invalid_scope', () => {
  const allowed = ['read', 'write', 'admin:all'];
  fc.assert(
    fc.property(fc.array(like(...allowed, 'other'), { maxLength: 6 }), (names) => {
      const scopes = refusedBy([InvalidScope], () => parseScope(names.join(' '), allowed));
      if (!scopes) return;
      expect(scopes).toEqual(allowed.filter((name) => names.join(' ').split(' ').includes(name)));
      expect(scopes.length).toBeGreaterThan(0);
    }),
    RUNS,
  );
});

test('PK-11, PK-12: a verifier has 43 to 128 permitted characters and a unique challenge', () => {
  const verifier = like(
    'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
    'a'.repeat(43),
    'a'.repeat(128),
    'a'.repeat(129),
  );
  fc.assert(
    fc.property(verifier, verifier, (one, other) => {
      const good =
        one.length >= 43 &&
        one.length <= 128 &&
        [...one].every((character) => /[A-Za-z0-9._~-]/.test(character));
      expect(isCodeVerifier(one)).toBe(good);
      if (!good) return;
      expect(isCodeChallenge(challengeOf(one))).toBe(true);
      if (isCodeVerifier(other)) expect(challengeOf(other) === challengeOf(one)).toBe(other === one);
    }),
    RUNS,
  );
});

test('AZ-19: prompt and max_age are parsed or rejected with invalid_request', () => {
  fc.assert(
    fc.property(like('none', 'login', 'login consent', '0', '3600'), (text) => {
      const prompt = refusedBy([InvalidRequest], () => parsePrompt(text));
      if (prompt?.has('none')) expect(prompt.size).toBe(1);
      const seconds = refusedBy([InvalidRequest], () => parseMaxAge(text));
      if (seconds !== null) expect(Number.isSafeInteger(seconds) && seconds >= 0).toBe(true);
    }),
    RUNS,
  );
});

test('AZ-29: a sealed interaction opens unchanged in its browser, and everything else fails', () => {
  fc.assert(
    fc.property(nasty, nasty, nasty, (query, browser, other) => {
      const interaction = {
        authMethodId: 'pw',
        apiId: 'orders',
        query: query.toWellFormed(),
        startedAt: Date.now(),
        browser: browser.toWellFormed(),
      };
      const sealed = sealInteraction(interaction);
      expect(openInteraction(sealed, interaction.browser)).toEqual(interaction);
      if (other !== interaction.browser) expect(openInteraction(sealed, other)).toBeNull();
      expect(openInteraction(sealed, null)).toBeNull();
      expect(openInteraction(query, interaction.browser)).toBeNull();
    }),
    { numRuns: 3_000 },
  );
});
