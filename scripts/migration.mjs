// Creates the next migration from prisma/schema.prisma for review; applies nothing. Compares with a temporary database
// built from all migrations, or with DATABASE_URL. Released migrations (prisma/releases.json) never change: each schema
// change is a new migration.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fail, root } from './running.mjs';
import { bin } from './steps.mjs';

const USAGE = `usage: npm run -s migration             print the SQL from the migrations to schema.prisma
       npm run -s migration -- NAME     write it as the next migration
       npm run -s migration -- --check  print it, exit 1 unless there is nothing to print

A released migration is never edited. The next one only adds what the version before can live with; what that version
still uses is taken away one minor version later.
`;
const prisma = path.join(root, 'prisma');
const folder = path.join(prisma, 'migrations');

/** Runs `work` with DATABASE_URL, or with a temporary database. */
async function withDatabase(work) {
  if (process.env.DATABASE_URL) return work(process.env.DATABASE_URL);
  const { ensureEmbeddedDatabase } = await import('#lib/embedded-database/embedded.ts');
  const { migrate } = await import('#lib/store/migrate.ts');
  const temporary = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-migration-'));
  try {
    const { databaseUrl, stop } = await ensureEmbeddedDatabase(temporary);
    try {
      await migrate(databaseUrl, prisma);
      return await work(databaseUrl);
    } finally {
      await stop();
    }
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** Writes the migration under a timestamp that is later than every existing migration. */
function write(name, sql) {
  const now = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
  const stamps = readdirSync(folder).flatMap((entry) => entry.match(/^\d{14}(?=_)/)?.[0] ?? []);
  const stamp = stamps.reduce((least, known) => (known >= least ? String(BigInt(known) + 1n) : least), now);
  const target = path.join(folder, `${stamp}_${name}`);
  mkdirSync(target);
  writeFileSync(path.join(target, 'migration.sql'), `${sql}\n`);
  process.stdout.write(`${path.relative(process.cwd(), target)}/migration.sql\n`);
}

async function main([argument, ...rest]) {
  const check = argument === '--check';
  const name = check ? undefined : argument;
  if (rest.length > 0 || !/^[a-z0-9_]*$/.test(name ?? '')) {
    process.stderr.write(USAGE);
    process.exit(2);
  }
  const { difference } = await import('./schema-engine.ts');
  const sql = await withDatabase((databaseUrl) => difference(databaseUrl));
  if (name && sql) return write(name, sql);
  if (sql || !check) process.stdout.write(sql ? `${sql}\n` : '-- nothing to change\n');
  if (check && sql) process.exit(1);
}

if (Number(process.versions.node.split('.')[0]) < 23) {
  // the system's Node may be too old to run TypeScript files
  const { status } = spawnSync(bin('node'), process.argv.slice(1), { stdio: 'inherit' });
  process.exit(status ?? 1);
}
main(process.argv.slice(2)).catch(fail);
