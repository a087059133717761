import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { AuditRecord } from '#lib/store/audit.ts';
import { query } from '#lib/store/pool.ts';
import { inTransaction } from '#lib/store/prisma.ts';
import { csvHead, csvLine, exportEvents, followEvents, listEvents, recordEvent } from './audit-log.ts';

async function all(filter: Parameters<typeof exportEvents>[0]): Promise<AuditRecord[]> {
  const found: AuditRecord[] = [];
  for await (const one of exportEvents(filter)) found.push(one);
  return found;
}
const client = () => `client-${randomUUID().slice(0, 8)}`;

test('AD-11: an audit export of any size contains every event once, in order', async () => {
  const clientId = client();
  await query({
    text: "insert into audit_events (event, client_id) select 'client.changed', $1 from generate_series(1, 2500)",
    values: [clientId],
  });
  const ids = (await all({ clientId })).map((one) => BigInt(one.id));
  expect(ids).toHaveLength(2_500);
  expect(ids).toEqual(ids.toSorted((a, b) => (a < b ? -1 : 1)));
});

test('the audit log can be searched by event, group of events, client, API, person, actor, request and time', async () => {
  const clientId = client();
  const personId = randomUUID();
  const subject = { clientId, personId, apiId: 'orders', actor: 'operator', requestId: randomUUID() };
  await recordEvent({ event: 'subscription.approved', ...subject });
  await recordEvent({ event: 'subscription.revoked', clientId });
  await recordEvent({ event: 'client.disabled', clientId });
  const events = async (filter: Parameters<typeof listEvents>[0]) =>
    (await listEvents({ clientId, ...filter })).map((one) => one.event);
  expect(await events({})).toEqual(['subscription.approved', 'subscription.revoked', 'client.disabled']);
  expect(await events({ events: ['subscription.revoked', 'client.disabled'] })).toEqual([
    'subscription.revoked',
    'client.disabled',
  ]);
  for (const [name, value] of Object.entries(subject))
    expect((await events({ [name]: value }))[0], name).toBe('subscription.approved');
  expect(await events({ apiId: 'orders' })).toHaveLength(1);
  expect(await events({ limit: 2 })).toEqual(['subscription.revoked', 'client.disabled']);
  expect(await events({ since: new Date(Date.now() + 60_000) })).toEqual([]);
  expect(await events({ until: new Date(Date.now() - 60_000) })).toEqual([]);
  expect(
    await events({ since: new Date(Date.now() - 60_000), until: new Date(Date.now() + 60_000) }),
  ).toHaveLength(3);
});

test('audit log followers receive each event once, including late events of long transactions', async () => {
  const clientId = client();
  const next = followEvents({ clientId }, new Date(Date.now() - 1_000));
  const names = async () => (await next()).map((one) => one.event);
  await recordEvent({ event: 'client.created', clientId });
  expect(await names()).toEqual(['client.created']);
  await inTransaction(async (db) => {
    await recordEvent({ event: 'client.changed', clientId }, db);
    await recordEvent({ event: 'client.disabled', clientId });
    expect(await names()).toEqual(['client.disabled']);
  });
  // this event has a smaller id and an earlier time than the previous event
  expect(await names()).toEqual(['client.changed']);
  expect(await names()).toEqual([]);
});

test('the CSV export has one line per event, and cells cannot act as formulas', async () => {
  const clientId = client();
  await recordEvent({
    event: 'client.removed',
    clientId,
    details: { name: '=cmd|"/c calc"!A1,\nnext' },
    actor: '=1+1',
  });
  const [one] = await all({ clientId });
  if (!one) throw new Error('no event');
  expect(csvHead.split(',')).toHaveLength(11);
  const line = csvLine(one);
  expect(line).toContain(`,client.removed,'=1+1,`);
  expect(line).toContain('"{""name"":""=cmd|\\""/c calc\\""!A1,\\nnext""}"');
  expect(line).not.toContain('\n');
});
