// Logos: fetched once by us, and what is served is a picture and nothing else.
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Answer } from '#lib/http/index.ts';
import { processWide, shiftClock } from '#lib/kit/index.ts';
import { pictureOf } from '#lib/registry/index.ts';
import { loadSettings } from '#lib/settings/index.ts';
import { type DocumentHost, startDocumentHost } from '#testing/document-host.ts';
import { handleHttp } from '../index.ts';
import { logoAddress } from './index.ts';

const SETTINGS = {
  DATABASE_URL: 'postgres://localhost/none',
  GATEHOUSE_SECRET: 'A'.repeat(43),
  CLIENT_DOCUMENTS_PRIVATE_NETWORK: 'true',
};
let host: DocumentHost;
let made = 0;
beforeAll(async () => {
  loadSettings(SETTINGS);
  host = await startDocumentHost();
});
afterEach(() => {
  loadSettings(SETTINGS);
  shiftClock(0);
  processWide('client-document-calls').value = undefined;
});
afterAll(() => host.close());

const bytes = (hex: string, length = 64) =>
  Buffer.concat([Buffer.from(hex.replaceAll(' ', ''), 'hex'), Buffer.alloc(length)]);
const PNG = (side = '00000040') => bytes(`89504e470d0a1a0a 0000000d 49484452 ${side} 00000040`);
const GIF = (side = '4000') => bytes(`474946383961 ${side} 4000`);
const JPEG = (side = '0040') => bytes(`ffd8ffe0 0004 0000 ffc0 0011 08 0040 ${side}`);
const VP8X = (side = '3f0000') =>
  bytes(`52494646 00000000 57454250 56503858 0a000000 00000000 ${side} 3f0000`);
const VP8L = bytes('52494646 00000000 57454250 5650384c 00000000 2f 3fc00f00');
const VP8 = bytes('52494646 00000000 57454250 56503820 00000000 000000 9d012a 4000 4000');
const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');

test.each([
  ['image/png', PNG()],
  ['image/gif', GIF()],
  ['image/jpeg', JPEG()],
  ['image/webp', VP8X()],
  ['image/webp', VP8L],
  ['image/webp', VP8],
])('a picture is told by its bytes: %s', (type, picture) => {
  expect(pictureOf(picture)?.type).toBe(type);
});

test.each([
  ['nothing', Buffer.alloc(0)],
  ['zeros', Buffer.alloc(200)],
  ['SVG', SVG],
  ['a cut PNG', PNG().subarray(0, 20)],
  ['a cut JPEG', Buffer.from('ffd8ffe0ffff', 'hex')],
  ['a JPEG without a frame', bytes('ffd8ff', 0)],
  ['a PNG of 2,049 pixels', PNG('00000801')],
  ['a PNG of four thousand million', PNG('ffffffff')],
  ['a GIF of 65,535', GIF('ffff')],
  ['a JPEG of 65,535', JPEG('ffff')],
  ['a WebP of 16 million', VP8X('ffffff')],
  ['a PNG without width', PNG('00000000')],
])('no picture that is shown: %s', (_, picture) => {
  expect(pictureOf(picture)).toBeNull();
});

const clientId = () => `${host.origin}/client.json`;
function publish(body: Buffer, type = 'image/png', more = {}): { at: string; uri: string } {
  const at = `/logo-${++made}`;
  return { at, uri: host.behave(at, { body, headers: { 'content-type': type }, ...more }) };
}
const get = async (address: string | null): Promise<Answer> => {
  const [path = '', query = ''] = (address ?? '').split('?');
  const answer = await handleHttp({
    method: 'GET',
    path,
    query,
    headers: {},
    body: async () => Buffer.alloc(0),
    peerAddress: '192.0.2.1',
    requestId: randomUUID(),
  });
  if (!answer) throw new Error('no such address');
  return answer;
};
const show = (uri: string) => get(logoAddress({ clientId: clientId(), logoUri: uri }));
const asked = (at: string) => host.requests.filter(({ url }) => url === at).length;

test('it is fetched once, and served from our own address so that it is a picture and nothing else', async () => {
  const { at, uri } = publish(PNG(), 'image/png', {
    delayMs: 30,
    headers: { 'content-type': 'image/png', 'cache-control': 'max-age=3600' },
  });
  const answers = await Promise.all(Array.from({ length: 10 }, () => show(uri)));
  shiftClock(1_800_000);
  const { status, headers, body } = await show(uri);
  expect(asked(at)).toBe(1);
  expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 200));
  expect([status, body]).toEqual([200, PNG()]);
  expect(headers).toMatchObject({
    'content-type': 'image/png',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'same-origin',
  });
});

test('while its host has nothing better, the one that was fetched is shown', async () => {
  const { at, uri } = publish(PNG());
  await show(uri);
  host.behave(at, { status: 500 });
  shiftClock(360_000);
  expect((await show(uri)).status).toBe(200);
  host.behave(at, { body: GIF(), headers: { 'content-type': 'image/gif' } });
  shiftClock(720_000);
  expect((await show(uri)).headers['content-type']).toBe('image/gif');
});

test.each([
  ['SVG', SVG, 'image/svg+xml', {}],
  ['SVG that says it is a PNG', SVG, 'image/png', {}],
  ['a page', Buffer.from('<script>'), 'text/html', {}],
  ['a PNG that says it is a page', PNG(), 'text/html', {}],
  ['a PNG that says it is a GIF', PNG(), 'image/gif', {}],
  ['more than 64 KB', Buffer.concat([PNG(), Buffer.alloc(70_000)]), 'image/png', {}],
  ['nothing there', PNG(), 'image/png', { status: 404 }],
  ['a redirect', PNG(), 'image/png', { status: 302, headers: { location: '/logo-1' } }],
])('%s is 404, and is asked for again', async (_, body, type, more) => {
  const { uri } = publish(body, type, more);
  expect((await show(uri)).status).toBe(404);
});

test('what no page of ours has signed is not fetched', async () => {
  const { at, uri } = publish(PNG());
  const [signed = ''] = (logoAddress({ clientId: clientId(), logoUri: uri }) ?? '').split('?').slice(1);
  const other = new URLSearchParams(signed);
  other.set('of', `${uri}2`);
  for (const query of [
    '',
    `of=${encodeURIComponent(uri)}`,
    `of=${encodeURIComponent(uri)}&by=AAAA`,
    String(other),
  ])
    expect((await get(`/client-logo?${query}`)).status).toBe(404);
  expect(asked(at)).toBe(0);
});

test('a new secret in front ends no page that is open', async () => {
  const address = logoAddress({ clientId: clientId(), logoUri: publish(PNG()).uri });
  loadSettings({ ...SETTINGS, GATEHOUSE_SECRET: `${'B'.repeat(43)},${SETTINGS.GATEHOUSE_SECRET}` });
  expect((await get(address)).status).toBe(200);
});

test('a private address is not called, whoever signed it', async () => {
  loadSettings({ ...SETTINGS, CLIENT_DOCUMENTS_PRIVATE_NETWORK: 'false' });
  for (const uri of ['https://127.0.0.1/x', 'https://169.254.169.254/x', host.origin]) {
    const address = logoAddress({ clientId: 'https://agent.example/client', logoUri: uri });
    expect((await get(address)).status).toBe(404);
  }
});

test('a registered client shows the picture that somebody registered', () => {
  const logoUri = 'https://shop.example/logo.png';
  expect(logoAddress({ clientId: 'shop', logoUri })).toBe(logoUri);
  expect(logoAddress({ clientId: clientId(), logoUri: null })).toBeNull();
});
