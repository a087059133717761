// Provides each test with an empty database, and with a folder for migrations and SQL functions.
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { withClient } from './sql.ts';

export function givenScratchMigrations() {
  const server = process.env['DATABASE_URL'] as string;
  const scratch = {
    folder: '',
    url: '',
    ask: (text: string) => withClient(scratch.url, async (client) => (await client.query(text)).rows),
    /** Writes or replaces a migration. */
    file(name: string, sql: string): void {
      const place = path.join(scratch.folder, 'migrations', name);
      mkdirSync(place, { recursive: true });
      writeFileSync(path.join(place, 'migration.sql'), sql);
    },
  };
  beforeEach(async () => {
    scratch.folder = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-migrations-'));
    for (const name of ['migrations', 'functions']) mkdirSync(path.join(scratch.folder, name));
    const name = `scratch_${randomBytes(6).toString('hex')}`;
    scratch.url = server.replace(/\/[^/]+$/, `/${name}`);
    await withClient(server, (client) => client.query(`create database ${name} template template0`));
  });
  afterEach(() => rmSync(scratch.folder, { recursive: true }));
  return scratch;
}
