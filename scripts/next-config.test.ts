import { PHASE_PRODUCTION_BUILD, PHASE_PRODUCTION_SERVER } from 'next/constants.js';
import { afterEach, expect, test, vi } from 'vitest';
import { giveNext } from '#lib/settings/environment.ts';

const core = vi.hoisted(() => ({ isCurrent: true }));
vi.mock(import('./core-sources.mjs'), async (original) => ({
  ...(await original()),
  isCoreCurrent: () => core.isCurrent,
}));

type Config = (phase: string) => object;
const file = new URL('../next.config.mjs', import.meta.url).href;
const { default: config } = (await import(file)) as { default: Config };

afterEach(() => {
  core.isCurrent = true;
  vi.unstubAllEnvs();
});

test('next.config.mjs: a build has no experimental settings, and a start does not preload pages', () => {
  expect(config(PHASE_PRODUCTION_BUILD)).not.toHaveProperty('experimental');
  expect(config(PHASE_PRODUCTION_SERVER)).toEqual({
    ...config(PHASE_PRODUCTION_BUILD),
    experimental: { preloadEntriesOnStart: false },
  });
});

test('next.config.mjs: a start with an outdated core fails, and a build does not', () => {
  core.isCurrent = false;
  expect(() => config(PHASE_PRODUCTION_SERVER)).toThrow('run `npm run build` first');
  expect(() => config(PHASE_PRODUCTION_BUILD)).not.toThrow();
});

test('giveNext: a start with a built configuration does not preload pages', () => {
  vi.stubEnv('__NEXT_PRIVATE_STANDALONE_CONFIG', '');
  giveNext({ distDir: '.next', experimental: { taint: false } } as object);
  expect(JSON.parse(process.env['__NEXT_PRIVATE_STANDALONE_CONFIG'] ?? '')).toEqual({
    distDir: '.next',
    experimental: { taint: false, preloadEntriesOnStart: false },
  });
});
