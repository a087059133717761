// Connection test of the mail server, with servers that fail in every known way.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setLogLevel } from '#lib/kit/log.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { givenPerson, sql } from '#testing/data/registry.ts';
import { certificateFor } from '#testing/net/certificate.ts';
import { type MailScript, scriptedMailServer } from '#testing/net/scripted-mail-server.ts';
import { type ConnectionTest, FAILURES, type Failure } from './connection-steps.ts';
import { testMail } from './connections.ts';
import { OPERATOR } from './policy.ts';

const PASSWORD = 'p@ss word of the mail server';
const own = certificateFor('localhost');
let admin: Awaited<ReturnType<typeof givenPerson>>;

beforeAll(async () => {
  setLogLevel('silent');
  admin = await givenPerson('root', 'administrator');
});
afterAll(() => void loadSettings());

async function testedAt(
  smtpUrl: string,
  by: Parameters<typeof testMail>[0] = admin,
): Promise<ConnectionTest> {
  await sql('delete from attempts');
  loadSettings({ ...process.env, SMTP_URL: smtpUrl });
  return testMail(by);
}

async function tested(script: MailScript, address: (port: number) => string): Promise<ConnectionTest> {
  const server = await scriptedMailServer(script);
  try {
    return await testedAt(address(server.port));
  } finally {
    await server.close();
  }
}

const withUser = (port: number) => `smtp://login:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}`;
const withoutUser = (port: number) => `smtp://127.0.0.1:${port}`;
const atTls = (port: number) => `smtps://localhost:${port}`;
const asking = (verb: string, answer: string): MailScript => ({ answers: { [verb]: answer } });

test('a test mail to the actor reports each step, and the message arrives', async () => {
  const server = await scriptedMailServer();
  const { state, steps } = await testedAt(`${withUser(server.port)}?from=login@example.com`);
  await server.close();
  expect(steps.map(({ check, state: of }) => `${check.text}: ${of}`)).toEqual([
    'Connect: ok',
    'Encrypt: warning',
    'Log in: ok',
    'Test message: ok',
  ]);
  expect(state).toBe('warning');
  expect(server.messages).toHaveLength(1);
  expect(server.messages[0]).toMatch(/^From: login@example.com\r\nTo: root@example.com\r\n/m);
  expect(JSON.stringify(steps)).not.toContain(PASSWORD);
});

const REFUSED = 'smtp://127.0.0.1:1';
const CASES: [failure: Failure, check: string, script: MailScript | null, (port: number) => string][] = [
  ['dns', 'Connect', null, () => 'smtp://mail.invalid'],
  ['refused', 'Connect', null, () => REFUSED],
  ['mail-silent', 'Connect', { greeting: null }, withoutUser],
  ['mail-greeting', 'Connect', { greeting: '554 go away' }, withoutUser],
  ['mail-greeting', 'Connect', { greeting: 'HTTP/1.1 400 Bad Request' }, withoutUser],
  ['tls-untrusted', 'Encrypt', { tls: { ...own, from: 'beginning' } }, atTls],
  ['tls-untrusted', 'Encrypt', { tls: { ...own, from: 'starttls' } }, (port) => `smtp://localhost:${port}`],
  ['mail-tls', 'Encrypt', {}, atTls],
  [
    'mail-tls',
    'Encrypt',
    asking('STARTTLS', '454 not now'),
    (port) => `${withoutUser(port)}?requireTLS=true`,
  ],
  ['mail-login', 'Log in', asking('AUTH', '535 5.7.8 no'), withUser],
  ['mail-no-login', 'Log in', asking('AUTH', '503 not here'), withUser],
  ['mail-needs-tls', 'Test message', asking('MAIL', '530 Must issue a STARTTLS command first'), withoutUser],
  ['mail-needs-login', 'Test message', asking('MAIL', '530 5.7.0 Authentication required'), withoutUser],
  ['mail-sender', 'Test message', asking('MAIL', '553 5.7.1 not yours'), withoutUser],
  ['mail-recipient', 'Test message', asking('RCPT', '550 5.1.1 unknown'), withoutUser],
  ['mail-message', 'Test message', { end: '554 5.7.26 no SPF' }, withoutUser],
];

test.each(CASES)(
  'the mail server failure %s is reported at “%s” with a suggested change',
  async (failure, check, script, address) => {
    const { state, steps } = script === null ? await testedAt(address(0)) : await tested(script, address);
    const last = steps.at(-1);
    expect(state).toBe('broken');
    expect(last).toMatchObject({
      check: { text: check },
      state: 'broken',
      found: { text: FAILURES[failure].found },
      change: { text: FAILURES[failure].change },
    });
    expect(steps.slice(0, -1).map((one) => one.state)).not.toContain('broken');
  },
);

test('a password repeated by a mail server is removed from its responses', async () => {
  const encoded = Buffer.from(`\0login\0${PASSWORD}`).toString('base64');
  const { steps } = await tested(asking('AUTH', `535 no: ${PASSWORD} ${encoded}`), withUser);
  expect(steps.at(-1)?.answered).toBe('535 no: … …');
});

test('for an actor without an address, the mail server is tested and no message is sent', async () => {
  const server = await scriptedMailServer();
  const { steps } = await testedAt(withoutUser(server.port), OPERATOR);
  await server.close();
  expect(steps.at(-1)).toMatchObject({ check: { text: 'Test message' }, state: 'skipped' });
  expect(server.messages).toEqual([]);
});

test('without a mail server, the mail test names the mail folder', async () => {
  loadSettings();
  expect(await testMail(admin)).toMatchObject({
    state: 'warning',
    steps: [{ check: { text: 'Mail server' } }],
  });
});

test('each connection test is audited, and the 21st test is rejected', async () => {
  await sql('delete from attempts');
  await sql("delete from audit_events where event = 'connection.tested'");
  loadSettings({ ...process.env, SMTP_URL: REFUSED });
  for (let at = 0; at < 20; at += 1) await testMail(admin);
  await expect(testMail(admin)).rejects.toMatchObject({ code: 'connection.too_many', kind: 'slow-down' });
  const events = await sql<{ details: object }>(
    "select details from audit_events where event = 'connection.tested'",
  );
  expect(events).toHaveLength(20);
  expect(events[0]?.details).toEqual({ what: 'mail', outcome: 'broken' });
});

test('only administrators can run connection tests', async () => {
  const developer = await givenPerson('dev', 'developer');
  await expect(testMail(developer)).rejects.toMatchObject({ kind: 'forbidden' });
});
