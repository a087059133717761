// Presets in the configuration file: the fields that are stored, and the names of methods.
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeEach, expect, it } from 'vitest';
import { parse } from 'yaml';
import { listConsoleMethods } from '#lib/management/console-sign-in.ts';
import { sql } from '#testing/data/registry.ts';
import { applyConfiguration } from './apply.ts';
import { exportConfiguration } from './export.ts';

beforeEach(() => sql('truncate auth_methods, apis, people cascade'));

const MICROSOFT = 'tenants: [72f988bf-0000-4000-8000-2d7cd011db47], client_id: x, client_secret: a-secret';
const file = `auth_methods:
  - { id: github, type: broker, preset: github, client_id: x, client_secret: a-secret, trust_email: true }
  - { id: work, type: broker, preset: microsoft, ${MICROSOFT} }
  - id: apple
    type: broker
    preset: apple
    client_id: com.example.web
    signed_secret: { team_id: ABCDE12345, key_id: FGHIJ67890, private_key_env: APPLE_KEY }
`;
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
const applied = (source: string, key = pem) =>
  applyConfiguration(source, { env: { APPLE_KEY: key } }).then((changes) => changes.map(({ id }) => id));

it('apply stores a preset with only the differing fields, and a second apply changes nothing', async () => {
  expect(await applied(file)).toEqual(['github', 'work', 'apple']);
  expect(await applied(file)).toEqual([]);
  expect(await applied(file, pem.replaceAll('\n', '\\n'))).toEqual([]);
  const exported = await exportConfiguration();
  const { auth_methods } = parse(exported) as { auth_methods: Record<string, unknown>[] };
  const own = auth_methods.map(({ id: _, name: __, callback: ___, type: ____, ...rest }) => rest);
  const everywhere = { allow_private_network: false };
  expect(own).toEqual([
    { preset: 'github', client_id: 'x', trust_email: true, ...everywhere },
    {
      preset: 'microsoft',
      client_id: 'x',
      tenants: ['72f988bf-0000-4000-8000-2d7cd011db47'],
      ...everywhere,
    },
    {
      preset: 'apple',
      client_id: 'com.example.web',
      signed_secret: { team_id: 'ABCDE12345', key_id: 'FGHIJ67890' },
      ...everywhere,
    },
  ]);
  expect(exported).not.toContain('PRIVATE');
  expect(await applied(exported)).toEqual([]);
});

it('docs/how-to/providers.md: the file of the page applies unchanged', async () => {
  const [, shown = ''] =
    /```yaml\n([\s\S]*?)```/.exec(readFileSync('docs/how-to/providers.md', 'utf8')) ?? [];
  const env = {
    GOOGLE_SECRET: 'g',
    GITHUB_SECRET: 'h',
    GITLAB_SECRET: 'l',
    WORK_SECRET: 'w',
    STAFF_SECRET: 's',
    APPLE_KEY: pem,
  };
  const changes = await applyConfiguration(shown, { env });
  expect(changes.map(({ id }) => id)).toEqual(['google', 'github', 'gitlab', 'work', 'staff', 'apple']);
});

it('a method has the name from its preset or the file, and the picture from its preset', async () => {
  const named = file.replace('id: work,', 'id: work, name: Staff,');
  await applied(`${named}  - { id: partner, type: broker, issuer: 'https://p.example', client_id: x }\n`);
  const methods = (await listConsoleMethods()).map(({ id, name, preset }) => [id, name, preset]);
  expect(Object.fromEntries(methods.map(([id, ...shown]) => [id, shown]))).toEqual({
    github: ['GitHub', 'github'],
    work: ['Staff', 'microsoft'],
    apple: ['Apple', 'apple'],
    partner: ['partner', null],
  });
});

it('a new private key replaces the secret of the preset’s method, and an invalid key is rejected', async () => {
  await applied(file);
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  expect(await applied(file, String(other.export({ type: 'pkcs8', format: 'pem' })))).toEqual(['apple']);
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  await expect(applied(file, String(rsa.export({ type: 'pkcs8', format: 'pem' })))).rejects.toThrow();
});
