// Migrations run while the previous version serves requests. A migration of an existing table waits only briefly for
// its lock and retries, so that requests do not queue behind it (migrate.ts).
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readReleases } from '../../scripts/upgrade/releases.ts';
import { addedColumns, contractsIn, contractsSince, readFunctions, readMigrations } from './migrate.ts';

const TOUCHED = /\b(?:ALTER TABLE|REFERENCES|DROP INDEX|ON) "(\w+)"/g;

function waitsLong(sql: string): boolean {
  if (/CONCURRENTLY/.test(sql) || /^SET LOCAL lock_timeout = '200ms';$/m.test(sql)) return false;
  const own = new Set([...sql.matchAll(/CREATE (?:UNLOGGED )?TABLE "(\w+)"/g)].map(([, table]) => table));
  return [...sql.matchAll(TOUCHED)].some(([, table]) => !own.has(table));
}

it('every migration on an existing table sets a short lock timeout', async () => {
  const migrations = await readMigrations('prisma/migrations');
  expect(migrations.filter(({ sql }) => waitsLong(sql)).map(({ name }) => name)).toEqual([]);
});

it('the check finds a migration with a long lock wait', () => {
  const touching = 'ALTER TABLE "clients" ADD COLUMN "a" TEXT;';
  expect(waitsLong(touching)).toBe(true);
  expect(waitsLong(`CREATE TABLE "t" ("a" TEXT);\nCREATE INDEX "i" ON "clients"("a");`)).toBe(true);
  expect(waitsLong(`SET LOCAL lock_timeout = '200ms';\n${touching}`)).toBe(false);
  expect(waitsLong(`CREATE TABLE "clients" ("b" TEXT);\n${touching}`)).toBe(false);
  expect(waitsLong(`CREATE UNLOGGED TABLE "clients" ("b" TEXT);\n${touching}`)).toBe(false);
});

/** Returns the statements of an SQL file without its comments. */
const statementsIn = (sql: string) => sql.replaceAll(/^\s*--.*\n/gm, '').trim();

it('functions in unreleased migrations equal the text of prisma/functions', async () => {
  const released = new Set(readReleases().flatMap(({ migrations }) => Object.keys(migrations)));
  const functions = await readFunctions('prisma/functions');
  const unreleased = (await readMigrations('prisma/migrations')).filter(({ name }) => !released.has(name));
  const texts = unreleased.flatMap(({ name: migration, sql }) =>
    functions
      .filter(
        ({ name }) => sql.includes(`FUNCTION "${name}"(`) && /CREATE (?:OR REPLACE )?FUNCTION/.test(sql),
      )
      .map(({ name, sql: text }) => ({
        function: `${name} in ${migration}`,
        isSame: statementsIn(sql).includes(statementsIn(text)),
      })),
  );
  expect(texts.filter(({ isSame }) => !isSame)).toEqual([]);
});

it('each migration after the first version only adds objects, or names the released version that no longer uses the removed objects', async () => {
  const [first, ...later] = readReleases();
  const newest = later.at(-1) ?? first;
  const migrations = await readMigrations('prisma/migrations');
  const early = migrations.filter(({ name, sql }) => {
    if (Object.hasOwn(first?.migrations ?? {}, name) || contractsIn(sql).length === 0) return false;
    const since = contractsSince(sql);
    return since === null || since.localeCompare(newest?.version ?? '', 'en', { numeric: true }) > 0;
  });
  expect(early.map(({ name }) => name)).toEqual([]);
});

it.each([
  ['ALTER TABLE "apis" ADD COLUMN "a" TEXT;', []],
  [`ALTER TABLE "apis" ADD COLUMN "a" TEXT NOT NULL DEFAULT 'x', ADD COLUMN "b" TEXT;`, []],
  [
    'ALTER TABLE "apis" ADD COLUMN "a" TEXT, ADD COLUMN "b" INTEGER NOT NULL;',
    ['adds a required column to apis'],
  ],
  ['CREATE TABLE "t" ("a" TEXT NOT NULL); CREATE UNIQUE INDEX "i" ON "t"("a");', []],
  ['CREATE INDEX CONCURRENTLY "i" ON "apis"("name");', []],
  ['CREATE UNIQUE INDEX "i" ON "apis"("name");', ['makes unique in apis']],
  ['ALTER TABLE "apis" DROP COLUMN "a";', ['drops a column of apis']],
  ['ALTER TABLE "apis" ALTER COLUMN "a" SET NOT NULL;', ['requires a column of apis']],
  ['ALTER TABLE "apis" ALTER COLUMN "a" SET DATA TYPE BIGINT;', ['changes a type in apis']],
  ['ALTER TABLE "apis" RENAME COLUMN "a" TO "b";', ['renames in apis']],
  ['-- DROP TABLE "apis"\nDROP TABLE "old";', ['drops the table old']],
  ['ALTER TABLE "apis" ADD CONSTRAINT "c" CHECK (a > 0);', ['constrains apis']],
])('the check of migrations reports what %s removes from the previous version', (sql, taken) =>
  expect(contractsIn(sql)).toEqual(taken),
);

it('a unique index over columns that this upgrade adds is allowed, because the previous version leaves them null', () => {
  const added = addedColumns([
    '-- ALTER TABLE "apis" ADD COLUMN "name" TEXT;\nALTER TABLE "people" ADD COLUMN     "subject" TEXT,\nADD COLUMN "more" TEXT;',
  ]);
  expect([...added]).toEqual(['people.subject', 'people.more']);
  const index = (column: string) =>
    `CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "k" ON "people"(${column});`;
  expect(contractsIn(index('"subject"'), added)).toEqual([]);
  expect(contractsIn(index('"more", lower("email")'), added)).toEqual([]);
  expect(contractsIn(index('"email"'), added)).toEqual(['makes unique in people']);
});

it('an upgrade from 0.2.0 requires no downtime: doctor warns about no migration', async () => {
  const [first] = readReleases();
  const later = (await readMigrations('prisma/migrations')).filter(
    ({ name }) => !Object.hasOwn(first?.migrations ?? {}, name),
  );
  const added = addedColumns(later.map(({ sql }) => sql));
  const warned = later.filter(
    ({ sql }) => contractsIn(sql, added).length > 0 && contractsSince(sql) === null,
  );
  expect(warned.map(({ name }) => name)).toEqual([]);
});

it('schema.prisma has no time defaults that use the client’s clock', () => {
  expect(readFileSync('prisma/schema.prisma', 'utf8')).not.toMatch(/@updatedAt|@default\(now\(\)\)/);
});
