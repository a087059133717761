// Logos in the management API: as raw bytes, or as member of a change.
import sharp from 'sharp';
import { beforeEach, expect, test } from 'vitest';
import { png, pngChunk, SVG, svg } from '#testing/data/pictures.ts';
import { givenClient, givenPerson, givenToken, type Person, sql } from '#testing/data/registry.ts';
import { callManagement, givenManagementApi } from '#testing/in-process/management.ts';

let developer: Person;
let token: string;
beforeEach(async () => {
  await givenManagementApi();
  developer = await givenPerson('dev', 'developer');
  await givenClient(developer, 'shop');
  token = await givenToken(developer);
});
const call = (method: string, more: object = {}, path = '/clients/shop/logo') =>
  callManagement(path, { method, token, ...more });

test('PUT of a logo accepts any media type, GET returns the rendered WebP, and DELETE removes the logo', async () => {
  const put = await call('PUT', { bytes: SVG, headers: { 'content-type': 'image/png' } });
  expect(put.status).toBe(200);
  expect(put.json.brand).toEqual({
    logo: expect.stringMatching(/^\/logo\//),
    accent: null,
    accent_dark: null,
  });
  const got = await call('GET');
  expect([got.status, got.headers['content-type']]).toEqual([200, 'image/webp']);
  expect(await sharp(got.body as Buffer).metadata()).toMatchObject({
    format: 'webp',
    width: 192,
    height: 192,
  });
  expect(got.headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
  const read = await call('GET', {}, '/clients/shop');
  const headers = { 'if-match': String(read.headers['etag']) };
  const brand = { ...read.json.brand, accent: '#1f5f4a' };
  expect((await call('PATCH', { headers, json: { brand } }, '/clients/shop')).json.brand).toEqual(brand);
  expect((await call('DELETE')).json.brand).toEqual({ ...brand, logo: null });
  expect((await call('GET')).status).toBe(404);
});

test('an invalid logo returns 422 with a path, an oversized one 413, another owner’s client 404, and an outdated version 412', async () => {
  const broken = await call('PUT', { bytes: svg('<g>') });
  expect([broken.status, broken.json.errors]).toEqual([
    422,
    [
      {
        field: 'logo',
        code: 'logo.wrong',
        detail: expect.stringContaining('XML parse error: line 1, column 70'),
      },
    ],
  ]);
  expect((await call('PUT')).status).toBe(422);
  expect((await call('PUT', { bytes: png({ said: 20_000 }) })).json.errors[0].detail).toContain(
    '20000 × 64 pixels',
  );
  expect(
    (await call('PUT', { bytes: png({ more: [pngChunk('tEXt', Buffer.alloc(600_000))] }) })).status,
  ).toBe(413);
  expect((await call('PUT', { bytes: png(), headers: { 'if-match': '"77"' } })).status).toBe(412);
  const other = await givenPerson('other', 'developer');
  await givenClient(other, 'theirs');
  for (const method of ['GET', 'PUT', 'DELETE'])
    expect(
      (await call(method, { ...(method === 'PUT' && { bytes: png() }) }, '/clients/theirs/logo')).status,
    ).toBe(404);
  expect(await sql('select hash from logos')).toEqual([]);
});

test('a low-contrast colour returns 422 and suggests a readable colour', async () => {
  const headers = { 'if-match': String((await call('GET', {}, '/clients/shop')).headers['etag']) };
  const answer = await call('PATCH', { headers, json: { brand: { accent: '#ffd400' } } }, '/clients/shop');
  expect([answer.status, answer.json.errors]).toEqual([
    422,
    [
      {
        field: 'brand.accent',
        code: 'input.wrong',
        detail: expect.stringMatching(
          /^brand\.accent has a contrast of 1\.\d:1 on the page, .*: try #[0-9a-f]{6}$/,
        ),
      },
    ],
  ]);
});
