// Metrics and traces count requests and contain no secret.
import { expect, test } from '@playwright/test';
import { fixtureClient, fixturePerson } from '#testing/data/fixtures.ts';
import { freePort } from '#testing/net/free-port.ts';
import { send } from '#testing/net/http.ts';
import type { Listening } from '#testing/net/listen.ts';
import { signIn } from '#testing/service/browser.ts';
import { type OwnService, startOwnService } from '#testing/service/service.ts';
import { redeem, refresh } from '#testing/service/token.ts';
import { startTraceCollector } from '../../support/service/trace-collector.ts';

test.describe.configure({ mode: 'serial' });

const TOKEN = 'a-token-that-reads-metrics';
const conf = fixtureClient('conf');
const alice = fixturePerson('alice');
const traces: string[] = [];
let collector: Listening;
let service: OwnService;
let metricsPort: number;

test.beforeAll(async () => {
  test.setTimeout(90_000);
  collector = await startTraceCollector((body) => traces.push(body));
  metricsPort = await freePort();
  service = await startOwnService({
    METRICS_PORT: String(metricsPort),
    METRICS_TOKEN: TOKEN,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '100',
    OTEL_SERVICE_NAME: 'gatehouse-under-test',
  });
});
test.afterAll(async () => {
  await service.stop();
  await collector.close();
});

test('LK-01: metrics and traces contain endpoint and outcome, and no secret', async () => {
  const browser = await signIn(service, alice, conf);
  const given = await browser.codeFor(conf);
  const first = (await redeem(service, conf, given)).json();
  const second = (await refresh(service, conf, first['refresh_token'] as string)).json();
  await refresh(service, conf, second['refresh_token'] as string);
  expect((await refresh(service, conf, first['refresh_token'] as string)).status).toBe(400);
  await send(`${service.url}/auth/callback/broker/a-broker-code-of-the-test?state=s`);

  const own = await send(`http://localhost:${metricsPort}/metrics`);
  const shown = await send(`${service.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
  for (const { status, text } of [own, shown]) {
    expect(status).toBe(200);
    expect(text).toMatch(
      /^gatehouse_requests_total\{endpoint="\/auth\/:authMethodId\/api\/:apiId\/token",method="POST",status="200",error=""\} 3$/m,
    );
    expect(text).toMatch(/^gatehouse_requests_total\{.*status="400",error="invalid_grant"\} 1$/m);
    expect(text).toMatch(/^gatehouse_security_events_total\{event="token.reused"\} 1$/m);
    expect(text).toMatch(/^gatehouse_database_connections\{state="idle"\} \d+$/m);
    expect(text).toMatch(/^process_resident_memory_bytes \d+/m);
  }

  await expect.poll(() => traces.join('')).toContain('/auth/callback/broker/:code');
  const traced = traces.join('');
  expect(traced).toContain('gatehouse-under-test');
  expect(traced).toContain('POST /auth/:authMethodId/api/:apiId/token');

  const secrets = [
    alice.password,
    conf.secret as string,
    given.code,
    'a-broker-code-of-the-test',
    ...[first, second].flatMap((tokens) => [tokens['access_token'], tokens['refresh_token']] as string[]),
  ];
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(8);
    for (const text of [own.text, shown.text, traced]) expect(text.includes(secret)).toBe(false);
  }
});

test('metrics require METRICS_TOKEN, and return 404 if METRICS_TOKEN is not set', async () => {
  for (const authorization of ['', 'Bearer ', `Bearer ${TOKEN}x`, TOKEN])
    expect((await send(`${service.url}/metrics`, { headers: { authorization } })).status).toBe(401);
  expect((await send(`http://localhost:${metricsPort}/`)).status).toBe(404);
  expect((await send(`${process.env['E2E_BASE_URL']}/metrics`)).status).toBe(404);
});
