// Starts the service on a fresh database in a temporary folder, once as Node server and once as Next server. Tests
// read the addresses from the environment.
import { randomBytes } from 'node:crypto';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { startFixtureBroker } from '#testing/brokers/broker.ts';
import { makeCertificate } from '#testing/clients/document-host.ts';
import { freePort } from '#testing/net/free-port.ts';
import { isInstalled } from '#testing/net/proxies.ts';
import { startPooler } from '#testing/service/pooler.ts';
import { applyFixtures, startDoor, startOwnDatabase } from '#testing/service/service.ts';
import { startFixtureVerifier } from './external.ts';
import { startTraceCollector } from './trace-collector.ts';

/** Functions that stop the started processes. The last one is called first. */
type Ends = (() => Promise<unknown>)[];
async function end(ends: Ends): Promise<void> {
  for (const one of ends.toReversed()) await one();
}

export default async function setup() {
  const ends: Ends = [];
  try {
    await start(ends);
  } catch (error) {
    await end(ends);
    throw error;
  }
  return () => end(ends);
}

async function start(ends: Ends): Promise<void> {
  const cronSecret = randomBytes(16).toString('hex');
  const settings = {
    CRON_SECRET: cronSecret,
    GATEHOUSE_DIST_DIR: process.env['GATEHOUSE_DIST_DIR'] ?? '.next',
    LOG_LEVEL: 'info',
    // many tests at once share one developer
    EDITS_PER_MINUTE: '100000',
    // back-channel logout must reach clients on this machine
    CLIENT_DOCUMENTS_PRIVATE_NETWORK: 'true',
  };
  const own = await startOwnDatabase(settings, { keep: Boolean(process.env['E2E_KEEP']) });
  ends.push(own.stop);
  const { databaseUrl, folder } = own;
  const ports = path.join(folder, 'ports');
  mkdirSync(ports);
  process.env['TEST_PORTS'] = ports;
  // leaks.spec.ts searches the traces for secrets at the end, like the logs
  const collector = await startTraceCollector((body) =>
    appendFileSync(path.join(folder, 'traces.log'), `${body}\n`),
  );
  ends.push(() => collector.close());
  applyFixtures(own.env);
  const verifier = await startFixtureVerifier(databaseUrl);
  ends.push(() => verifier.close());

  const [nodePort, nextPort, metricsPort] = [await freePort(), await freePort(), await freePort()];
  const metricsToken = randomBytes(16).toString('hex');
  const doors = [`http://localhost:${nodePort}`, `http://localhost:${nextPort}`];
  const broker = await startFixtureBroker(databaseUrl, doors);
  ends.push(() => broker.close());
  // tests start hosts of client documents on this machine, which use a certificate of this authority
  const made = isInstalled('openssl') ? makeCertificate('localhost') : null;
  const authority = path.join(folder, 'authority.pem');
  if (made) writeFileSync(authority, made.authority);
  const trusting = { ...own.env, ...(made ? { NODE_EXTRA_CA_CERTS: authority } : {}) };
  const env = { ...trusting, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '500' };
  // if set, the build of `npm run vercel` replaces the Next server
  const functions = process.env['GATEHOUSE_FUNCTIONS'];
  const pooler = functions === undefined ? null : await startPooler(databaseUrl);
  if (pooler) ends.push(() => pooler.stop());
  const pooled = pooler && { DATABASE_URL: pooler.url, DIRECT_URL: databaseUrl, DATABASE_POOL_MAX: '3' };
  const nextEnv = { ...env, METRICS_TOKEN: metricsToken };
  const servers = await Promise.allSettled([
    startDoor('node', nodePort, { folder, env: { ...env, METRICS_PORT: String(metricsPort) } }),
    functions === undefined
      ? startDoor('next', nextPort, { folder, env: nextEnv })
      : startDoor('functions', nextPort, { folder, env: { ...nextEnv, ...pooled, VERCEL: '1' } }, [
          functions,
        ]),
  ]);
  for (const server of servers) if (server.status === 'fulfilled') ends.push(() => server.value.stop());
  for (const server of servers) if (server.status === 'rejected') throw server.reason;
  Object.assign(process.env, {
    // the functions of the build serve both addresses
    E2E_BASE_URL: functions === undefined ? doors[0] : doors[1],
    E2E_NEXT_BASE_URL: doors[1],
    E2E_DATABASE_URL: databaseUrl,
    E2E_LOG_DIR: folder,
    E2E_DOCUMENT_CERTIFICATE: made ? JSON.stringify(made.certificate) : '',
    E2E_SECRET: own.env['GATEHOUSE_SECRET'],
    E2E_CRON_SECRET: cronSecret,
    E2E_METRICS_URL: `http://localhost:${metricsPort}/metrics`,
    E2E_METRICS_TOKEN: metricsToken,
  });
}
