// A database that a newer version has migrated: may this version serve on it? The migrator records with each migration
// the oldest version that can live with it (`logs` of `_prisma_migrations`, which Prisma leaves empty), so that the
// version before can go on, start again, and be gone back to. Two versions back is refused.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { minorOf, VERSION } from '#lib/kit/version.ts';
import { query } from '../database/pool.ts';

type Release = { version: string; migrations: Record<string, string> };
export type AppliedMigration = { name: string; checksum: string; logs: string | null };

/** Gives AppliedMigration. */
export const APPLIED = `select migration_name as name, checksum, logs from _prisma_migrations
  where finished_at is not null and rolled_back_at is null`;

const WORKS_WITH = /^works with (\d+\.\d+) and later$/;
const isAtMost = (one: string, other: string) => one.localeCompare(other, 'en', { numeric: true }) <= 0;

/** What to record with a migration: it works with the version that was released before the first one that has it. */
export async function migrationRecorder(folder: string): Promise<(name: string) => string | null> {
  const file = path.join(folder, 'releases.json');
  const releases = existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as Release[]) : [];
  return (name) => {
    const first = releases.findIndex(({ migrations }) => Object.hasOwn(migrations, name));
    if (first === 0) return null;
    const before = releases.at(first === -1 ? -1 : first - 1)?.version ?? VERSION;
    return `works with ${minorOf(before)} and later`;
  };
}

/** The migrations of a database that this version does not know, and whether it can live with each of them. */
export function newerMigrations(
  known: readonly string[],
  applied: readonly AppliedMigration[],
): { names: string[]; fits: boolean } {
  const names = new Set(known);
  const newer = applied.filter(({ name }) => !names.has(name));
  const done = new Set(applied.map(({ name }) => name));
  const fits =
    known.every((name) => done.has(name)) &&
    newer.every(({ name, logs }) => {
      const oldest = WORKS_WITH.exec(logs ?? '')?.[1];
      return name > (known.at(-1) ?? '') && oldest !== undefined && isAtMost(oldest, minorOf(VERSION));
    });
  return { names: newer.map(({ name }) => name).toSorted(), fits };
}

/** The same of the service's own database. */
export const newerSchema = async (known: readonly string[]): Promise<ReturnType<typeof newerMigrations>> =>
  newerMigrations(known, await query<AppliedMigration>({ text: APPLIED }));

/** The names of those that were changed after they had been applied. */
export function changedMigrations(
  migrations: readonly Pick<AppliedMigration, 'name' | 'checksum'>[],
  applied: readonly AppliedMigration[],
): string[] {
  const checksums = new Map(applied.map(({ name, checksum }) => [name, checksum]));
  return migrations
    .filter(({ name, checksum }) => (checksums.get(name) ?? checksum) !== checksum)
    .map(({ name }) => name);
}
