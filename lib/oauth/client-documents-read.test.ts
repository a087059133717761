// The document cache: one call serves concurrent readers, the host sets the cache lifetime, and faulty documents are
// not cached.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { shiftClock } from '#lib/kit/clock.ts';
import { processWide } from '#lib/kit/process.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { type DocumentHost, startDocumentHost } from '#testing/clients/document-host.ts';
import { ClientDocumentRefused, ClientDocumentUnavailable, readClientDocument } from './client-documents.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let host: DocumentHost;
let made = 0;
beforeAll(async () => {
  loadSettings({
    DATABASE_URL: 'postgres://localhost/none',
    GATEHOUSE_SECRET: 'A'.repeat(43),
    CLIENT_DOCUMENTS_PRIVATE_NETWORK: 'true',
  });
  host = await startDocumentHost();
});
afterEach(() => {
  shiftClock(0);
  processWide('client-document-calls').value = undefined;
});
afterAll(() => host.close());

const fresh = () => `/client-${++made}.json`;
const asked = (at: string) => host.requests.filter(({ url }) => url === at);
const nameAt = async (clientId: string, shiftedMs = 0, newer = false) => {
  shiftClock(shiftedMs);
  return (await readClientDocument(clientId, { newer })).name;
};
const outcome = (clientId: string) =>
  readClientDocument(clientId).then(
    ({ name }) => name,
    (error: unknown) => {
      if (error instanceof ClientDocumentRefused) return error.reason;
      if (error instanceof ClientDocumentUnavailable) return 'unavailable';
      throw error;
    },
  );

test('concurrent readers of a document cause one call, and later readers get the cached copy', async () => {
  const at = fresh();
  const clientId = host.publish(at, {}, { delayMs: 50 });
  const read = await Promise.all(Array.from({ length: 20 }, () => readClientDocument(clientId)));
  expect(new Set(read.map(({ digest }) => digest)).size).toBe(1);
  await readClientDocument(clientId);
  expect(asked(at)).toHaveLength(1);
  expect(asked(at)[0]?.headers.accept).toBe('application/json');
});

test.each([
  ['nothing', {}, 5 * MINUTE],
  ['max-age', { 'cache-control': 'public, max-age=3600' }, HOUR],
  ['s-maxage before max-age', { 'cache-control': 'max-age=60, s-maxage=3600' }, HOUR],
  ['max-age before Expires', { 'cache-control': 'max-age=3600', expires: '0' }, HOUR],
  ['a week', { 'cache-control': 'max-age=604800' }, 24 * HOUR],
  ['ten seconds', { 'cache-control': 'max-age=10' }, 5 * MINUTE],
  ['no-store', { 'cache-control': 'no-store, max-age=3600' }, 5 * MINUTE],
  ['s-maxage twice', { 'cache-control': 's-maxage=3600, s-maxage=7200' }, 5 * MINUTE],
  ['nonsense', { 'cache-control': 'max-age=soon' }, 5 * MINUTE],
  ['a part of it is over', { 'cache-control': 'max-age=3600', age: '1800' }, 30 * MINUTE],
  ['Expires', { expires: new Date(Date.now() + HOUR).toUTCString() }, HOUR - MINUTE],
])(
  'RFC 9111: a cached document stays fresh as long as its header permits: %s',
  async (_, headers, freshMs) => {
    const at = fresh();
    const clientId = host.publish(at, {}, { headers });
    await nameAt(clientId);
    await nameAt(clientId, freshMs - 5_000);
    expect(asked(at)).toHaveLength(1);
    await nameAt(clientId, freshMs + 2 * MINUTE);
    expect(asked(at)).toHaveLength(2);
  },
);

test('RFC 9110 §13: stale document copies are revalidated by ETag or date, and 304 refreshes them', async () => {
  const at = fresh();
  const validators = { etag: '"one"', 'last-modified': 'Wed, 29 Jul 2026 14:00:00 GMT' };
  const clientId = host.publish(at, { client_name: 'First' }, { headers: validators });
  await nameAt(clientId);
  host.behave(at, { status: 304, headers: { 'cache-control': 'max-age=3600' } });
  expect(await nameAt(clientId, 6 * MINUTE)).toBe('First');
  expect(await nameAt(clientId, 60 * MINUTE)).toBe('First');
  expect(asked(at)).toHaveLength(2);
  expect(asked(at)[1]?.headers).toMatchObject({
    'if-none-match': '"one"',
    'if-modified-since': validators['last-modified'],
  });
  host.publish(at, { client_name: 'Second' });
  expect(await nameAt(clientId, 70 * MINUTE)).toBe('Second');
});

