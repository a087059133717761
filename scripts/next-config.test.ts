import { PHASE_PRODUCTION_BUILD, PHASE_PRODUCTION_SERVER } from 'next/constants.js';
import { afterEach, expect, test, vi } from 'vitest';
import { giveNext } from '#lib/settings/environment.ts';

type Config = (phase: string) => object;
const file = new URL('../next.config.mjs', import.meta.url).href;
const { default: config } = (await import(file)) as { default: Config };

afterEach(() => {
  vi.unstubAllEnvs();
});

test('next.config.mjs: a build has no experimental settings, and a start does not preload pages', () => {
  expect(config(PHASE_PRODUCTION_BUILD)).not.toHaveProperty('experimental');
  expect(config(PHASE_PRODUCTION_SERVER)).toEqual({
    ...config(PHASE_PRODUCTION_BUILD),
    experimental: { preloadEntriesOnStart: false },
  });
});

test('giveNext: a start with a built configuration does not preload pages', () => {
  vi.stubEnv('__NEXT_PRIVATE_STANDALONE_CONFIG', '');
  giveNext({ distDir: '.next', experimental: { taint: false } } as object);
  expect(JSON.parse(process.env['__NEXT_PRIVATE_STANDALONE_CONFIG'] ?? '')).toEqual({
    distDir: '.next',
    experimental: { taint: false, preloadEntriesOnStart: false },
  });
});
