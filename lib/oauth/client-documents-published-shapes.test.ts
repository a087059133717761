// Documents in the forms that vendors publish: the values that Gatehouse reads, and the member that a rejection names
// (draft-ietf-oauth-client-id-metadata-document §4.1, RFC 8252 §7.3).
import { beforeAll, expect, test } from 'vitest';
import { loadSettings } from '#lib/settings/settings.ts';
import { DOCUMENT_URL, type DocumentMembers, documentOf } from '#testing/clients/client-documents.ts';
import { readDocument } from './client-documents.ts';

beforeAll(() =>
  loadSettings({ DATABASE_URL: 'postgres://localhost/none', GATEHOUSE_SECRET: 'A'.repeat(43) }),
);

const read = (members: DocumentMembers) => readDocument(DOCUMENT_URL, JSON.stringify(documentOf(members)));

test.each<[shape: string, members: DocumentMembers]>([
  [
    '$schema and members of others',
    { $schema: 'https://example.com/schema.json', software_id: 'x', dpop_bound_access_tokens: true },
  ],
  ['a scope of another protocol', { scope: 'atproto blob:*/* transition:generic' }],
  ['a logo of another host', { logo_uri: 'https://cdn.example/favicon.ico' }],
  ['an SVG logo', { logo_uri: 'https://agent.example/logo.svg' }],
  ['contacts', { contacts: ['dev@agent.example'] }],
  [
    'ten loopback addresses',
    { redirect_uris: Array.from({ length: 10 }, (_, at) => `http://127.0.0.1:${3000 + at}/OAuth/Callback`) },
  ],
  ['a redirect address without a path', { redirect_uris: ['https://agent.example'] }],
  ['an application_type', { application_type: 'web', response_types: ['code'] }],
])('a client document with %s is accepted', (_, members) =>
  expect(read(members).clientId).toBe(DOCUMENT_URL),
);

test('redirect URIs of a document keep capital letters and get no added path', () => {
  const uris = ['http://127.0.0.1:33418/OAuth/Callback', 'https://agent.example'];
  expect(read({ redirect_uris: uris }).redirectUris).toEqual(uris);
});

test.each<[member: string, members: DocumentMembers]>([
  ['client_secret_expires_at', { client_secret_expires_at: 0 }],
  ['client_secret', { client_secret: 'x' }],
  ['token_endpoint_auth_method', { token_endpoint_auth_method: 'client_secret_basic' }],
  ['client_id', { client_id: undefined }],
  ['client_id', { client_id: 'https://other.example/client.json' }],
  ['jwks', { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [{ kty: 'oct', k: 'eA' }] } }],
  ['jwks_uri', { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'http://tunnel.example/jwks' }],
  ['redirect_uris.1', { redirect_uris: ['https://agent.example/cb', 'http://agent.example/cb'] }],
  ['redirect_uris', { redirect_uris: 'https://agent.example/cb' }],
  ['grant_types', { grant_types: ['implicit'] }],
  ['response_types', { response_types: ['token'] }],
  ['client_name', { client_name: 7 }],
  ['logo_uri', { logo_uri: 'data:image/png;base64,eA==' }],
])('the error for an invalid %s in a document names the member', (member, members) =>
  expect(() => read(members)).toThrow(member),
);

test('a document with a jwks_uri at a tunnel host is accepted', () => {
  const keys = { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://abc.ngrok-free.app/jwks' };
  expect(read(keys).jwksUri).toBe(keys.jwks_uri);
});
