// Migrations run while the version before serves: one that touches an existing table asks for its lock only for a
// moment and tries again, so that requests do not queue behind it (migrate.ts).
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readMigrations } from './migrate.ts';

const TOUCHED = /\b(?:ALTER TABLE|REFERENCES|DROP INDEX|ON) "(\w+)"/g;

function waitsLong(sql: string): boolean {
  if (/CONCURRENTLY/.test(sql) || /^SET LOCAL lock_timeout = '200ms';$/m.test(sql)) return false;
  const own = new Set([...sql.matchAll(/CREATE TABLE "(\w+)"/g)].map(([, table]) => table));
  return [...sql.matchAll(TOUCHED)].some(([, table]) => !own.has(table));
}

it('a migration that touches a table from before waits for its lock no longer than a request does', async () => {
  const migrations = await readMigrations('prisma/migrations');
  expect(migrations.filter(({ sql }) => waitsLong(sql)).map(({ name }) => name)).toEqual([]);
});

it('a migration that would wait longer is found', () => {
  const touching = 'ALTER TABLE "clients" ADD COLUMN "a" TEXT;';
  expect(waitsLong(touching)).toBe(true);
  expect(waitsLong(`CREATE TABLE "t" ("a" TEXT);\nCREATE INDEX "i" ON "clients"("a");`)).toBe(true);
  expect(waitsLong(`SET LOCAL lock_timeout = '200ms';\n${touching}`)).toBe(false);
  expect(waitsLong(`CREATE TABLE "clients" ("b" TEXT);\n${touching}`)).toBe(false);
});

it('no time is set by the clock of the host that Prisma’s client runs on', () => {
  expect(readFileSync('prisma/schema.prisma', 'utf8')).not.toMatch(/@updatedAt|@default\(now\(\)\)/);
});
