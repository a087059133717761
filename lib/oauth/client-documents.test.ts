// Values that Gatehouse reads from a document, and documents that it rejects. The cases include those of
// node-oidc-provider's and Better Auth's tests, rewritten for Gatehouse.
import { beforeAll, expect, test } from 'vitest';
import { loadSettings } from '#lib/settings/settings.ts';
import { DOCUMENT_URL, type DocumentMembers, documentOf } from '#testing/clients/client-documents.ts';
import { makePair, setOf } from '#testing/clients/client-keys.ts';
import { type ClientDocumentRefused, readDocument } from './client-documents.ts';

beforeAll(() => {
  loadSettings({ DATABASE_URL: 'postgres://localhost/none', GATEHOUSE_SECRET: 'A'.repeat(43) });
});

const read = (members: DocumentMembers = {}, clientId = DOCUMENT_URL) =>
  readDocument(clientId, JSON.stringify(documentOf(members, clientId)));

function refusal(of: () => unknown): string {
  try {
    of();
  } catch (error) {
    return (error as ClientDocumentRefused).reason;
  }
  return 'accepted';
}

const CODE = 'authorization_code';
const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code';

test('a document is converted to a client with the members of a registered client', () => {
  expect(read()).toEqual({
    clientId: DOCUMENT_URL,
    host: 'agent.example',
    name: 'Agent',
    clientUri: null,
    logoUri: null,
    tosUri: null,
    policyUri: null,
    redirectUris: ['https://agent.example/callback'],
    confidential: false,
    applicationType: 'native',
    tokenEndpointAuthMethod: 'none',
    jwks: null,
    jwksUri: null,
    grantTypes: [CODE, 'refresh_token'],
    requirePushedAuthorizationRequests: false,
    dpopBoundAccessTokens: false,
    digest: expect.stringMatching(/^[\w-]{43}$/),
  });
});

test('the digest of a document changes only if a relevant member changes', () => {
  const { digest } = read();
  expect(read({ software_version: '2', response_types: ['code'] }).digest).toBe(digest);
  const others = [
    { client_name: 'Other' },
    { redirect_uris: ['https://agent.example/other'] },
    { tos_uri: 'https://agent.example/tos' },
    { grant_types: [CODE] },
  ];
  for (const other of others) expect(read(other).digest).not.toBe(digest);
});

test('if a document has no name, its host replaces the name', () => {
  expect(read({ client_name: undefined }).name).toBe('agent.example');
  expect(read({ client_name: ' Agent ' }).name).toBe('Agent');
  for (const sign of ['\u202e', '\u061c', '\u00ad', '\u115f', '\u3164', '\u2800', '\u{e0041}', '\n'])
    for (const member of ['client_name', 'client_name#de'])
      expect(() => read({ client_name: 'Agent', [member]: `Your${sign}bank` })).toThrow(member);
  for (const name of ['👩‍💻 Agent', 'می‌خواهم']) expect(read({ client_name: name }).name).toBe(name);
});

test('RFC 7591 §2.2: a document’s names in other languages are stored, unknown languages ignored, and every text follows the name rule', () => {
  const named = {
    client_name: 'Agent',
    'client_name#DE': ' Helfer ',
    'client_name#zz': 'X',
    'client_name#fr': 7,
  };
  expect(read(named).name).toEqual({ und: 'Agent', de: 'Helfer' });
  expect(read({ client_name: undefined, 'client_name#de': 'Helfer' }).name).toEqual({ de: 'Helfer' });
  expect(read(named).digest).not.toBe(read({ ...named, 'client_name#DE': 'Bank' }).digest);
  for (const name of ['a\u202eb', 'x'.repeat(201)])
    expect(refusal(() => read({ 'client_name#de': name }))).toBe('member');
});

