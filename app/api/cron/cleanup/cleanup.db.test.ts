// GET /api/cron/cleanup on a host without long-running processes: its jobs run in parallel, and the response lists
// each job.
import { createServer, type Socket } from 'node:net';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { recordEvent } from '#lib/audit/audit-log.ts';
import { shiftClock } from '#lib/kit/clock.ts';
import { setLogLevel } from '#lib/kit/log.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { givenClient, givenEmptyRegistry, givenPerson, sql } from '#testing/data/registry.ts';
import { listen } from '#testing/net/listen.ts';
import { until } from '#testing/net/until.ts';
import { GET } from './route.ts';

const SECRET = 'a-secret-of-the-scheduler';
const DONE = Object.fromEntries(
  ['seals', 'keys', 'cleanup', 'events', 'mails', 'directories', 'logouts'].map((job) => [job, 'done']),
);

/** Accepts connections and never answers, like a mail server or a webhook that hangs. */
const sockets = new Set<Socket>();
const silent = await listen(
  createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  }),
);

beforeEach(async () => {
  setLogLevel('silent');
  loadSettings({
    ...process.env,
    AWS_LAMBDA_FUNCTION_NAME: 'gatehouse',
    CRON_SECRET: SECRET,
    SMTP_URL: `smtp://127.0.0.1:${silent.port}?from=login@example.com`,
    AUDIT_WEBHOOK_URL: `http://127.0.0.1:${silent.port}/events`,
    AUDIT_WEBHOOK_SECRET: 'a secret of the webhook that is long enough',
    AUDIT_WEBHOOK_EVENTS: 'token.',
    AUDIT_WEBHOOK_PRIVATE_NETWORK: 'true',
  });
  await givenEmptyRegistry();
  await sql('truncate logout_deliveries, webhook_cursor');
});
afterAll(async () => {
  shiftClock(0);
  for (const socket of sockets) socket.destroy();
  await silent.close();
  loadSettings();
});

async function callCron() {
  const headers = { authorization: `Bearer ${SECRET}` };
  const answer = await GET(new Request('http://localhost:3000/api/cron/cleanup', { headers }));
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

const givenLogout = () =>
  sql(`insert into logout_deliveries (client_id, api_id, auth_method_id, person_id, sid)
    values ('shop', 'orders', 'local', gen_random_uuid(), gen_random_uuid())`);

test('a hanging mail server and a hanging webhook delay none of the other jobs: cleanup, sign-outs, mails', async () => {
  const approver = await givenPerson('ann', 'approver');
  await givenClient(OPERATOR);
  await sql("insert into subscriptions (client_id, api_id, state) values ('shop', 'orders', 'pending')");
  await sql(`insert into request_mails (client_id, api_id, person_id) values ('shop', 'orders', $1)`, [
    approver.id,
  ]);
  await givenLogout();
  await sql(`insert into attempts (key, count, expires_at) values ('ended', 1, now() - interval '2 hours')`);
  await sql('insert into webhook_cursor (last_event_id) select coalesce(max(id), 0) from audit_events');
  await recordEvent({ event: 'token.reused' });
  // a webhook receives an event only 15 seconds after the event happened
  shiftClock(20_000);

  let ended = false;
  const turn = callCron().finally(() => {
    ended = true;
  });
  const both = await until(() => sockets.size === 2, { seconds: 4 });
  const rows = () => sql(`select from logout_deliveries union all select from attempts where key = 'ended'`);
  const rest = await until(async () => (await rows()).length === 0, { seconds: 4 });
  expect({ both, rest, ended }).toEqual({ both: true, rest: true, ended: false });
  for (const socket of sockets) socket.destroy();
  const { status, body } = await turn;
  expect({ status, body }).toMatchObject({ status: 200, body: { done: true, jobs: DONE } });
  expect((await sql('select failures from webhook_cursor'))[0]).toEqual({ failures: 1 });
  expect((await sql('select failures from request_mail_turns'))[0]).toEqual({ failures: 1 });
});

test('if a job fails, the 503 response names it, the service state stores its reason, and the other jobs run', async () => {
  await sql('alter table webhook_cursor rename to webhook_cursor_away');
  try {
    const { status, body } = await callCron();
    expect(status).toBe(503);
    expect(body).toMatchObject({
      error: 'temporarily_unavailable',
      done: true,
      jobs: { ...DONE, events: 'failed' },
    });
    expect(JSON.stringify(body)).not.toContain('webhook_cursor');
  } finally {
    await sql('alter table webhook_cursor_away rename to webhook_cursor');
  }
  const [run] = await sql<{ failure: string }>('select failure from maintenance_runs');
  expect(run?.failure).toMatch(/^events: .*webhook_cursor/);
});
