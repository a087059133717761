// Misbehaving https servers under names of a test resolver. Only this test accepts 127.0.0.1 as a public address.
import tls from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { processWide } from '#lib/kit/process.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { DOCUMENT_URL, documentOf } from '#testing/clients/client-documents.ts';
import { makePair } from '#testing/clients/client-keys.ts';
import { type DocumentHost, makeCertificate, startDocumentHost } from '#testing/clients/document-host.ts';
import { ClientDocumentRefused, ClientDocumentUnavailable, readClientDocument } from './client-documents.ts';

/** Names and addresses of the test resolver; unlisted names fail. */
const addresses: Record<string, string> = {
  'agent.example': '127.0.0.1',
  'other.example': '127.0.0.1',
  'inside.example': '10.0.0.1',
  'metadata.example': '169.254.169.254',
};

vi.mock('#lib/outbound/addresses.ts', async (original) => {
  const real = await original<typeof import('#lib/outbound/addresses.ts')>();
  const isPublicAddress = (address: string) => address === '127.0.0.1' || real.isPublicAddress(address);
  return {
    ...real,
    isPublicAddress,
    publicLookup: (): import('node:net').LookupFunction => (name, options, done) => {
      const address = addresses[name];
      if (address === undefined) done(Object.assign(new Error('ENOTFOUND'), { code: 'ENOTFOUND' }), []);
      else if (!isPublicAddress(address))
        return real.publicLookup(async () => [{ address, family: 4 }])(name, options, done);
      else if (options.all) done(null, [{ address, family: 4 }]);
      else done(null, address, 4);
    },
  };
});

const trusted = tls.getCACertificates('default');
let host: DocumentHost;
let certificate: ReturnType<typeof makeCertificate>;
let made = 0;

beforeAll(async () => {
  loadSettings({ DATABASE_URL: 'postgres://localhost/none', GATEHOUSE_SECRET: 'A'.repeat(43) });
  certificate = makeCertificate('agent.example');
  tls.setDefaultCACertificates([...trusted, certificate.authority]);
  host = await startDocumentHost(certificate.certificate);
});
afterEach(() => {
  processWide('client-document-calls').value = undefined;
});
afterAll(async () => {
  tls.setDefaultCACertificates(trusted);
  await host.close();
});

const fresh = () => `/client-${++made}.json`;
const outcome = (clientId: string, caller: string | null = null) =>
  readClientDocument(clientId, { caller }).then(
    () => 'accepted',
    (error: unknown) => {
      if (error instanceof ClientDocumentRefused) return error.reason;
      if (error instanceof ClientDocumentUnavailable) return 'unavailable';
      throw error;
    },
  );

test('a document from a host with a certificate of a trusted authority is read', async () => {
  const document = await readClientDocument(host.publish(fresh(), { logo_uri: `${host.origin}/logo.png` }));
  expect(document).toMatchObject({
    host: 'agent.example',
    redirectUris: [`${host.origin}/callback`],
    logoUri: `${host.origin}/logo.png`,
  });
});

test('documents of type application/json or with +json are accepted, with parameters', async () => {
  for (const type of ['application/json; charset=utf-8', 'application/client+json', 'Application/JSON'])
    expect(await outcome(host.publish(fresh(), {}, { headers: { 'content-type': type } }))).toBe('accepted');
});

test.each([
  ['another status of success', { status: 201 }, 'status'],
  ['nothing there', { status: 404 }, 'gone'],
  ['gone', { status: 410 }, 'gone'],
  ['a redirect', { status: 302, headers: { location: 'https://agent.example/other' } }, 'redirect'],
  ['a lasting redirect', { status: 308, headers: { location: '/other' } }, 'redirect'],
  ['an outage', { status: 500 }, 'unavailable'],
  ['no media type', { headers: { 'content-type': '' } }, 'media-type'],
  ['a page', { headers: { 'content-type': 'text/html' }, body: '<html>' }, 'media-type'],
  ['JSON as text', { headers: { 'content-type': 'text/plain' } }, 'media-type'],
  ['two types', { headers: { 'content-type': 'text/html, application/json' } }, 'media-type'],
  ['no JSON', { body: '{"client_id":' }, 'unreadable'],
  ['no UTF-8', { body: Buffer.from([0x7b, 0xff, 0x7d]) }, 'unreadable'],
  ['more than 5 KB', { body: JSON.stringify(documentOf({ contacts: ['x'.repeat(5_200)] })) }, 'too-large'],
  [
    'a gzip bomb',
    { headers: { 'content-encoding': 'gzip' }, body: gzipSync(Buffer.alloc(9_000_000, 32)) },
    'too-large',
  ],
  ['broken gzip', { headers: { 'content-encoding': 'gzip' }, body: 'gzip' }, 'unreadable'],
])('a document response with %s is rejected', async (_, answer, reason) => {
  const clientId = host.publish(fresh(), {}, answer);
  expect(await outcome(clientId)).toBe(reason);
});

test('endless, byte-by-byte and missing document responses are aborted', async () => {
  const endless = host.behave(fresh(), (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const more = () => {
      if (response.destroyed) return;
      response.write('x'.repeat(1_000));
      setTimeout(more, 5);
    };
    more();
  });
  const trickle = host.behave(fresh(), (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const timer = setInterval(() => response.write(' '), 200);
    response.on('close', () => clearInterval(timer));
  });
  const late = host.publish(fresh(), {}, { delayMs: 6_000 });
  const outcomes = await Promise.all([outcome(endless), outcome(trickle), outcome(late)]);
  expect(outcomes).toEqual(['too-large', 'unavailable', 'unavailable']);
});

test('a document from a host on the network is rejected if it has members that it must not contain', async () => {
  const { jwk } = await makePair();
  const claims = [
    [{ client_id: DOCUMENT_URL }, 'client-id'],
    [{ client_secret: 'x' }, 'secret'],
    [{ jwks: { keys: [{ ...jwk, d: 'AA' }] } }, 'private-key'],
    [{ client_uri: 'http://agent.example/' }, 'address'],
    [{ redirect_uris: ['http://agent.example/callback'] }, 'redirect-uris'],
  ] as const;
  for (const [members, reason] of claims) expect(await outcome(host.publish(fresh(), members))).toBe(reason);
  const foreign = host.publish(fresh(), { logo_uri: 'https://other.example/logo.png' });
  expect((await readClientDocument(foreign)).logoUri).toBeNull();
});

test('a document host whose certificate has a wrong name or an untrusted authority is rejected', async () => {
  const before = host.requests.length;
  expect(await outcome(`https://other.example:${host.port}/client`)).toBe('unavailable');
  tls.setDefaultCACertificates(trusted);
  expect(await outcome(host.publish(fresh()))).toBe('unavailable');
  tls.setDefaultCACertificates([...trusted, certificate.authority]);
  expect(host.requests).toHaveLength(before);
});

test.each([
  'https://inside.example/client',
  'https://metadata.example/latest/meta-data/',
  'https://10.0.0.1/client',
  'https://169.254.169.254/latest/meta-data/',
  'https://localhost/client',
  'https://agent.localhost/client',
  'https://[::1]/client',
  'https://[::ffff:a9fe:a9fe]/client',
  'https://[fd00:ec2::254]/client',
])(
  'SSRF: the document address %s is not called, and the error reveals nothing about the network',
  async (clientId) => {
    const error = await readClientDocument(clientId).catch((refused: unknown) => refused);
    expect(error).toMatchObject({ reason: 'address' });
    expect((error as Error).message).toBe('Its host does not have a public address.');
  },
);
