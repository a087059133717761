// The migrated database matches schema.prisma and has constraints that callers cannot violate.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { difference } from '../../scripts/schema-engine.ts';
import { query } from './pool.ts';

const databaseUrl = process.env['DATABASE_URL'] as string;

/**
 * Parts of the schema that Prisma cannot express, so that its engine would drop them. Each entry has the statement
 * that the engine proposes, and the reason for ignoring it. The engine ignores CHECKs and triggers, so they need no
 * entry.
 */
const EXCEPTIONS: Readonly<Record<string, string>> = {};

test('the migrations and schema.prisma describe the same schema', async () => {
  const statements = (await difference(databaseUrl))
    .split(/;\n|;$/)
    .map((statement) => statement.replace(/^--.*\n/gm, '').trim())
    .filter((statement) => statement !== '' && !(statement in EXCEPTIONS));
  expect(statements, 'npm run -s migration writes what is missing').toEqual([]);
});

test('the comparison detects a column, index or table that is missing from schema.prisma or from the database', async () => {
  const schema = readFileSync('prisma/schema.prisma', 'utf8')
    .replace('model RevokedToken {', 'model RevokedToken {\n  why String?\n  @@index([why])')
    .replace(/^model Attempt \{[^}]*\}/m, 'model Added {\n  id Int @id\n  @@map("added")\n}');
  const sql = await difference(databaseUrl, schema);
  expect(sql).toContain('ALTER TABLE "revoked_tokens" ADD COLUMN     "why" TEXT');
  expect(sql).toContain('CREATE INDEX "revoked_tokens_why_idx"');
  expect(sql).toContain('CREATE TABLE "added"');
  expect(sql).toContain('DROP TABLE "attempts"');
});

test('AR-05: a unique index without a condition allows only one row for each key', async () => {
  const indexes = await query<{ table: string; definition: string }>({
    text: `select tablename as table, indexdef as definition from pg_indexes where schemaname = 'public'`,
  });
  const unique = indexes.flatMap(({ table, definition }) => {
    // partial indexes enforce uniqueness for some rows only
    const columns = /^CREATE UNIQUE INDEX .* USING btree \(([^)]*)\)$/.exec(definition)?.[1];
    return columns === undefined ? [] : [`${table} (${columns})`];
  });
  expect(unique).toEqual(
    expect.arrayContaining([
      'codes (code_hash)',
      'codes (family_id)',
      'refresh_tokens (token_hash)',
      'opaque_tokens (token_hash)',
      'refresh_tokens (family_id, parent_hash)',
      'consents (person_id, client_id, api_id)',
      'people (email)',
    ]),
  );
});

test.each([
  [
    'auth_methods',
    "name = 'B'",
    "(id, type, name, updated_at) values ('touched', 'local', 'A', '2020-01-01')",
  ],
  ['people', "name = 'B'", "(name, updated_at) values ('A', '2020-01-01')"],
  ['people', 'password_changed_at = now()', "(name, updated_at) values ('A', '2020-01-01')"],
])('a change of %s (%s) updates updated_at, whatever statement makes it', async (table, change, row) => {
  const [before] = await query<{ ctid: string }>({ text: `insert into ${table} ${row} returning ctid` });
  const changed = await query({
    text: `update ${table} set ${change} where ctid = $1 returning updated_at = now() as now`,
    values: [before?.ctid],
  });
  expect(changed).toEqual([{ now: true }]);
});
