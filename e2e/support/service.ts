// Processes of the service that tests start and stop.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, openSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { freePort } from '#testing/free-port.ts';
import { ensureEmbeddedDatabase } from '../../lib/store/index.ts';

/** `env`: what it was started with, for another process beside it. */
export type OwnService = {
  url: string;
  folder: string;
  env: NodeJS.ProcessEnv;
  stop: () => Promise<void>;
};

/** A service with the fixtures on a database of its own, for tests that break one or set it up in another way. */
export async function startOwnService(settings: Record<string, string> = {}): Promise<OwnService> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-own-'));
  const database = await ensureEmbeddedDatabase(folder);
  const port = await freePort();
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    DATABASE_URL: database.databaseUrl,
    GATEHOUSE_SECRET: randomBytes(32).toString('base64url'),
    GATEHOUSE_DATA_DIR: folder,
    NODE_ENV: 'production',
    DRAIN_SECONDS: '0',
    PORT: String(port),
    BASE_URL: `http://localhost:${port}`,
    ...settings,
  };
  for (const verb of [['migrate'], ['apply', 'e2e/support/fixtures.yaml']])
    execFileSync('node_modules/.bin/node', ['cli/main.ts', ...verb], { env, stdio: 'ignore' });
  const server = launch('node_modules/.bin/node', ['server.ts'], env, path.join(folder, 'node.log'));
  await ready(port);
  return {
    url: `http://localhost:${port}`,
    folder,
    env,
    stop: async () => {
      await stop(server);
      await database.stop();
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

export function launch(
  program: string,
  args: string[],
  env: NodeJS.ProcessEnv,
  logFile: string,
): ChildProcess {
  const log = openSync(logFile, 'a');
  return spawn(program, args, { env, stdio: ['ignore', log, log] });
}

export async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return;
  const gone = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGTERM');
  const timer = setTimeout(() => server.kill('SIGKILL'), 12_000);
  await gone;
  clearTimeout(timer);
}

export async function ready(port: number): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline) {
    const ok = await fetch(`http://localhost:${port}/ready`).then(
      (response) => response.ok,
      () => false,
    );
    if (ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`the service on port ${port} did not become ready`);
}
