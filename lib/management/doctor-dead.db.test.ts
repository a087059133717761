// The doctor if other services are unreachable. It reports `ok` only after a real call, and otherwise reports that a
// check was not made.

import http from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadSettings } from '#lib/settings/settings.ts';
import { sql } from '#testing/data/registry.ts';
import { certificateFor } from '#testing/net/certificate.ts';
import { listen } from '#testing/net/listen.ts';
import { scriptedMailServer } from '#testing/net/scripted-mail-server.ts';
import { examine, examineElsewhere, examineHere, type Finding } from './doctor.ts';

const NOBODY = '127.0.0.1:1';
const WEBHOOK = { AUDIT_WEBHOOK_SECRET: 'a'.repeat(40), AUDIT_WEBHOOK_PRIVATE_NETWORK: 'true' };

const load = (env: Record<string, string>) => loadSettings({ ...process.env, ...env });
const linesOf = (findings: readonly Finding[], check: string) =>
  findings.filter((one) => one.check === check).map(({ state, detail }) => `${state}: ${detail}`);

beforeAll(async () => {
  const methods = {
    external: { verify_url: `http://${NOBODY}/verify`, allow_private_network: true },
    broker: { issuer: `http://${NOBODY}`, client_id: 'us', allow_private_network: true },
    ldap: { urls: [`ldap://${NOBODY}`], allow_private_network: true, base_dn: 'dc=example' },
  };
  for (const [type, config] of Object.entries(methods))
    await sql('insert into auth_methods (id, type, name, config) values ($1, $1, $1, $2)', [
      type,
      JSON.stringify(config),
    ]);
});
afterAll(() => void loadSettings());

test('doctor reports every unreachable remote service as broken', async () => {
  load({
    ...WEBHOOK,
    BASE_URL: `http://${NOBODY}`,
    SMTP_URL: `smtp://${NOBODY}`,
    AUDIT_WEBHOOK_URL: `http://${NOBODY}/events`,
  });
  const findings = await examineElsewhere();
  const checks = findings.map(({ check }) => check.split(' at ')[0]);
  expect(checks).toEqual(
    expect.arrayContaining([
      'mail',
      'external external',
      'broker broker',
      'ldap ldap',
      'audit webhook',
      'pages',
    ]),
  );
  const fine = findings.filter(({ state, detail }) => state === 'ok' && !detail.startsWith('not tested'));
  expect(fine).toEqual([]);
});

test('examineHere reports mail as not tested, and examine reports the connection error', async () => {
  load({ SMTP_URL: `smtp://${NOBODY}` });
  expect(linesOf(await examineHere(), 'mail')).toEqual([`ok: not tested: ${NOBODY}`]);
  expect(linesOf(await examine(), 'mail')).toEqual([
    expect.stringMatching(/^broken: 127\.0\.0\.1:1: Nothing listens/),
  ]);
});

test.each([
  [
    'smtps:// at a port without TLS',
    {},
    (port: number) => `smtps://localhost:${port}`,
    /^broken: TLS: .*TLS/,
  ],
  ['a server that says nothing of use', { greeting: '554 go away' }, undefined, /^broken: .*554/],
  [
    'a password that is refused',
    { answers: { AUTH: '535 no' } },
    (port: number) => `smtp://a:b@127.0.0.1:${port}`,
    /^broken: AUTH answers 535/,
  ],
  [
    'an untrusted certificate',
    { tls: { ...certificateFor('localhost'), from: 'starttls' as const } },
    (port: number) => `smtp://localhost:${port}`,
    /^broken: TLS: .*certificate/,
  ],
] as const)('doctor reports a mail server with %s', async (_, script, address, line) => {
  const server = await scriptedMailServer(script);
  load({ SMTP_URL: (address ?? ((port: number) => `smtp://127.0.0.1:${port}`))(server.port) });
  try {
    expect(linesOf(await examineElsewhere(), 'mail').at(-1)).toMatch(line);
  } finally {
    await server.close();
  }
});

test('doctor connects and logs in at a mail server that works, and sends no message', async () => {
  const server = await scriptedMailServer();
  load({ SMTP_URL: `smtp://login:word@127.0.0.1:${server.port}` });
  const found = linesOf(await examineElsewhere(), 'mail');
  await server.close();
  expect(found).toEqual([
    `ok: 127.0.0.1:${server.port}: The server responds.`,
    'ok: AUTH: The server accepts the username and password.',
  ]);
  expect(server.messages).toEqual([]);
});

test.each([
  [405, 'ok'],
  [401, 'ok'],
  [404, 'warning'],
  [502, 'broken'],
])(
  'doctor calls the audit webhook without an event, and reports the status %d as %s',
  async (status, state) => {
    const asked: string[] = [];
    const receiver = await listen(
      http.createServer(({ method, url }, answer) => {
        asked.push(`${method} ${url}`);
        answer.writeHead(status).end();
      }),
    );
    load({ ...WEBHOOK, AUDIT_WEBHOOK_URL: `${receiver.url}/events` });
    const found = (await examineElsewhere()).filter(({ check }) => check === 'audit webhook');
    await receiver.close();
    expect(found).toMatchObject([
      { state, detail: expect.stringContaining(` responds to GET with ${status}`) },
    ]);
    expect(asked).toEqual(['GET /events']);
  },
);

test('doctor warns about missing administrators, and uses the singular for a count of one', async () => {
  load({});
  const found = await examine();
  expect(linesOf(found, 'administrators')).toEqual([
    'warning: none yet: run gatehouse user create EMAIL --role administrator',
  ]);
  await sql("insert into people (email, name, roles) values ('ada@example.com', 'Ada', '{administrator}')");
  expect(linesOf(await examine(), 'administrators')).toEqual([
    expect.stringMatching(
      /^warning: 1 administrator without a second factor; see http:\/\/localhost:3000\/documentation\/guides\/second-factors$/,
    ),
  ]);
});
