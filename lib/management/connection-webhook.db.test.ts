// Connection test of the audit webhook: sends a signed event that is marked as a test, and reports the receiver's
// response.
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setLogLevel } from '#lib/kit/log.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { givenPerson, sql } from '#testing/data/registry.ts';
import { listen, textOf } from '#testing/net/listen.ts';
import { testAuditWebhook } from './connections.ts';

const SECRET = 'a secret of the webhook that is long enough';
let admin: Awaited<ReturnType<typeof givenPerson>>;
let status = 204;
const received: { headers: Record<string, string | string[] | undefined>; body: string }[] = [];
const receiver = await listen(
  createServer(async (request, response) => {
    received.push({ headers: request.headers, body: await textOf(request) });
    response.writeHead(status, { 'content-type': 'text/plain' }).end(status === 204 ? undefined : SECRET);
  }),
);

beforeAll(async () => {
  setLogLevel('silent');
  admin = await givenPerson('root', 'administrator');
  loadSettings({
    ...process.env,
    AUDIT_WEBHOOK_URL: `${receiver.url}/events`,
    AUDIT_WEBHOOK_SECRET: SECRET,
    AUDIT_WEBHOOK_PRIVATE_NETWORK: 'true',
  });
});
afterAll(async () => {
  await receiver.close();
  loadSettings();
});

test('a webhook test event is signed like every event, and leaves the webhook’s log position unchanged', async () => {
  const [before] = await sql('select * from webhook_cursor');
  const { state, steps } = await testAuditWebhook(admin);
  expect(state).toBe('ok');
  expect(steps[0]).toMatchObject({ sent: `POST ${receiver.url}/events`, answered: '204 text/plain' });
  const { headers, body } = received[0] ?? { headers: {}, body: '' };
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  expect(headers['webhook-signature']).toBe(
    `v1,${createHmac('sha256', SECRET).update(signed).digest('base64')}`,
  );
  expect(headers['webhook-id']).toMatch(/^test-/);
  expect(JSON.parse(body)).toMatchObject({ event: 'connection.tested', details: { what: 'audit-webhook' } });
  expect(await sql('select * from webhook_cursor')).toEqual(before ? [before] : []);
});

test.each([
  [401, /does not accept the signature/, /AUDIT_WEBHOOK_SECRET/],
  [404, /does not accept POST/, /AUDIT_WEBHOOK_URL/],
  [422, /rejects the event/, /log/],
  [500, /fails/, /log/],
])(
  'the webhook receiver’s response %d is reported without a secret that it repeats',
  async (answer, found, change) => {
    status = answer;
    const told = await testAuditWebhook(admin);
    expect(told.state).toBe('broken');
    expect(told.steps[0]?.found.text).toMatch(found);
    expect(told.steps[0]?.change?.text).toMatch(change);
    expect(JSON.stringify(told)).not.toContain(SECRET);
  },
);

test('without a webhook, its connection test is skipped', async () => {
  loadSettings();
  expect((await testAuditWebhook(admin)).steps[0]).toMatchObject({ state: 'skipped' });
});
