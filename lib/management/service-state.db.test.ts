// Data about the service that operators can read: queues, the last maintenance run, and settings without
// secrets.
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { VERSION } from '#lib/kit/version.ts';
import { noteFailedMaintenance } from '#lib/store/service-state.ts';
import { givenClient, givenEmptyRegistry, givenPerson, refusal, sql } from '#testing/data/registry.ts';
import { maintain } from './maintenance.ts';
import { OPERATOR } from './policy.ts';
import { readService, type ServiceState } from './service.ts';

beforeAll(async () => {
  await givenEmptyRegistry();
});
afterEach(() => {
  vi.unstubAllEnvs();
});
const found = ({ findings }: ServiceState, check: string) => findings.find((one) => one.check === check);

test('the service state shows the last maintenance run of all instances and its failure reason', async () => {
  expect(found(await readService(OPERATOR), 'maintenance')).toMatchObject({ state: 'warning' });
  await maintain();
  const state = await readService(OPERATOR);
  expect(state).toMatchObject({ version: VERSION, maintenance: { complete: true, failedAt: null } });
  expect(found(state, 'maintenance')).toMatchObject({ state: 'ok' });
  await noteFailedMaintenance(`no room left ${'x'.repeat(1_000)}`);
  const failed = await readService(OPERATOR);
  expect(failed.maintenance?.finishedAt).toEqual(state.maintenance?.finishedAt);
  expect(failed.maintenance?.failure).toHaveLength(300);
  expect(found(failed, 'maintenance')).toMatchObject({
    state: 'warning',
    detail: expect.stringContaining('no room left'),
  });
  await maintain();
  expect((await readService(OPERATOR)).maintenance).toMatchObject({ failedAt: null, failure: null });
  await sql("update maintenance_runs set finished_at = now() - interval '1 hour'");
  expect(found(await readService(OPERATOR), 'maintenance')).toMatchObject({ state: 'warning' });
});

test('the service state counts the waiting items of each queue', async () => {
  await givenClient(OPERATOR);
  await sql("insert into subscriptions (client_id, api_id, state) values ('shop', 'orders', 'pending')");
  await sql(`insert into logout_deliveries (client_id, api_id, auth_method_id, person_id, sid)
    values ('shop', 'orders', 'local', gen_random_uuid(), gen_random_uuid())`);
  await sql('insert into webhook_cursor (last_event_id) values (0) on conflict do nothing');
  const { queues } = await readService(OPERATOR);
  expect(queues).toMatchObject({
    subscriptions: 1,
    registrations: 0,
    logouts: 1,
    oldestLogout: expect.any(Date),
    webhook: { waiting: expect.any(Number), failures: 0 },
  });
  expect(queues.webhook?.waiting).toBeGreaterThan(0);
});

test('the service state lists each setting with its source, without secrets', async () => {
  const hidden = 'hidden-value-of-a-secret';
  vi.stubEnv('METRICS_TOKEN', hidden);
  vi.stubEnv('SMTP_URL', `smtps://user:${hidden}@mail.example:465?from=${hidden}`);
  vi.stubEnv('AUDIT_WEBHOOK_URL', `https://siem.example/${hidden}`);
  vi.stubEnv('GATEHOUSE_WORKERS', '3');
  vi.stubEnv('GATEHOUSE_FOUND', 'DATABASE_URL,GATEHOUSE_WORKERS');
  const state = await readService(OPERATOR);
  const of = (name: string) => state.settings.find((one) => one.name === name);
  expect(of('METRICS_TOKEN')).toMatchObject({ from: 'environment', secret: true, value: null });
  expect(of('SMTP_URL')).toMatchObject({ secret: true, value: 'smtps://mail.example:465' });
  expect(of('AUDIT_WEBHOOK_URL')).toMatchObject({ secret: true, value: 'https://siem.example' });
  expect(of('GATEHOUSE_WORKERS')).toMatchObject({ from: 'start', value: '3' });
  expect(of('DRAIN_SECONDS')).toMatchObject({ from: 'default', value: null, unset: '`3`' });
  expect(JSON.stringify(state)).not.toContain(hidden);
  const { secret, database } = {
    secret: process.env['GATEHOUSE_SECRET'],
    database: process.env['DATABASE_URL'],
  };
  for (const value of [secret, database]) if (value) expect(JSON.stringify(state)).not.toContain(value);
});

test('only administrators can read the service state', async () => {
  for (const roles of [[], ['developer'], ['approver']] as const) {
    const person = await givenPerson(`reader-${roles[0] ?? 'no'}`, ...roles);
    expect((await refusal(readService(person)))?.kind).toBe('forbidden');
  }
});
