// Runs Next without Gatehouse's server (`next dev` or `next start`). Prepares the database, its schema and the
// settings, as server.ts does.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { start } from '#lib/embedded-database/start.ts';
import { log } from '#lib/kit/log.ts';
import { ensureManagementApi } from '#lib/management/built-in.ts';
import { startWarnings } from '#lib/settings/start-warnings.ts';
import { migrate } from '#lib/store/migrate.ts';
import { closePool } from '#lib/store/pool.ts';

const verb = process.argv[2] === 'dev' ? 'dev' : 'start';
const { settings, stop } = await start();
await migrate(settings.directUrl);
await ensureManagementApi(undefined, { atStart: true });
await closePool();
for (const warning of startWarnings(settings)) log().warn(warning);
const child = spawn(
  path.resolve('node_modules/.bin/next'),
  [verb, '-p', String(settings.port), '-H', settings.host],
  {
    stdio: 'inherit',
    env: { ...process.env, DATABASE_URL: settings.databaseUrl, GATEHOUSE_SECRET: settings.secrets.join(',') },
  },
);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
child.once('exit', async (code) => {
  await stop();
  process.exit(code ?? 0);
});
