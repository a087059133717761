// Logos: Gatehouse fetches each logo once and serves only pictures.
import { randomUUID } from 'node:crypto';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Answer } from '#lib/http/message.ts';
import { shiftClock } from '#lib/kit/clock.ts';
import { processWide } from '#lib/kit/process.ts';
import { type DrawnLogo, drawLogo } from '#lib/pictures/draw.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { type DocumentHost, startDocumentHost } from '#testing/clients/document-host.ts';
import { GIF, JPEG, png, pngChunk, SVG } from '#testing/data/pictures.ts';
import { logoAddress } from './client-logo.ts';
import { handleHttp } from './endpoints.ts';

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

const PNG = png();
const shown = async (bytes: Buffer) => ((await drawLogo(bytes)) as DrawnLogo).large;

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

test('a client’s logo is fetched once, and Gatehouse’s response headers permit only pictures', async () => {
  const { at, uri } = publish(PNG, 'image/png', {
    delayMs: 30,
    headers: { 'content-type': 'image/png', 'cache-control': 'max-age=3600' },
  });
  const answers = await Promise.all(Array.from({ length: 10 }, () => show(uri)));
  shiftClock(1_800_000);
  const { status, headers, body } = await show(uri);
  expect(asked(at)).toBe(1);
  expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 200));
  expect([status, body]).toEqual([200, await shown(PNG)]);
  expect(headers).toMatchObject({
    'content-type': 'image/webp',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'same-origin',
  });
});

test.each([
  ['image/png', PNG],
  ['image/gif', GIF],
  ['image/jpeg', JPEG],
  ['image/webp', await sharp(PNG).webp({ quality: 50 }).toBuffer()],
])('a logo that is %s is redrawn, and never served unchanged', async (type, picture) => {
  const { uri } = publish(picture, type);
  const { status, headers, body } = await show(uri);
  expect([status, headers['content-type'], body]).toEqual([200, 'image/webp', await shown(picture)]);
  expect(body).not.toEqual(picture);
});

test('a fetched logo stays in use until its host returns another valid one', async () => {
  const { at, uri } = publish(PNG);
  await show(uri);
  host.behave(at, { status: 500 });
  shiftClock(360_000);
  expect((await show(uri)).status).toBe(200);
  host.behave(at, { body: GIF, headers: { 'content-type': 'image/gif' } });
  shiftClock(720_000);
  expect((await show(uri)).body).toEqual(await shown(GIF));
});

test.each([
  ['SVG', SVG, 'image/svg+xml', {}],
  ['SVG that says it is a PNG', SVG, 'image/png', {}],
  ['a page', Buffer.from('<script>'), 'text/html', {}],
  ['a PNG that says it is a page', PNG, 'text/html', {}],
  ['a PNG that says it is a GIF', PNG, 'image/gif', {}],
  ['more than 64 KB', png({ more: [pngChunk('tEXt', Buffer.alloc(70_000))] }), 'image/png', {}],
  ['a PNG that is cut', png({ side: 500 }).subarray(0, -40), 'image/png', {}],
  ['a PNG of 2,001 pixels', png({ said: 2_001 }), 'image/png', {}],
  ['nothing there', PNG, 'image/png', { status: 404 }],
  ['a redirect', PNG, 'image/png', { status: 302, headers: { location: '/logo-1' } }],
])('a logo that is %s returns 404, and is requested again', async (_, body, type, more) => {
  const { uri } = publish(body, type, more);
  expect((await show(uri)).status).toBe(404);
});

test('a logo whose address has no Gatehouse signature is not fetched', async () => {
  const { at, uri } = publish(PNG);
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

test('logo addresses of open pages stay valid after GATEHOUSE_SECRET gets a new first value', async () => {
  const address = logoAddress({ clientId: clientId(), logoUri: publish(PNG).uri });
  loadSettings({ ...SETTINGS, GATEHOUSE_SECRET: `${'B'.repeat(43)},${SETTINGS.GATEHOUSE_SECRET}` });
  expect((await get(address)).status).toBe(200);
});

test('a logo at a private address is not fetched, even if its address has a valid signature', async () => {
  loadSettings({ ...SETTINGS, CLIENT_DOCUMENTS_PRIVATE_NETWORK: 'false' });
  for (const uri of ['https://127.0.0.1/x', 'https://169.254.169.254/x', host.origin]) {
    const address = logoAddress({ clientId: 'https://agent.example/client', logoUri: uri });
    expect((await get(address)).status).toBe(404);
  }
});

test('the logo address of a registered client is its registered logo_uri', () => {
  const logoUri = 'https://shop.example/logo.png';
  expect(logoAddress({ clientId: 'shop', logoUri })).toBe(logoUri);
  expect(logoAddress({ clientId: clientId(), logoUri: null })).toBeNull();
});
