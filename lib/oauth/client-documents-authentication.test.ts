// The authentication method on which client and Gatehouse agree, also for documents of real vendors.
import { beforeAll, expect, test } from 'vitest';
import { loadSettings } from '#lib/settings/settings.ts';
import type { SnapshotClient } from '#lib/store/snapshot.ts';
import {
  CHATGPT,
  CLAUDE,
  CLAUDE_CODE,
  DOCUMENT_URL,
  type DocumentMembers,
  documentOf,
  VS_CODE,
} from '#testing/clients/client-documents.ts';
import { makePair, type Pair, setOf } from '#testing/clients/client-keys.ts';
import { type ClientDocumentRefused, readDocument } from './client-documents.ts';
import { isRegisteredRedirectUri } from './rules.ts';

let pair: Pair;
beforeAll(async () => {
  loadSettings({ DATABASE_URL: 'postgres://localhost/none', GATEHOUSE_SECRET: 'A'.repeat(43) });
  pair = await makePair();
});

const KEYS = { jwks_uri: 'https://agent.example/jwks' };

function methodOf(one: unknown, listed: unknown, keys: DocumentMembers = KEYS): string {
  const methods = { token_endpoint_auth_method: one, token_endpoint_auth_methods_supported: listed };
  try {
    return readDocument(DOCUMENT_URL, JSON.stringify(documentOf({ ...methods, ...keys })))
      .tokenEndpointAuthMethod;
  } catch (error) {
    return (error as ClientDocumentRefused).reason;
  }
}

test('a client document’s single authentication method is used if supported, otherwise the best supported method of its list', () => {
  const both = ['none', 'private_key_jwt'];
  expect(methodOf('private_key_jwt', both)).toBe('private_key_jwt');
  expect(methodOf('none', both)).toBe('none');
  expect(methodOf('tls_client_auth', both)).toBe('private_key_jwt');
  expect(methodOf(undefined, both)).toBe('private_key_jwt');
  expect(methodOf(undefined, ['client_secret_basic', 'none'])).toBe('none');
  expect(methodOf(undefined, both, {})).toBe('none');
});

test('a client uses the method "none" only if its document lists it or names no method', () => {
  expect(methodOf(undefined, undefined)).toBe('none');
  expect(methodOf(null, null)).toBe('none');
  expect(methodOf(undefined, [])).toBe('authentication');
  expect(methodOf('tls_client_auth', undefined)).toBe('authentication');
  expect(methodOf(undefined, ['client_secret_basic'])).toBe('authentication');
  expect(methodOf(undefined, ['private_key_jwt'], {})).toBe('authentication');
});

test('the keys of a document must be public, and are read from jwks or jwks_uri', () => {
  const by = (jwks: unknown) => methodOf('private_key_jwt', undefined, { jwks });
  expect(by(setOf(pair))).toBe('private_key_jwt');
  expect(by({ keys: [{ ...pair.jwk, d: 'AA' }] })).toBe('private-key');
  expect(by({ keys: [pair.jwk, { kty: 'oct', k: 'AA' }] })).toBe('private-key');
  expect(by([pair.jwk])).toBe('member');
  expect(by({ keys: ['x'] })).toBe('member');
  expect(by({ keys: [pair.jwk, pair.jwk] })).toBe('member');
  expect(by({ keys: [] })).toBe('authentication');
  expect(by({ keys: [{ kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' }] })).toBe('authentication');
  expect(methodOf('private_key_jwt', undefined, { ...KEYS, jwks: setOf(pair) })).toBe('authentication');
  expect(methodOf('private_key_jwt', undefined, { ...KEYS, jwks: null })).toBe('private_key_jwt');
});

test('a document that contains a private key is rejected for every method, because everybody can read it', () => {
  expect(methodOf('none', undefined, { jwks: { keys: [{ ...pair.jwk, d: 'AA' }] } })).toBe('private-key');
});

test('encryption keys and unsupported key types in a document are ignored', async () => {
  const jwks = { keys: [{ ...pair.jwk, use: 'enc', kid: 'e' }, { kty: 'EC', crv: 'secp256k1' }, pair.jwk] };
  const members = documentOf({ token_endpoint_auth_method: 'private_key_jwt', jwks });
  expect(readDocument(DOCUMENT_URL, JSON.stringify(members)).jwks).toEqual(setOf(pair));
});

const CODE_AND_REFRESH = ['authorization_code', 'refresh_token'];
test.each([
  ['ChatGPT', CHATGPT, 'private_key_jwt'],
  ['Claude Code', CLAUDE_CODE, 'none'],
  ['Claude on the web and the desktop', CLAUDE, 'none'],
  ['Visual Studio Code', VS_CODE, 'none'],
])('the published client document of %s is accepted', (_, members, method) => {
  const document = readDocument(String(members['client_id']), JSON.stringify(members));
  expect(document).toMatchObject({
    name: members['client_name'],
    tokenEndpointAuthMethod: method,
    confidential: method === 'private_key_jwt',
    jwksUri: members['jwks_uri'] ?? null,
    redirectUris: members['redirect_uris'],
    grantTypes: CODE_AND_REFRESH,
    logoUri: null,
  });
});

test.each<[string, DocumentMembers, string[], string[]]>([
  [
    'ChatGPT',
    CHATGPT,
    ['https://chatgpt.com/connector_platform_oauth_redirect'],
    ['https://chatgpt.com/connector_platform_oauth_redirect/', 'http://localhost/callback'],
  ],
  [
    'Claude Code',
    CLAUDE_CODE,
    ['http://localhost:58135/callback', 'http://127.0.0.1:8080/callback', 'http://localhost/callback'],
    ['http://localhost:58135/other', 'http://[::1]:1/callback', 'http://localhost.evil.example/callback'],
  ],
  [
    'Claude',
    CLAUDE,
    ['https://claude.ai/api/mcp/auth_callback'],
    ['https://claude.ai:444/api/mcp/auth_callback'],
  ],
  [
    'Visual Studio Code',
    VS_CODE,
    ['http://127.0.0.1:33418/', 'http://127.0.0.1:40000/', 'https://vscode.dev/redirect'],
    ['http://127.0.0.1:33418/x', 'http://localhost:33418/', 'https://vscode.dev:8443/redirect'],
  ],
])(
  '%s can use the redirect URIs of its document, and any port on loopback addresses',
  (_, members, good, bad) => {
    const document = readDocument(String(members['client_id']), JSON.stringify(members));
    const client = document as unknown as SnapshotClient;
    for (const uri of good) expect(isRegisteredRedirectUri(client, uri), uri).toBe(true);
    for (const uri of bad) expect(isRegisteredRedirectUri(client, uri), uri).toBe(false);
  },
);
