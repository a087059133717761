// A service with a local URL is reachable only from its machine, unless HOST opens it to the network. Development
// mail is never shown to other machines.
import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { fixturePerson } from '#testing/data/fixtures.ts';
import { freePort } from '#testing/net/free-port.ts';
import { send } from '#testing/net/http.ts';
import type { Answer, Sent } from '#testing/net/sent.ts';
import { Browser, hiddenFields } from '#testing/service/browser.ts';
import { type OwnService, startDoor, startOwnService } from '#testing/service/service.ts';
import { nodeDoor } from '../../support/service/doors.ts';

/** Network address of this machine. A call to this address also has it as source address. */
const OUTSIDE = Object.values(networkInterfaces())
  .flat()
  .find((one) => one !== undefined && one.family === 'IPv4' && !one.internal)?.address;

const portOf = (url: string) => new URL(url).port;
const outcome = (url: string) =>
  send(url).then(
    ({ status }) => String(status),
    (error: NodeJS.ErrnoException) => error.code,
  );

test.describe('with a local address', () => {
  test('contract 8: the service listens only on 127.0.0.1, which localhost reaches', async () => {
    const port = portOf(nodeDoor.url);
    expect(await outcome(`http://127.0.0.1:${port}/health`)).toBe('200');
    // if localhost resolves to ::1, browsers and Node try ::1 first, then 127.0.0.1
    expect((await fetch(`http://localhost:${port}/health`)).status).toBe(200);
    const others = [...(OUTSIDE ? [OUTSIDE] : []), ...(process.platform === 'linux' ? ['127.0.0.2'] : [])];
    expect(others.length).toBeGreaterThan(0);
    for (const address of others)
      expect(await outcome(`http://${address}:${port}/health`), address).toBe('ECONNREFUSED');
  });

  test('metrics listen on 127.0.0.1 only', async () => {
    const port = portOf(process.env['E2E_METRICS_URL'] ?? '');
    expect(await outcome(`http://127.0.0.1:${port}/metrics`)).toBe('200');
    if (OUTSIDE) expect(await outcome(`http://${OUTSIDE}:${port}/metrics`)).toBe('ECONNREFUSED');
    if (process.platform === 'linux')
      expect(await outcome(`http://127.0.0.2:${port}/metrics`)).toBe('ECONNREFUSED');
  });
});

test.describe('HOST and METRICS_HOST open the service to the network', () => {
  let service: OwnService;
  let metricsPort: number;

  test.describe.configure({ timeout: 90_000 });
  test.beforeAll(async () => {
    test.setTimeout(90_000);
    metricsPort = await freePort();
    service = await startOwnService({
      HOST: '0.0.0.0',
      METRICS_PORT: String(metricsPort),
      METRICS_HOST: '0.0.0.0',
    });
  });
  test.afterAll(() => service.stop());

  test('a local service opened to the network logs a warning with the port', async () => {
    const log = readFileSync(path.join(service.folder, 'node.log'), 'utf8');
    const warnings = log.split('\n').filter((line) => line.includes('"level":40'));
    expect(warnings).toHaveLength(1);
    expect(JSON.parse(warnings[0] as string).msg).toContain(
      `HOST=0.0.0.0 opens port ${portOf(service.url)} to every machine on this network`,
    );
  });

  test('metrics listen on the address METRICS_HOST', async () => {
    test.skip(OUTSIDE === undefined, 'this machine has no address but its own');
    expect(await outcome(`http://${OUTSIDE}:${metricsPort}/metrics`)).toBe('200');
  });

  test('a mail with a reset link is shown only locally, and forged headers change nothing', async () => {
    test.skip(OUTSIDE === undefined, 'this machine has no address but its own');
    await mailBoundTo(service.url, `http://${OUTSIDE}:${portOf(service.url)}`, service.folder);
  });

  test('a mail with a reset link is shown only locally if Next listens, and forged headers change nothing', async () => {
    test.skip(OUTSIDE === undefined, 'this machine has no address but its own');
    const port = await freePort();
    const env = {
      ...service.env,
      BASE_URL: `http://localhost:${port}`,
      METRICS_PORT: '',
    };
    const next = await startDoor('next', port, { env, folder: service.folder }, ['-H', '0.0.0.0']);
    try {
      await mailBoundTo(`http://localhost:${port}`, `http://${OUTSIDE}:${port}`, service.folder);
    } finally {
      await next.stop();
    }
  });
});

async function mailBoundTo(here: string, outside: string, folder: string): Promise<void> {
  await requestReset(here);
  const shows = (answer: Answer) => /reset-password\?token=/.test(answer.text);
  const read = (url: string, sent: Sent = {}) => send(`${url}/account/mail`, sent);
  await expect.poll(async () => shows(await read(here)), folder).toBe(true);
  expect(shows(await read(here, { headers: { 'x-forwarded-for': '127.0.0.1, ::1' } }))).toBe(true);

  const host = new URL(here).host;
  const strangers: [url: string, headers: Record<string, string>][] = [
    [outside, {}],
    [outside, { host }],
    [outside, { host, 'x-forwarded-for': '127.0.0.1', 'x-real-ip': '127.0.0.1' }],
    [outside, { host, 'x-forwarded-host': host, forwarded: 'for=127.0.0.1' }],
    // a proxy on this machine forwards a stranger's request
    [here, { host, 'x-forwarded-for': '192.0.2.7' }],
    [here, { host, 'x-forwarded-for': '127.0.0.1, 192.0.2.7' }],
    [here, { host, forwarded: 'for=192.0.2.7' }],
    [here, { host, 'x-real-ip': '192.0.2.7' }],
    [here, { host, 'x-forwarded-host': 'tunnel.example' }],
    // DNS rebinding: a foreign host name that now resolves to this machine
    [here, { host: `rebound.example:${portOf(here)}` }],
    [here, { host: 'localhost.example' }],
  ];
  for (const [url, headers] of strangers) {
    const answer = await read(url, { headers });
    expect(shows(answer), `${url} ${JSON.stringify(headers)}`).toBe(false);
    expect(answer.text).not.toContain(fixturePerson('alice').email);
  }
}

async function requestReset(url: string): Promise<void> {
  const browser = new Browser({ url });
  const form = await browser.get(`${url}/account/forgot-password`);
  const fields = { ...hiddenFields(form), email: fixturePerson('alice').email };
  expect((await browser.submit('/account/submit/forgot-password', fields)).status).toBe(303);
}
