// Storage of logos: each is stored once, is deleted with its last reference, and is safe if several callers write at
// the same time.
import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { beforeEach, expect, test } from 'vitest';
import { readApi } from '#lib/catalogue/apis/operations.ts';
import { changeClient, deleteClient, readClient } from '#lib/catalogue/clients/operations.ts';
import { type DrawnLogo, drawLogo } from '#lib/pictures/draw.ts';
import { deleteExpired } from '#lib/store/cleanup.ts';
import { png, SVG, svg } from '#testing/data/pictures.ts';
import {
  events,
  givenClient,
  givenEmptyRegistry,
  givenPerson,
  type Person,
  refusal,
  sql,
} from '#testing/data/registry.ts';
import { ask } from '#testing/in-process/in-process.ts';
import { readApiLogo, readClientLogo, setApiLogo, setClientLogo } from './logos.ts';
import { OPERATOR } from './policy.ts';

let developer: Person;
beforeEach(async () => {
  await givenEmptyRegistry();
  await sql('delete from logos');
  developer = await givenPerson('dev', 'developer');
  for (const id of ['shop', 'other']) await givenClient(developer, id);
});

const stored = async () =>
  (await sql<{ hash: string }>('select hash from logos order by hash')).map(({ hash }) => hash);
const addressOf = async (clientId = 'shop') =>
  (await readClient(developer, { clientId })).brand?.logo ?? null;
const grey = (level: number) => png({ side: 8, colour: [level, level, level] });
const drawn = async (bytes: Buffer) => (await drawLogo(bytes)) as DrawnLogo;
const aged = () => sql("update logos set used_at = now() - interval '2 hours'");

test('a logo is served permanently under its hash in two rendered sizes, and the uploaded file is never served', async () => {
  await setClientLogo(developer, { clientId: 'shop', logo: SVG });
  const address = (await addressOf()) ?? '';
  expect(address).toMatch(/^\/logo\/[0-9a-f]{64}$/);
  const { large } = await drawn(SVG);
  expect(address).toBe(`/logo/${createHash('sha256').update(large).digest('hex')}`);
  for (const [at, side] of [
    [address, 192],
    [`${address}-small`, 64],
  ] as const) {
    const { status, headers, body } = await ask(at);
    expect([status, await sharp(body as Buffer).metadata()]).toMatchObject([
      200,
      { format: 'webp', width: side, height: side },
    ]);
    expect(headers).toMatchObject({
      'content-type': 'image/webp',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
    });
    const again = await ask(at, { headers: { 'if-none-match': `W/"x", ${headers['etag']}` } });
    expect([again.status, again.body]).toEqual([304, undefined]);
  }
  expect(await readClientLogo(developer, { clientId: 'shop' })).toEqual(large);
  const [row] = await sql('select * from logos');
  expect(Object.values(row ?? {}).some((value) => Buffer.isBuffer(value) && value.includes('<svg'))).toBe(
    false,
  );
  for (const none of ['/logo/x', `/logo/${'0'.repeat(64)}`, `${address}-large`, `/logo/${'..%2f'.repeat(3)}`])
    expect((await ask(none)).status).toBe(404);
  expect((await events('client.changed')).at(-1)?.['details']).toMatchObject({ changed: ['brand'] });
});

test('an invalid picture is rejected and not stored', async () => {
  const refused = await refusal(setClientLogo(developer, { clientId: 'shop', logo: svg('<g>') }));
  expect(refused?.faults).toEqual([
    expect.objectContaining({
      field: 'logo',
      code: 'logo.wrong',
      message: expect.stringMatching(/^the picture is broken: .* line 1, column \d+/),
    }),
  ]);
  expect(await refusal(setClientLogo(developer, { clientId: 'shop', logo: Buffer.alloc(0) }))).not.toBeNull();
  const broken = { logo: null, accent: '#ffffff', accent_dark: null };
  expect(await refusal(changeClient(developer, { clientId: 'shop', brand: broken }))).not.toBeNull();
  expect([await stored(), await addressOf()]).toEqual([[], null]);
});

test('a rejected change stores no picture, even if the picture is valid', async () => {
  const logo = `data:image/png;base64,${grey(1).toString('base64')}`;
  const brand = { logo, accent: null, accent_dark: null };
  expect((await refusal(changeClient(developer, { clientId: 'shop', version: 99, brand })))?.kind).toBe(
    'stale',
  );
  expect(await stored()).toEqual([]);
});

