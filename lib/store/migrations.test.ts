// Migrations run while the version before serves: one that touches an existing table asks for its lock only for a
// moment and tries again, so that requests do not queue behind it (migrate.ts).
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
  expect(waitsLong(`CREATE UNLOGGED TABLE "clients" ("b" TEXT);\n${touching}`)).toBe(false);
});

/** The statements of a file, without comments. */
const statementsIn = (sql: string) => sql.replaceAll(/^\s*--.*\n/gm, '').trim();

it('a function in an unreleased migration has the text of prisma/functions', async () => {
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

it('a migration after the first version only expands, or names the released version that does without what it takes', async () => {
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
])('what %s takes from the version before', (sql, taken) => expect(contractsIn(sql)).toEqual(taken));

it('a unique index over a column of the same upgrade takes nothing: the version before leaves it empty', () => {
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

it('from 0.2.0 to this version nothing has to be stopped: doctor warns of no migration', async () => {
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

it('no time is set by the clock of the host that Prisma’s client runs on', () => {
  expect(readFileSync('prisma/schema.prisma', 'utf8')).not.toMatch(/@updatedAt|@default\(now\(\)\)/);
});
