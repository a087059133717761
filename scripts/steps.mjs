// Steps that quickstart, dev and test share. Runs on Node 20, before anything is installed.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fingerprint } from './core-sources.mjs';
import { environment, root, run, step } from './running.mjs';
import { refuseServed } from './served.mjs';

export const bin = (name) => path.join(root, 'node_modules', '.bin', name);

/** Installs the locked packages if they are missing or older than the lock file. */
export async function install() {
  const marker = path.join(root, 'node_modules', '.package-lock.json');
  const lock = path.join(root, 'package-lock.json');
  if (existsSync(marker) && statSync(marker).mtimeMs >= statSync(lock).mtimeMs && existsSync(bin('node')))
    return 'up to date';
  await run('npm', ['install', '--no-audit', '--no-fund']);
  return 'installed';
}

const SOURCES = [
  'app',
  'lib',
  'prisma',
  'public',
  'proxy.ts',
  'instrumentation.ts',
  'next.config.mjs',
  'scripts/core-loader.cjs',
  'package-lock.json',
];

/** Runs `work` unless it was done for exactly these sources. */
export async function onceFor(marker, names, work) {
  const wanted = fingerprint(root, names);
  if (existsSync(marker) && readFileSync(marker, 'utf8') === wanted) return 'up to date';
  await work();
  mkdirSync(path.dirname(marker), { recursive: true });
  writeFileSync(marker, wanted);
  return 'done';
}

export function generatePrisma() {
  const marker = path.join(root, 'lib', 'store', 'generated', '.fingerprint');
  return onceFor(marker, ['prisma/schema.prisma', 'package-lock.json'], () =>
    run('node', [path.join('scripts', 'prisma.mjs'), 'generate']),
  );
}

const PACKAGE_SOURCES = [
  'cli',
  'lib',
  'packages',
  'delivery/packages.ts',
  'package.json',
  'package-lock.json',
];

/** Builds the packages that the service serves (delivery/packages.ts). */
export function buildPackages() {
  const marker = path.join(root, 'node_modules', '.gatehouse-packages');
  if (!existsSync(path.join(root, 'public', 'packages', 'gatehouse-cli.tgz')))
    rmSync(marker, { force: true });
  return onceFor(marker, PACKAGE_SOURCES, () => run('node', [path.join('delivery', 'packages.ts')]));
}

/**
 * Runs `next build` with a separate output folder, so that test builds leave running services undisturbed.
 */
export async function build(distDir = '.next') {
  await buildPackages();
  await run('node', [path.join('delivery', 'core.ts')]);
  const marker = path.join(root, distDir, 'gatehouse-sources');
  return onceFor(marker, SOURCES, () => {
    refuseServed(distDir);
    return run(bin('next'), ['build'], { env: { ...environment, GATEHOUSE_DIST_DIR: distDir } });
  });
}

/** Prepares browser commands. Returns the environment for the browser program. */
export async function prepareToBrowse() {
  const dist = '.next-test';
  await step('packages', install);
  await step('database client', generatePrisma);
  const browser = await step('browser', findBrowser);
  await step('pages', () => build(dist));
  return {
    ...environment,
    GATEHOUSE_CHROMIUM: browser,
    GATEHOUSE_HEADLESS_SHELL: findHeadlessShell() || browser,
    GATEHOUSE_DIST_DIR: dist,
  };
}

/**
 * Finds a browser for the tests: Playwright's, the system's, the result of `playwright install`, or the package of
 * the Linux distribution.
 */
export async function findBrowser() {
  const { chromium } = await import('playwright');
  const candidates = () =>
    [
      process.env.GATEHOUSE_CHROMIUM,
      chromium.executablePath(),
      ...['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'].map(which),
    ].filter((file) => file && existsSync(file));
  if (candidates()[0]) return candidates()[0];
  await run(bin('playwright'), ['install', 'chromium'], { timeout: 120_000 }).catch(() => {});
  if (candidates()[0]) return candidates()[0];
  if (process.getuid?.() === 0 && which('apt-get')) {
    await run('apt-get', ['update', '-qq']).catch(() => {});
    await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium']).catch(() => {});
  }
  if (candidates()[0]) return candidates()[0];
  throw new Error('no browser found: install Chromium, or name one in GATEHOUSE_CHROMIUM');
}

/** Headless Chromium shell, sufficient for most tests. A configured browser replaces it in every test. */
export function findHeadlessShell() {
  const { GATEHOUSE_HEADLESS_SHELL: named, GATEHOUSE_CHROMIUM: browser } = process.env;
  return named || browser || which('chromium-headless-shell');
}

function which(name) {
  return spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim();
}