test.each<[string, DocumentMembers | string, string]>([
  ['another id', { client_id: 'https://agent.example/other' }, 'client-id'],
  ['an id with a space', { client_id: `${DOCUMENT_URL} ` }, 'client-id'],
  ['an id with the default port', { client_id: 'https://agent.example:443/oauth/client.json' }, 'client-id'],
  ['no id', { client_id: undefined }, 'unreadable'],
  ['no JSON', '<html>', 'unreadable'],
  ['a list', '[]', 'unreadable'],
  ['a text', '"agent"', 'unreadable'],
  ['null', 'null', 'unreadable'],
  ['a NUL', { client_name: 'a\u0000b' }, 'member'],
  ['half a surrogate pair', { contacts: ['\ud800'] }, 'member'],
  ['deep nesting', `${'{"a":'.repeat(500)}1${'}'.repeat(500)}`, 'member'],
  ['a secret', { client_secret: 'hunter2' }, 'secret'],
  ['an empty secret', { client_secret: '' }, 'secret'],
  ['the end of a secret', { client_secret_expires_at: 0 }, 'secret'],
  ['client_secret_basic', { token_endpoint_auth_method: 'client_secret_basic' }, 'secret'],
  ['client_secret_post', { token_endpoint_auth_method: 'client_secret_post' }, 'secret'],
  ['client_secret_jwt', { token_endpoint_auth_method: 'client_secret_jwt' }, 'secret'],
  [
    'a secret method beside a list',
    {
      token_endpoint_auth_method: 'client_secret_post',
      token_endpoint_auth_methods_supported: ['none'],
    },
    'secret',
  ],
  ['an unknown method', { token_endpoint_auth_method: 'tls_client_auth' }, 'authentication'],
  ['private_key_jwt without keys', { token_endpoint_auth_method: 'private_key_jwt' }, 'authentication'],
  ['a method that is no text', { token_endpoint_auth_method: 7 }, 'authentication'],
  [
    'methods that are no list',
    { token_endpoint_auth_method: undefined, token_endpoint_auth_methods_supported: 'none' },
    'member',
  ],
  ['no grant of ours', { grant_types: [DEVICE] }, 'grants'],
  ['refresh_token alone', { grant_types: ['refresh_token'] }, 'grants'],
  ['client_credentials of a public client', { grant_types: ['client_credentials'] }, 'grants'],
  ['no grant', { grant_types: [] }, 'grants'],
  ['grants that are no list', { grant_types: CODE }, 'member'],
  ['another answer than a code', { response_types: ['token'] }, 'grants'],
  ['no redirect address', { redirect_uris: undefined }, 'redirect-uris'],
  ['an empty list of redirect addresses', { redirect_uris: [] }, 'redirect-uris'],
  ['http elsewhere', { redirect_uris: ['http://agent.example/callback'] }, 'redirect-uris'],
  [
    'a good and a bad one',
    { redirect_uris: ['https://agent.example/a', 'javascript:alert(1)'] },
    'redirect-uris',
  ],
  ['a fragment', { redirect_uris: ['https://agent.example/a#b'] }, 'redirect-uris'],
  ['a user name', { redirect_uris: ['https://a@agent.example/b'] }, 'redirect-uris'],
  ['a relative one', { redirect_uris: ['/callback'] }, 'redirect-uris'],
  ['only a scheme without a dot', { redirect_uris: ['cursor://host/callback'] }, 'redirect-uris'],
  ['a name of spaces', { client_name: '  ' }, 'member'],
  ['a name that is no text', { client_name: { en: 'Agent' } }, 'member'],
  ['a name that is too long', { client_name: 'x'.repeat(201) }, 'member'],
  ['a name that turns its text around', { client_name: 'Agent \u202egnp.exe' }, 'member'],
  ['a name with a line break', { client_name: 'Agent\nTrusted' }, 'member'],
])('a client document with %s is rejected', (_, given, reason) => {
  const text = typeof given === 'string' ? given : JSON.stringify(documentOf(given));
  expect(refusal(() => readDocument(DOCUMENT_URL, text))).toBe(reason);
});

const ADDRESSES = [
  'client_uri',
  'logo_uri',
  'tos_uri',
  'policy_uri',
  'jwks_uri',
  'initiate_login_uri',
  'backchannel_logout_uri',
];
test.each(ADDRESSES)('draft §4.1: %s in a document must be https and public', (name) => {
  for (const address of [
    'http://agent.example/x',
    'javascript:alert(1)',
    'data:image/png;base64,AA',
    '/relative',
    'https:/agent.example/x',
    'https://agent.example/x#y',
    'https://a:b@agent.example/x',
    'https://10.0.0.1/x',
    'https://169.254.169.254/latest',
    'https://[::127.0.0.1]/x',
    'https://[2002:7f00:1::]/x',
    'https://localhost/x',
    'http://127.0.0.1/x',
    7,
  ])
    expect(
      refusal(() => read({ [name]: address })),
      `${address}`,
    ).toBe('address');
  expect(refusal(() => read({ [name]: 'https://agent.example/x' }))).toBe('accepted');
  expect(refusal(() => read({ [name]: null }))).toBe('accepted');
});

test('a document’s logos on foreign hosts are ignored', () => {
  expect(read({ logo_uri: 'https://agent.example:8443/logo.png' }).logoUri).toMatch(/8443/);
  expect(read({ logo_uri: 'https://bank.example/logo.png' }).logoUri).toBeNull();
});

test('disallowed grant types of a document are ignored, and duplicates are removed', async () => {
  expect(read({ grant_types: [CODE, CODE, DEVICE, 'implicit'] }).grantTypes).toEqual([CODE]);
  expect(read({ grant_types: [CODE, 'client_credentials'] }).grantTypes).toEqual([CODE]);
  const jwks = setOf(await makePair());
  const machine = {
    token_endpoint_auth_method: 'private_key_jwt',
    jwks,
    grant_types: ['client_credentials'],
  };
  const { grantTypes, redirectUris } = read({ ...machine, redirect_uris: undefined });
  expect([grantTypes, redirectUris]).toEqual([['client_credentials'], []]);
});

test('response types other than code in a document are ignored', () => {
  expect(refusal(() => read({ response_types: ['code', 'code id_token', 'x'] }))).toBe('accepted');
});

test('a document can have redirect URIs with https, loopback hosts and private-use schemes, and schemes without a dot are ignored', () => {
  const kept = [
    'https://elsewhere.example/callback',
    'http://localhost/callback',
    'http://localhost:3000/callback',
    'http://127.0.0.1/callback',
    'http://[::1]:5/callback',
    'com.example.agent:/callback',
  ];
  expect(read({ redirect_uris: [...kept, 'cursor://host/callback', kept[0]] }).redirectUris).toEqual(kept);
});
