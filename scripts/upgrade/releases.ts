// The record of releases: prisma/releases.json, the newest version last. It contains the commit because a clone may
// lack the tags, and the digests of the migrations because databases of operators have run them.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
const RECORD = path.join(root, 'prisma', 'releases.json');

/** A release. `commit` is null until the commit after the release, because a commit cannot contain its own name. */
export type Release = { version: string; commit: string | null; migrations: Record<string, string> };

export function readReleases(file = RECORD): Release[] {
  return JSON.parse(readFileSync(file, 'utf8')) as Release[];
}

function git(...args: string[]): string | null {
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return null;
  }
}

/**
 * Returns the commit of a release: that of its tag, otherwise the recorded commit. `null`: neither exists in
 * this clone.
 */
export function commitOf({ version, commit }: Release): string | null {
  for (const name of [`refs/tags/v${version}`, commit]) {
    const found = name && git('rev-parse', '--verify', '--quiet', `${name}^{commit}`)?.trim();
    if (found) return found;
  }
  return null;
}

/** Returns the content of a file at a commit. */
export const fileOf = (commit: string, file: string): string => git('show', `${commit}:${file}`) ?? '';

/** Returns the guides at a commit. */
export function documentsOf(commit: string): string[] {
  const files = git('ls-tree', '-r', '--name-only', commit, 'docs/') ?? '';
  return files.split('\n').filter((file) => file.endsWith('.md'));
}

/** Returns the path of a guide at a commit. In version 0.2.0, docs/ has no subfolders. */
export const documentAt = (commit: string, name: string): string =>
  documentsOf(commit).find((file) => file.endsWith(`/${name}`)) ?? `docs/${name}`;

/** Returns the names of the migrations at a commit. */
export function migrationsOf(commit: string): string[] {
  const files = git('ls-tree', '-r', '--name-only', commit, 'prisma/migrations/') ?? '';
  const names = files
    .split('\n')
    .map((file) => /^prisma\/migrations\/([^/]+)\/migration\.sql$/.exec(file)?.[1]);
  return names.filter((name) => name !== undefined).toSorted();
}