test('a document that has not changed is returned as the same object', async () => {
  const at = fresh();
  const clientId = host.publish(at);
  const first = await readClientDocument(clientId);
  host.publish(at, { software_version: '2' });
  shiftClock(6 * MINUTE);
  expect(await readClientDocument(clientId)).toBe(first);
  expect(asked(at)).toHaveLength(2);
});

test('an unrequested 304 response is rejected', async () => {
  expect(await outcome(host.behave(fresh(), { status: 304 }))).toBe('status');
});

test('a faulty document is not cached, and removes the previous copy', async () => {
  const at = fresh();
  const clientId = host.publish(at, { client_name: 'First' });
  await nameAt(clientId);
  host.publish(at, { client_name: 'Second', client_secret: 'x' });
  shiftClock(6 * MINUTE);
  expect(await outcome(clientId)).toBe('secret');
  host.publish(at, { client_name: 'Third' });
  expect(await outcome(clientId)).toBe('Third');
});

test('an error while a document is fetched is not cached, and the next read calls the host', async () => {
  const at = fresh();
  const clientId = host.behave(at, { status: 500 });
  const both = await Promise.all([outcome(clientId), outcome(clientId)]);
  expect(both).toEqual(['unavailable', 'unavailable']);
  expect(asked(at)).toHaveLength(1);
  host.publish(at, { client_name: 'Back' });
  expect(await outcome(clientId)).toBe('Back');
});

const html = { 'content-type': 'text/html' };
test.each<[string, Parameters<DocumentHost['behave']>[1] & object]>([
  ['answers 500', { status: 500 }],
  ['answers 503', { status: 503, body: '<html>' }],
  ['answers 429', { status: 429 }],
  ['answers 403', { status: 403, body: '<html>' }],
  ['answers 401', { status: 401, body: '{}' }],
  ['redirects to a login', { status: 302, headers: { location: '/login' } }],
  ['answers 200 with a page', { body: '<!doctype html>', headers: html }],
  ['answers with a page that it calls JSON', { body: '<!doctype html>' }],
  ['answers with half of the document', { body: '{"client_id": "https://agent.exam' }],
  ['answers with nothing', { body: '' }],
  ['answers with an empty list', { body: '[]' }],
  ['answers with null', { body: 'null' }],
  ['answers with an error as JSON', { body: { error: 'blocked' } }],
  ['answers with 5,121 bytes', { body: JSON.stringify('x'.repeat(5_119)) }],
  ['answers with what is not UTF-8', { body: Buffer.from([0x7b, 0xff, 0x7d]) }],
])(
  'if a host %s, its last valid document stays in use for a day, and the host can recover',
  async (_, answer) => {
    const at = fresh();
    const clientId = host.publish(at, { client_name: 'First' });
    await nameAt(clientId);
    host.behave(at, answer);
    expect(await nameAt(clientId, 6 * MINUTE)).toBe('First');
    expect(await nameAt(clientId, 6 * MINUTE + 20_000)).toBe('First');
    expect(asked(at)).toHaveLength(2);
    expect(await nameAt(clientId, 23 * HOUR)).toBe('First');
    shiftClock(25 * HOUR);
    expect(await outcome(clientId)).not.toBe('First');
    host.publish(at, { client_name: 'Back' });
    shiftClock(25 * HOUR + MINUTE);
    expect(await outcome(clientId)).toBe('Back');
  },
);

test.each<[string, Parameters<DocumentHost['behave']>[1] & object]>([
  ['says that it is gone (404)', { status: 404 }],
  ['says that it is gone (410)', { status: 410 }],
  ['is the document of another client', { body: { client_id: 'https://other.example/client' } }],
])('a document that %s removes the previous copy immediately', async (_, answer) => {
  const at = fresh();
  const clientId = host.publish(at, { client_name: 'First' });
  await nameAt(clientId);
  host.behave(at, answer);
  shiftClock(6 * MINUTE);
  expect(['gone', 'client-id']).toContain(await outcome(clientId));
});

test('the option "newer" revalidates even fresh copies, at most once in 30 seconds', async () => {
  const at = fresh();
  const clientId = host.publish(
    at,
    { client_name: 'First' },
    { headers: { 'cache-control': 'max-age=3600' } },
  );
  await nameAt(clientId);
  host.publish(at, { client_name: 'Second' });
  expect(await nameAt(clientId, 20_000, true)).toBe('First');
  expect(await nameAt(clientId, 31_000)).toBe('First');
  expect(await nameAt(clientId, 31_000, true)).toBe('Second');
  expect(asked(at)).toHaveLength(2);
});

test('an invalid document address causes no call', async () => {
  for (const clientId of ['agent', 'http://agent.example/x', `${host.origin}/a/../b`, `${host.origin}/a#b`])
    expect(await outcome(clientId)).toBe('url');
});
