// Service like an operator's installation, using a temporary PostgreSQL.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ensureEmbeddedDatabase } from '#lib/embedded-database/embedded.ts';
import { FIXTURES } from '../data/fixtures.ts';
import { waitForNoDisk } from '../data/sql.ts';
import type { Door } from '../net/door.ts';
import { freePort } from '../net/free-port.ts';
import { isOk, Program } from '../net/program.ts';

/** A database for services. `env`: settings of the services. `folder`: folder of their data, mails and logs. */
export type OwnDatabase = {
  databaseUrl: string;
  folder: string;
  env: NodeJS.ProcessEnv;
  stop: () => Promise<void>;
};

/** Starts a database. `keep`: its folder is not deleted. */
export async function startOwnDatabase(
  settings: Record<string, string> = {},
  { keep = false } = {},
): Promise<OwnDatabase> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-own-'));
  const { databaseUrl, stop } = await ensureEmbeddedDatabase(folder);
  await waitForNoDisk(databaseUrl);
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    DATABASE_URL: databaseUrl,
    GATEHOUSE_SECRET: randomBytes(32).toString('base64url'),
    GATEHOUSE_DATA_DIR: folder,
    NODE_ENV: 'production',
    DRAIN_SECONDS: '0',
    // only e2e/protocol/operations/workers.spec.ts tests several workers, because each takes time to start
    GATEHOUSE_WORKERS: '1',
    // deleted, because the test process may contain the URL of the shared service
    BASE_URL: undefined,
    ...settings,
  };
  return {
    databaseUrl,
    folder,
    env,
    stop: async () => {
      await stop();
      // late files may still arrive
      if (!keep) rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

const BIN = path.resolve(import.meta.dirname, '../../node_modules/.bin');

/** Runs the command line. */
export function gatehouse(env: NodeJS.ProcessEnv, ...args: string[]): void {
  execFileSync(`${BIN}/node`, ['cli/main.ts', ...args], { env, stdio: ['ignore', 'ignore', 'inherit'] });
}

export function applyFixtures(env: NodeJS.ProcessEnv): void {
  gatehouse(env, 'migrate');
  gatehouse(env, 'apply', FIXTURES);
}

/**
 * Starts a server and resolves when it is ready. `flags`: options for the command of Next, or the folder of Vercel's
 * functions.
 */
export async function startDoor(
  door: 'node' | 'next' | 'functions',
  port: number,
  { env, folder }: Pick<OwnDatabase, 'env' | 'folder'>,
  flags: string[] = [],
): Promise<Program> {
  const command = {
    node: [`${BIN}/node`, 'server.ts'],
    next: [`${BIN}/next`, 'start', '-p', String(port), ...flags],
    functions: [`${BIN}/node`, 'testing/vercel/serve.ts', ...flags, String(port)],
  }[door];
  return new Program({
    command,
    env: { ...env, PORT: String(port) },
    log: path.join(folder, `${door}.log`),
    answers: () => isOk(`http://localhost:${port}/ready`),
  }).start();
}

export type OwnService = OwnDatabase & Door & { server: Program };

/** Starts a service with fixtures, for tests that stop or damage a service, or change its settings. */
export async function startOwnService(settings: Record<string, string> = {}): Promise<OwnService> {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const own = await startOwnDatabase({ BASE_URL: url, ...settings });
  applyFixtures(own.env);
  const server = await startDoor('node', port, own);
  return {
    ...own,
    url,
    server,
    stop: async () => {
      await server.stop();
      await own.stop();
    },
  };
}
