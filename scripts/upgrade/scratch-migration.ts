// Test migration for trees without a new migration: shows an expanding migration on tables under load, in a copy of
// prisma/.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const EXPANDS = `-- takes its time, as one on large tables does
SELECT pg_sleep(2);
SET LOCAL lock_timeout = '200ms';
ALTER TABLE "apis" ADD COLUMN "upgrade_test" TEXT;
ALTER TABLE "people" ADD COLUMN "upgrade_test" INTEGER NOT NULL DEFAULT 1;
ALTER TABLE "refresh_tokens" ADD COLUMN "upgrade_test" TEXT;
CREATE TABLE "upgrade_test" ("id" UUID PRIMARY KEY, "person_id" UUID NOT NULL REFERENCES "people"("id") ON DELETE CASCADE);
`;
const INDEX =
  'CREATE INDEX CONCURRENTLY IF NOT EXISTS "upgrade_test_idx" ON "refresh_tokens"("upgrade_test");\n';

/** Creates the copy of prisma/ with the migration, and returns its folder. */
export function withScratchMigration(prisma: string, folder: string): string {
  const copy = path.join(folder, 'prisma');
  cpSync(prisma, copy, { recursive: true });
  for (const [name, sql] of [
    ['99991231000000_expands', EXPANDS],
    ['99991231000001_index', INDEX],
  ] as const) {
    mkdirSync(path.join(copy, 'migrations', name));
    writeFileSync(path.join(copy, 'migrations', name, 'migration.sql'), sql);
  }
  return copy;
}