test('each uploaded picture is stored once, and deleted with its last reference', async () => {
  const { id } = await readApi(OPERATOR, { id: 'orders' });
  await Promise.all([
    setClientLogo(developer, { clientId: 'shop', logo: grey(1) }),
    setApiLogo(OPERATOR, { id, logo: grey(1) }),
  ]);
  expect(await stored()).toHaveLength(1);
  await setClientLogo(developer, { clientId: 'shop', logo: null });
  expect(await stored()).toHaveLength(1);
  expect(await readApiLogo(OPERATOR, { id })).toEqual((await drawn(grey(1))).large);
  await setApiLogo(OPERATOR, { id, logo: null });
  expect(await stored()).toEqual([]);
  for (let level = 1; level < 9; level += 1)
    await setClientLogo(developer, { clientId: 'other', logo: grey(level) });
  expect(await stored()).toHaveLength(1);
  await deleteClient(developer, { clientId: 'other' });
  expect(await stored()).toEqual([]);
});

test('after concurrent uploads one complete logo remains, and each upload succeeds or gets an error', async () => {
  const levels = Array.from({ length: 6 }, (_, level) => level);
  const tried = await Promise.all([
    ...levels.map((level) => refusal(setClientLogo(developer, { clientId: 'shop', logo: grey(level) }))),
    ...levels.map((level) => refusal(setClientLogo(OPERATOR, { clientId: 'shop', logo: grey(level) }))),
  ]);
  // `slow-down`: the queue for drawing was full
  for (const one of tried) expect(['stale', 'slow-down']).toContain(one?.kind ?? 'stale');
  expect(tried).toContain(null);
  expect(await stored()).toEqual([(await addressOf())?.slice(6)]);
  expect((await ask((await addressOf()) ?? '')).status).toBe(200);
});

test('if a picture is removed and used again concurrently, every remaining reference works', async () => {
  for (let turn = 0; turn < 10; turn += 1) {
    await setClientLogo(developer, { clientId: 'shop', logo: grey(7) });
    await Promise.all([
      setClientLogo(developer, { clientId: 'shop', logo: null }),
      setClientLogo(OPERATOR, { clientId: 'other', logo: grey(7) }),
      setApiLogo(OPERATOR, { id: 'orders', logo: grey(7) }),
      deleteExpired(),
    ]);
    const address = await addressOf('other');
    expect((await ask(address ?? '')).status).toBe(200);
    await setClientLogo(OPERATOR, { clientId: 'other', logo: null });
    await setApiLogo(OPERATOR, { id: 'orders', logo: null });
    expect(await stored()).toEqual([]);
  }
});

test('the cleanup deletes unreferenced pictures, but keeps a picture that gets a reference during the cleanup', async () => {
  await setClientLogo(developer, { clientId: 'shop', logo: grey(3) });
  const address = (await addressOf()) ?? '';
  await sql("insert into logos (hash, source, small, large) values ('left', '', '', '')");
  await deleteExpired();
  expect(await stored()).toHaveLength(2);
  await aged();
  await deleteExpired();
  expect(await stored()).toEqual([address.slice(6)]);
  for (let turn = 0; turn < 10; turn += 1) {
    await sql('update clients set brand = null');
    await aged();
    await Promise.all([deleteExpired(), setClientLogo(OPERATOR, { clientId: 'other', logo: grey(3) })]);
    expect((await ask((await addressOf('other')) ?? '')).status).toBe(200);
  }
});

test('a brand accepts the address of an existing logo, and the error for a deleted logo names the field', async () => {
  await setClientLogo(developer, { clientId: 'shop', logo: grey(4) });
  const brand = { logo: await addressOf(), accent: '#1f5f4a', accent_dark: null };
  await changeClient(developer, { clientId: 'other', brand });
  expect(await addressOf('other')).toBe(brand.logo);
  for (const clientId of ['shop', 'other']) await setClientLogo(developer, { clientId, logo: null });
  const gone = await refusal(changeClient(developer, { clientId: 'shop', brand }));
  expect(gone?.faults).toMatchObject([
    { field: 'brand.logo', code: 'logo.not_stored', message: expect.stringContaining('upload the picture') },
  ]);
});
