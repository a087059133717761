// Addresses of documents. The cases include those of node-oidc-provider's and Better Auth's tests of this draft,
// rewritten for Gatehouse.
import { beforeAll, expect, test } from 'vitest';
import { loadSettings } from '#lib/settings/settings.ts';
import { isDocumentUrl } from './client-documents.ts';

const SETTINGS = { DATABASE_URL: 'postgres://localhost/none', GATEHOUSE_SECRET: 'A'.repeat(43) };
beforeAll(() => {
  loadSettings(SETTINGS);
});

test.each([
  'https://agent.example/client.json',
  'https://agent.example/',
  'https://agent.example:8443/client',
  'https://agent.example:443/client',
  'https://agent.example/client?id=123',
  'HTTPS://agent.example/client',
  'https://agent.example/%252e/client',
  'https://agent.example/a..b/.well-known/client',
  'https://93.184.215.14/client',
  'https://[2606:2800:220:1::1]/client',
  `https://agent.example/${'x'.repeat(478)}`,
  // addresses in valid form, whose fetch is rejected
  'https://127.0.0.1/client',
  'https://localhost/client',
])('draft §3: %s is accepted as the address of a document', (clientId) => {
  expect(isDocumentUrl(clientId)).toBe(true);
});

test.each([
  '',
  'confidential-client',
  'not-a-url',
  'ftp://agent.example/client',
  'http://agent.example/client',
  'http://localhost/client',
  'http://127.0.0.1:8080/client',
  'https://agent.example',
  'https://agent.example?id=1',
  'https://agent.example/client?',
  'https://agent.example:/client',
  'https://agent.example/./client',
  'https://agent.example/../client',
  'https://agent.example/a/../client',
  'https://agent.example/%2e/client',
  'https://agent.example/%2E%2e/client',
  'https://agent.example/.%2e/client',
  'https://agent.example/client/%2e',
  'https://agent.example/client/..',
  'https://agent.example/client#part',
  'https://agent.example/client#',
  'https://agent.example/client?#',
  'https://user@agent.example/client',
  'https://@agent.example/client',
  'https://user:password@agent.example/client',
  'https://:@agent.example/client',
])('draft §3: %s is rejected as the address of a document', (clientId) => {
  expect(isDocumentUrl(clientId)).toBe(false);
});

test.each([
  'https:agent.example/client',
  'https:/agent.example/client',
  'https:///client',
  'https:\\\\agent.example\\client',
  'https://agent.example\\client',
  ' https://agent.example/client',
  'https://agent.example/client ',
  'https://agent.example/\tclient',
  'https://agent.example/\nclient',
  'https://agent.example/\u0000client',
  'https://agent.example/a client',
  'https://agent.example/caf\u00e9',
  'https://b\u00fccher.example/client',
  'https://agent.example/%zz',
  'https://agent.example/%2',
  'https://agent.%65xample/client',
  'https://127.1/client',
  'https://0x7f.1/client',
  'https://2130706433/client',
  'https://[0:0:0:0:0:0:0:1]/client',
  'https://agent.example./client',
  'https://agent.example:0443x/client',
  'https://agent.example:99999/client',
])('a document address that a URL parser would change is rejected: %j', (clientId) => {
  expect(isDocumentUrl(clientId)).toBe(false);
});

test('a document address with more than 500 bytes is rejected', () => {
  expect(isDocumentUrl(`https://agent.example/${'x'.repeat(479)}`)).toBe(false);
});

test('http document addresses require a loopback host and the operator’s permission', () => {
  loadSettings({ ...SETTINGS, CLIENT_DOCUMENTS_PRIVATE_NETWORK: 'true' });
  expect(isDocumentUrl('http://localhost:3200/client.json')).toBe(true);
  expect(isDocumentUrl('http://127.0.0.1:3200/client.json')).toBe(true);
  expect(isDocumentUrl('http://agent.example/client.json')).toBe(false);
  expect(isDocumentUrl('http://10.0.0.1/client.json')).toBe(false);
  loadSettings(SETTINGS);
});
