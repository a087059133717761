// The service as an operator runs it, on a fresh database in a temporary folder: once behind the Node door, once behind
// the Next door. The addresses go to the tests by the environment.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { freePort } from '#testing/free-port.ts';
import { ensureEmbeddedDatabase } from '../../lib/store/index.ts';
import { startFixtureBroker } from './broker.ts';
import { startFixtureVerifier } from './external.ts';

import { launch, ready, stop } from './service.ts';
import { startTraceCollector } from './trace-collector.ts';

export default async function setup() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-e2e-'));
  const database = await ensureEmbeddedDatabase(folder);
  // what they hold is looked through at the end, like the logs
  const collector = await startTraceCollector((body) =>
    appendFileSync(path.join(folder, 'traces.log'), `${body}\n`),
  );
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    DATABASE_URL: database.databaseUrl,
    GATEHOUSE_SECRET: randomBytes(32).toString('base64url'),
    CRON_SECRET: randomBytes(16).toString('hex'),
    GATEHOUSE_DATA_DIR: folder,
    GATEHOUSE_DIST_DIR: process.env['GATEHOUSE_DIST_DIR'] ?? '.next',
    LOG_LEVEL: 'info',
    NODE_ENV: 'production',
    DRAIN_SECONDS: '0',
    // many tests at once share one developer
    EDITS_PER_MINUTE: '100000',
  };
  const tracing = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '500' };
  const cli = (...args: string[]) =>
    execFileSync('node_modules/.bin/node', ['cli/main.ts', ...args], {
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  cli('migrate');
  cli('apply', 'e2e/support/fixtures.yaml');
  const verifier = await startFixtureVerifier(database.databaseUrl);

  const nodePort = await freePort();
  const nextPort = await freePort();
  const metricsPort = await freePort();
  const metricsToken = randomBytes(16).toString('hex');
  const doors = [`http://localhost:${nodePort}`, `http://localhost:${nextPort}`];
  const broker = await startFixtureBroker(database.databaseUrl, doors);
  const servers = [
    launch(
      'node_modules/.bin/node',
      ['server.ts'],
      { ...env, ...tracing, PORT: String(nodePort), METRICS_PORT: String(metricsPort) },
      path.join(folder, 'node.log'),
    ),
    launch(
      'node_modules/.bin/next',
      ['start', '-p', String(nextPort)],
      { ...env, ...tracing, PORT: String(nextPort), METRICS_TOKEN: metricsToken },
      path.join(folder, 'next.log'),
    ),
  ];
  process.env['E2E_BASE_URL'] = `http://localhost:${nodePort}`;
  process.env['E2E_NEXT_BASE_URL'] = `http://localhost:${nextPort}`;
  process.env['E2E_DATABASE_URL'] = database.databaseUrl;
  process.env['E2E_LOG_DIR'] = folder;
  process.env['E2E_SECRET'] = env['GATEHOUSE_SECRET'];
  process.env['E2E_CRON_SECRET'] = env['CRON_SECRET'];
  process.env['E2E_METRICS_URL'] = `http://localhost:${metricsPort}/metrics`;
  process.env['E2E_METRICS_TOKEN'] = metricsToken;
  await Promise.all([ready(nodePort), ready(nextPort)]);

  return async () => {
    await Promise.all(servers.map(stop));
    collector.close();
    await broker.close();
    await verifier.close();
    await database.stop();
    if (!process.env['E2E_KEEP']) rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  };
}
