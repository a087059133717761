// `npm ci` installs the packages of the lock file, each with a digest. The lock file has no digest for a few
// binaries, because the build's registry lacks these untested platforms. npm checks only the version of these
// binaries.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';

type Locked = {
  version?: string;
  integrity?: string;
  link?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  resolved?: string;
};

const root = path.resolve(import.meta.dirname, '..');
const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Locked>;
};
const packages = Object.entries(lock.packages).filter(([at, { link }]) => at !== '' && !link);

/**
 * Name and version of each package without a digest. A new version must be added to this list, or the lock file must
 * contain its digest.
 */
const WITHOUT_DIGEST = [
  '@biomejs/cli-android-arm64@2.6.8',
  '@biomejs/cli-android-x64@2.6.8',
  '@biomejs/cli-darwin-arm64@2.6.8',
  '@biomejs/cli-darwin-x64@2.6.8',
  '@biomejs/cli-linux-arm64-musl@2.6.8',
  '@biomejs/cli-linux-x64-musl@2.6.8',
  '@biomejs/cli-win32-arm64@2.6.8',
  '@biomejs/cli-win32-x64@2.6.8',
  '@next/swc-darwin-arm64@16.4.6',
  '@next/swc-darwin-x64@16.4.6',
  '@next/swc-win32-arm64-msvc@16.4.6',
  '@next/swc-win32-x64-msvc@16.4.6',
  '@oxc-parser/binding-android-arm-eabi@0.156.0',
  '@oxc-parser/binding-android-arm64@0.156.0',
  '@oxc-parser/binding-darwin-arm64@0.156.0',
  '@oxc-parser/binding-darwin-x64@0.156.0',
  '@oxc-parser/binding-freebsd-x64@0.156.0',
  '@oxc-parser/binding-linux-arm-gnueabihf@0.156.0',
  '@oxc-parser/binding-linux-arm-musleabihf@0.156.0',
  '@oxc-parser/binding-linux-ppc64-gnu@0.156.0',
  '@oxc-parser/binding-linux-riscv64-gnu@0.156.0',
  '@oxc-parser/binding-linux-riscv64-musl@0.156.0',
  '@oxc-parser/binding-linux-s390x-gnu@0.156.0',
  '@oxc-parser/binding-openharmony-arm64@0.156.0',
  '@oxc-parser/binding-win32-arm64-msvc@0.156.0',
  '@oxc-parser/binding-win32-ia32-msvc@0.156.0',
  '@oxc-parser/binding-win32-x64-msvc@0.156.0',
];

it('every locked package has a digest, except binaries for untested systems', () => {
  const without = packages.filter(([, { integrity }]) => !integrity);
  const names = without.map(([at, { version }]) => `${at.replace('node_modules/', '')}@${version}`);
  expect(names.filter((name) => !WITHOUT_DIGEST.includes(name))).toEqual([]);
  for (const [at, { optional, os, cpu, libc }] of without) {
    const tested =
      os?.includes('linux') && /^(?:x64|arm64)$/.test(cpu?.join() ?? '') && !libc?.includes('musl');
    expect({ at, optional, bound: Boolean(os && cpu), tested: tested === true }).toEqual({
      at,
      optional: true,
      bound: true,
      tested: false,
    });
  }
});

it('every digest is SHA-512 and every package comes from the npm registry', () => {
  const weak = packages.filter(([, { integrity }]) => integrity && !/^sha512-[\w+/]{86}==/.test(integrity));
  expect(weak.map(([at]) => at)).toEqual([]);
  const foreign = packages.filter(
    ([, { resolved }]) => resolved && !resolved.startsWith('https://registry.npmjs.org/'),
  );
  expect(foreign.map(([at]) => at)).toEqual([]);
});

it('npm ci accepts the lock file, including binaries without a digest', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-ci-'));
  try {
    for (const file of ['package.json', 'package-lock.json'])
      copyFileSync(path.join(root, file), path.join(folder, file));
    // a dry run without network, in which npm reports packages that the lock file lacks
    const args = ['ci', '--dry-run', '--offline', '--ignore-scripts', '--no-audit', '--no-fund'];
    // `npm run --silent` sets the log level for every npm process that it starts
    args.push('--loglevel', 'notice');
    const npm = spawnSync('npm', [...args, '--cache', path.join(folder, 'cache')], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect({ status: npm.status, stderr: npm.status === 0 ? '' : npm.stderr }).toEqual({
      status: 0,
      stderr: '',
    });
    expect(npm.stdout).toMatch(/added \d{3} packages/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
