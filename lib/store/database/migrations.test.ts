// Migrations run while the version before serves: one that touches a table that is there asks for its lock for a moment only and
// tries again, so that requests do not queue behind it (migrate.ts).
import { expect, it } from 'vitest';
import { readMigrations } from './migrate.ts';

/** From then on nobody waits. */
const SINCE = '20261122190000';
const TOUCHED = /\b(?:ALTER TABLE|REFERENCES|DROP INDEX|ON) "(\w+)"/g;

it('a migration that touches a table from before waits for its lock no longer than a request does', async () => {
  const migrations = (await readMigrations('prisma/migrations')).filter(({ name }) => name >= SINCE);
  expect(migrations.length).toBeGreaterThan(10);
  for (const { name, sql } of migrations.filter((one) => !/CONCURRENTLY/.test(one.sql))) {
    const own = new Set([...sql.matchAll(/CREATE TABLE "(\w+)"/g)].map(([, table]) => table));
    const before = [...sql.matchAll(TOUCHED)].filter(([, table]) => !own.has(table));
    if (before.length > 0) expect(sql, name).toMatch(/^SET LOCAL lock_timeout = '200ms';$/m);
  }
});
