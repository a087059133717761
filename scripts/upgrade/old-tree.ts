// A released version, as an operator installs it: files from git, packages and build, in a folder of .data/ that
// later runs reuse.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { commitOf, type Release } from './releases.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** Throws an error with instructions for clones lacking history or tags. */
export function requireCommit(release: Release): string {
  const commit = commitOf(release);
  if (commit) return commit;
  throw new Error(
    `this clone has neither the tag v${release.version} nor the commit ${release.commit}: git fetch --tags --unshallow`,
  );
}

/** Returns the folder of the released version, which is built on first use. */
export function releasedTree(release: Release, say: (line: string) => void): string {
  const commit = requireCommit(release);
  const tree = path.join(root, '.data', 'upgrade', `${release.version}-${commit.slice(0, 8)}`);
  const marker = path.join(tree, '.built');
  if (existsSync(marker)) {
    say(`version ${release.version} is built already: ${path.relative(root, tree)}`);
    return tree;
  }
  rmSync(tree, { recursive: true, force: true });
  mkdirSync(tree, { recursive: true });
  const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 1 << 30 });
  execFileSync('tar', ['-x', '-C', tree], { input: archive });
  const shared = packagesOf(tree) === packagesOf(root);
  say(`building version ${release.version} (${shared ? 'packages shared' : 'npm ci'}) …`);
  if (shared) copyPackages(tree);
  else run(tree, 'npm', ['ci', '--no-audit', '--no-fund']);
  run(tree, process.execPath, ['scripts/prisma.mjs', 'generate']);
  run(tree, path.join(tree, 'node_modules', '.bin', 'next'), ['build']);
  writeFileSync(marker, commit);
  return tree;
}

/** Returns the packages of a lock file, without the product's version. */
function packagesOf(tree: string): string {
  const lock = JSON.parse(readFileSync(path.join(tree, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, object>;
  };
  return JSON.stringify({ ...lock.packages, '': { ...lock.packages[''], version: '' } });
}

/**
 * Copies packages by hard links, which take no space. On a file system without hard links, copies the files.
 */
function copyPackages(tree: string): void {
  const from = path.join(root, 'node_modules');
  const to = path.join(tree, 'node_modules');
  try {
    execFileSync('cp', ['-al', from, to], { stdio: 'ignore' });
  } catch {
    rmSync(to, { recursive: true, force: true });
    execFileSync('cp', ['-R', from, to]);
  }
}

function run(cwd: string, program: string, args: string[]): void {
  const { GATEHOUSE_DIST_DIR: _, ...env } = process.env;
  try {
    execFileSync(program, args, {
      cwd,
      env: { ...env, NEXT_TELEMETRY_DISABLED: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 1 << 28,
    });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: Buffer; stderr?: Buffer };
    throw new Error(
      `${path.basename(program)} ${args.join(' ')} failed in ${cwd}:\n${`${stdout}${stderr}`.slice(-2_000)}`,
    );
  }
}
