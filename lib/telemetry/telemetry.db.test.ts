import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { setLogLevel } from '#lib/kit/index.ts';
import { handleHttp } from '#lib/oauth/index.ts';
import { loadSettings } from '#lib/settings/index.ts';
import { asRequest } from '../../scripts/fuzz/requests.ts';
import { prepareWorld } from '../../scripts/fuzz/world.ts';
import { answerMetrics, startTelemetry } from './index.ts';

setLogLevel('silent');
const TOKEN = 'a-token-for-the-metrics';
const received: string[] = [];
const collector = createServer((incoming, outgoing) => {
  const chunks: Buffer[] = [];
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
  incoming.on('end', () => {
    received.push(`${incoming.url} ${Buffer.concat(chunks).toString('utf8')}`);
    outgoing.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
});
const listen = (server = createServer()) =>
  new Promise<number>((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
  );
afterAll(() => void collector.close());

const get = (path: string, headers: Record<string, string> = {}) =>
  asRequest({ method: 'GET', path, query: '', headers, body: Buffer.alloc(0) }, 'request');

test('LK-01: metrics and traces tell patterns, statements and statuses, and nothing that was sent', async () => {
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = `http://127.0.0.1:${await listen(collector)}`;
  const spare = createServer();
  const metricsPort = await listen(spare);
  await new Promise((resolve) => spare.close(resolve));
  loadSettings({
    ...process.env,
    METRICS_PORT: String(metricsPort),
    METRICS_TOKEN: TOKEN,
    HOST: '127.0.0.1',
  });
  const stop = await startTelemetry();
  const world = await prepareWorld();
  const guess = `secret-${TOKEN}-guess`;
  await handleHttp(get(`/auth/callback/broker/${guess}`));
  await handleHttp(get(`/auth/${guess}/api/orders/token`));

  const withToken = await answerMetrics(get('/metrics', { authorization: `Bearer ${TOKEN}` }));
  const text = String(withToken?.body);
  expect(withToken?.status).toBe(200);
  expect(text).toContain('gatehouse_tokens_issued_total{grant_type="authorization_code"} 1');
  expect(text).toMatch(/gatehouse_database_connections\{state="idle"\} \d/);
  expect(text).toMatch(
    /_count\{endpoint="\/auth\/:authMethodId\/api\/:apiId\/token",method="POST",status="200"\} 1/,
  );
  const overPort = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  expect(overPort).toContain('gatehouse_tokens_issued_total');
  expect((await fetch(`http://127.0.0.1:${metricsPort}/health`)).status).toBe(404);

  await stop();
  const traces = received.join('\n');
  expect(traces).toMatch(/^\/v1\/traces /);
  expect(traces).toContain('POST /auth/:authMethodId/api/:apiId/token');
  expect(traces).toContain('sql code-redeem');
  const secrets = [
    ...Object.values(world.known).flat(),
    ...world.people.map((person) => person.password),
    guess,
    TOKEN,
  ];
  for (const secret of secrets) {
    expect(traces.includes(secret), 'a secret in the traces').toBe(false);
    expect((text + overPort).includes(secret), 'a secret in the metrics').toBe(false);
  }
});

test('without a token there are no metrics at the service’s own port, with a wrong one 401', async () => {
  loadSettings({ ...process.env, METRICS_TOKEN: TOKEN });
  expect((await answerMetrics(get('/metrics')))?.status).toBe(401);
  expect((await answerMetrics(get('/metrics', { authorization: 'Bearer wrong' })))?.status).toBe(401);
  expect(await answerMetrics(get('/health', { authorization: `Bearer ${TOKEN}` }))).toBeNull();
  loadSettings(process.env);
  expect(await answerMetrics(get('/metrics', { authorization: `Bearer ${TOKEN}` }))).toBeNull();
});
