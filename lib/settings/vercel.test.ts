// Variables of Vercel and its databases are recognized, and a preview never uses resources of production without
// notice.
import { afterEach, describe, expect, test, vi } from 'vitest';
import { environment, FALLBACKS, OF_FUNCTIONS, SettingsError, withVercel } from './environment.ts';
import { parseSettings } from './settings.ts';
import { shownSettings } from './shown.ts';
import { settingRows } from './table.ts';

const GATEHOUSE_SECRET = Buffer.alloc(32, 7).toString('base64url');
const NEON = {
  DATABASE_URL:
    'postgresql://u:p@ep-x-pooler.us-east-2.aws.neon.tech/db?channel_binding=require&sslmode=require',
  DATABASE_URL_UNPOOLED: 'postgresql://u:p@ep-x.us-east-2.aws.neon.tech/db?sslmode=require',
  POSTGRES_URL:
    'postgresql://u:p@ep-x-pooler.us-east-2.aws.neon.tech/db?channel_binding=require&sslmode=require',
  POSTGRES_URL_NON_POOLING: 'postgresql://u:p@ep-x.us-east-2.aws.neon.tech/db?sslmode=require',
};
const SUPABASE = {
  POSTGRES_URL:
    'postgres://u.x:p@aws-0-eu-central-1.pooler.supabase.com:6543/postgres?sslmode=require&supa=base-pooler.x',
  POSTGRES_URL_NON_POOLING:
    'postgres://u.x:p@aws-0-eu-central-1.pooler.supabase.com:5432/postgres?sslmode=require',
};
const VERCEL = { VERCEL: '1', VERCEL_ENV: 'production', VERCEL_PROJECT_PRODUCTION_URL: 'login.example' };

const read = (env: Record<string, string>) => parseSettings(withVercel(env));

afterEach(() => vi.unstubAllEnvs());

test('environment() contains the fallback variables of Vercel, for example for the command line', () => {
  vi.stubEnv('DATABASE_URL', undefined);
  vi.stubEnv('POSTGRES_URL', SUPABASE.POSTGRES_URL);
  expect(environment()['DATABASE_URL']).toBe(SUPABASE.POSTGRES_URL);
});

test('docs/reference/settings.md lists each fallback variable, and each value that Vercel changes', () => {
  const rows = new Map(settingRows().map(([name, { unset }]) => [name, unset]));
  for (const [name, others] of Object.entries(FALLBACKS))
    for (const other of others) expect(rows.get(name)).toContain(`\`${other}\``);
  for (const [name, value] of Object.entries(OF_FUNCTIONS))
    expect(rows.get(name)).toMatch(new RegExp(`\`${value}\` on Vercel`));
});

test.each([
  ['Neon', NEON, NEON.DATABASE_URL, NEON.DATABASE_URL_UNPOOLED],
  ['Supabase', SUPABASE, SUPABASE.POSTGRES_URL, SUPABASE.POSTGRES_URL_NON_POOLING],
])('the variables of %s set database URL and direct URL', (_, env, databaseUrl, directUrl) => {
  expect(read({ GATEHOUSE_SECRET, ...env })).toMatchObject({ databaseUrl, directUrl });
});

test('an explicit setting overrides the fallback variables, including the direct URL', () => {
  const own = 'postgresql://u:p@db.example/own';
  expect(read({ GATEHOUSE_SECRET, ...SUPABASE, DATABASE_URL: own })).toMatchObject({
    databaseUrl: own,
    directUrl: own,
  });
  const direct = 'postgresql://u:p@direct.example/own';
  expect(read({ GATEHOUSE_SECRET, ...NEON, DIRECT_URL: direct }).directUrl).toBe(direct);
});

test('a production deployment uses the project address and the defaults for functions', () => {
  const settings = read({ GATEHOUSE_SECRET, ...NEON, ...VERCEL });
  expect(settings).toMatchObject({ baseUrl: 'https://login.example', trustProxy: 1, lasting: false });
  expect(settings.databasePoolMax).toBe(3);
  const own = { BASE_URL: 'https://auth.example', TRUST_PROXY: '2', DATABASE_POOL_MAX: '5' };
  expect(read({ GATEHOUSE_SECRET, ...NEON, ...VERCEL, ...own })).toMatchObject({
    baseUrl: 'https://auth.example',
    trustProxy: 2,
  });
});

test('the settings page shows the values of the fallback variables', () => {
  const shown = shownSettings(withVercel({ GATEHOUSE_SECRET, ...SUPABASE, ...VERCEL }));
  expect(shown.find(({ name }) => name === 'DATABASE_URL')).toMatchObject({
    value: 'postgres://aws-0-eu-central-1.pooler.supabase.com:6543',
  });
  expect(shown.find(({ name }) => name === 'BASE_URL')?.value).toBe('https://login.example');
});

describe('a preview deployment', () => {
  const preview = { GATEHOUSE_SECRET, ...NEON, ...VERCEL, VERCEL_ENV: 'preview' };
  test.each([
    ['without an address of its own', {}, /^BASE_URL is missing in a preview.*GATEHOUSE_SECRET/],
    ['with that of production', { BASE_URL: 'https://login.example/' }, /^BASE_URL is that of production/],
  ])('a preview deployment %s is rejected', (_, env, message) => {
    expect(() => read({ ...preview, ...env })).toThrow(SettingsError);
    expect(() => read({ ...preview, ...env })).toThrow(message);
  });
  test('a preview deployment with its own address starts', () => {
    const BASE_URL = 'https://preview.example';
    expect(read({ ...preview, BASE_URL }).baseUrl).toBe(BASE_URL);
  });
});
