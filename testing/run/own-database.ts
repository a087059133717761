// Vitest setup of each test file: a database cloned from the migrated template, plus a data folder; environment
// variables contain both.
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, inject } from 'vitest';
import { settleBackground } from '#lib/kit/process.ts';
import { closePool } from '#lib/store/pool.ts';
import { withClient } from '../data/sql.ts';

const server = inject('databaseUrl');
const name = `test_${randomBytes(6).toString('hex')}`;
await withClient(server, async (admin) => {
  // a lock allows one clone at a time, because PostgreSQL copies only templates without connections
  await admin.query('select pg_advisory_lock(42)');
  // files are copied: blocks through the write-ahead log cost twice as much
  await admin.query(`create database ${name} template template_gatehouse strategy file_copy`);
});

process.env['DATABASE_URL'] = server.replace(/\/gatehouse$/, `/${name}`);
process.env['GATEHOUSE_SECRET'] = randomBytes(32).toString('base64url');
// mails of the tests are written to this folder, and not to the data folder of a running service
const folder = path.join(os.tmpdir(), `gatehouse-${name}`);
process.env['GATEHOUSE_DATA_DIR'] = folder;
process.env['LOG_LEVEL'] = 'silent';

afterAll(async () => {
  // waits, because background work of this file would otherwise write into the next file's database
  await settleBackground(10_000);
  await closePool();
  // late mails may still arrive
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
});
