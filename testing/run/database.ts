// Vitest's global setup: starts one PostgreSQL for the run in a temporary folder, with a migrated template database
// that tests clone.
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { ensureEmbeddedDatabase } from '#lib/embedded-database/embedded.ts';
import { migrate } from '#lib/store/migrate.ts';
import { waitForNoDisk, withClient } from '../data/sql.ts';

declare module 'vitest' {
  interface ProvidedContext {
    databaseUrl: string;
  }
}

export default async function setup(project: TestProject) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'gatehouse-test-'));
  const { databaseUrl, stop } = await ensureEmbeddedDatabase(folder);
  await waitForNoDisk(databaseUrl);
  await withClient(databaseUrl, (admin) => admin.query('create database template_gatehouse'));
  await migrate(databaseUrl.replace(/\/gatehouse$/, '/template_gatehouse'));
  project.provide('databaseUrl', databaseUrl);
  return async () => {
    await stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  };
}
