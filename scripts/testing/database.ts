// A real PostgreSQL for the tests: started once on a port of its own in a temporary folder, migrated once as a template.
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { ensureEmbeddedDatabase, migrate } from '../../lib/store/index.ts';

export default async function setup(project: { provide: (key: never, value: never) => void }) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'gatehouse-test-'));
  const { databaseUrl, stop } = await ensureEmbeddedDatabase(folder);
  const admin = new pg.Client({ connectionString: databaseUrl });
  await admin.connect();
  await admin.query('create database template_gatehouse');
  await migrate(databaseUrl.replace(/\/gatehouse$/, '/template_gatehouse'));
  await admin.end();
  project.provide('databaseUrl' as never, databaseUrl as never);
  return async () => {
    await stop();
    await rm(folder, { recursive: true, force: true });
  };
}
