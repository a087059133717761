// Brands in the configuration file: pictures next to the file, applying an export again, and faults with their place.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import sharp from 'sharp';
import { beforeEach, expect, test } from 'vitest';
import { readApi } from '#lib/catalogue/apis/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { type DrawnLogo, drawLogo } from '#lib/pictures/draw.ts';
import { query } from '#lib/store/pool.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { SVG, svg } from '#testing/data/pictures.ts';
import { applyConfiguration } from './apply.ts';
import { besideFile } from './brands.ts';
import { exportConfiguration } from './export.ts';

const rows = (text: string) => query<{ hash: string }>({ text });
beforeEach(() => rows('truncate auth_methods, apis, clients, people, logos cascade'));

/** A picture of noise, which WebP cannot compress. */
const noise = { width: 192, height: 192, channels: 3 } as const;
const large = await sharp(randomBytes(192 * 192 * 3), { raw: noise })
  .png()
  .toBuffer();
const dataOf = async (bytes: Buffer) => ((await drawLogo(bytes)) as DrawnLogo).large.toString('base64');
const folder = mkdtempSync(path.join(tmpdir(), 'brand-'));
for (const [name, bytes] of [
  ['gate.svg', SVG],
  ['large.png', large],
  ['page.png', Buffer.from('<html>')],
  ['cut.svg', svg('<g>')],
  ['empty.png', Buffer.alloc(0)],
] as const)
  writeFileSync(path.join(folder, name), bytes);
writeFileSync(path.join(folder, 'huge.png'), Buffer.alloc(5_000_000));

const file = (brand: string, client = '{}') => `
auth_methods: [{ id: local, type: local }]
apis:
  - { id: orders, url: https://api.example/orders, auth_methods: [local], scopes: [], brand: ${brand} }
clients:
  - { client_id: shop, application_type: browser, redirect_uris: [https://shop.example/cb], tos_uri: https://shop.example/terms, brand: ${client} }
`;
const apply = (source: string, readBeside = besideFile(path.join(folder, 'gatehouse.yaml'))) =>
  applyConfiguration(source, { env: {}, readBeside });
const faultOf = (brand: string) =>
  apply(file(brand)).then(
    () => null,
    (error: Error) => error.message,
  );

test('a logo file next to the configuration file is stored, a second apply changes nothing, and the snapshot contains only the logo’s address', async () => {
  const source = file(
    '{ logo: gate.svg, accent: "#1F5F4A" }',
    '{ logo: ./large.png, accent: "#7a1f5f", accent_dark: "#f0a0d0" }',
  );
  await apply(source);
  expect(await apply(source)).toEqual([]);
  const { apis, clients } = await currentSnapshot();
  expect(apis.get('orders')?.brand).toEqual({
    logo: expect.stringMatching(/^\/logo\/[0-9a-f]{64}$/),
    accent: '#1f5f4a',
    accent_dark: null,
  });
  expect(clients.get('shop')).toMatchObject({
    tosUri: 'https://shop.example/terms',
    brand: { accent_dark: '#f0a0d0' },
  });
  const lines = (await apply(file('{ accent: "#1f5f4a" }'))).flatMap((change) => change.lines);
  expect(lines.join()).not.toContain('base64');
  expect(await rows('select hash from logos')).toEqual([]);
});

test('an export with a brand can be applied again, and if its pictures are small, also in another database', async () => {
  await apply(file('{ logo: gate.svg, accent: "#1f5f4a" }', '{ logo: large.png }'));
  const exported = await exportConfiguration();
  expect(await apply(exported, null)).toEqual([]);
  expect(exported).toContain(`data:image/webp;base64,${await dataOf(SVG)}`);
  expect(exported).not.toContain(await dataOf(large));
  const small = exported.replace(/^.*logo: \/logo\/.*\n/m, '      accent: "#7a1f5f"\n');
  await rows('truncate auth_methods, apis, clients, people, logos cascade');
  await apply(small, null);
  expect((await readApi(OPERATOR, { id: 'orders' })).brand?.logo).toMatch(/^\/logo/);
  // the database does not contain the large logo, so the error suggests an upload
  await expect(apply(exported, null)).rejects.toThrow('upload the picture');
});

test('an empty brand counts as no brand, and removing the brand from the file deletes it', async () => {
  await apply(file('{ logo: gate.svg }'));
  await apply(file('{}'));
  expect((await readApi(OPERATOR, { id: 'orders' })).brand).toBeNull();
  expect(await rows('select hash from logos')).toEqual([]);
});

test.each([
  ['{ logo: none.svg }', 'none.svg cannot be read'],
  ['{ logo: page.png }', 'the picture is none: a PNG'],
  ['{ logo: huge.png }', 'huge.png cannot be read: the picture has 5000000 bytes'],
  ['{ logo: /etc/passwd }', 'in the folder of this file'],
  ['{ logo: ../gate.svg }', 'in the folder of this file'],
  ['{ logo: "..\\\\gate.svg" }', 'in the folder of this file'],
  ['{ logo: "data:text/html;base64,PGh0bWw+" }', 'neither a data: URI'],
  ['{ logo: "data:image/png;base64,PGh0bWw+" }', 'the picture is none: a PNG'],
  ['{ logo: cut.svg }', 'the picture is broken: XML parse error: line 1, column 70'],
  ['{ logo: empty.png }', 'the picture empty.png is empty'],
  ['{ logo: https://evil.example/logo.png }', 'cannot be read'],
  ['{ accent: "#e6b422" }', 'must have at least 4.5:1'],
  ['{ accent: red }', 'must be a colour as #rrggbb'],
  ['{ accent_dark: "#7cc7a8" }', 'requires accent'],
  ['{ css: "body{}" }', 'is not a key of this file'],
])('apply rejects the brand %s, and the fault contains its path and line', async (brand, why) => {
  const message = await faultOf(brand);
  expect(message).toContain('apis[0].brand');
  expect(message).toContain(why);
  expect(message).toMatch(/\(line 4\)/);
  expect(await rows('select hash from logos')).toEqual([]);
});

test('a configuration from standard input must contain pictures as data: URIs', async () => {
  await expect(apply(file('{ logo: gate.svg }'), null)).rejects.toThrow('must be a data: URI');
});
