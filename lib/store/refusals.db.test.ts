// A flood of refusals causes two audit events, for all callers and addresses together.
import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { deleteExpired } from './cleanup.ts';
import { query } from './pool.ts';
import { recordRefusal } from './refusals.ts';

type Event = {
  event: string;
  ip: string | null;
  reason: string | null;
  count: number | null;
  request: string;
};
const sql = <Row = Record<string, unknown>>(text: string) => query<Row>({ text, values: [] });
const events = () =>
  sql<Event>(`select event, ip, details->>'reason' as reason, (details->>'count')::int as count, request_id as request
    from audit_events order by id`);
/**
 * Moves windows back by more than one length, because windows moved by exactly one length would collide with existing
 * ones.
 */
const windowIsOver = () => sql("update refusals set window_start = window_start - interval '1 hour'");

const refuse = (
  ip: string | null,
  more: { reason?: string; authMethodId?: string; requestId?: string } = {},
) =>
  recordRefusal({
    event: 'sign_in.refused',
    authMethodId: more.authMethodId ?? 'pw',
    requestId: more.requestId ?? randomUUID(),
    ip,
    details: { reason: more.reason ?? 'refused' },
  });

beforeEach(async () => {
  await sql('truncate audit_events, refusals, attempts');
});

/** Returns the immediate events and the later counts. A ten-minute window may end during the test. */
async function told() {
  const all = await events();
  const listed = all.filter((one) => one.count === null);
  const more = all.filter((one) => one.count !== null);
  return { listed, more, sum: listed.length + more.reduce((sum, one) => sum + (one.count ?? 0), 0) };
}

test('LG-01: 500 equal rejections from one IP address cause one event, and after the window a second event with their count', async () => {
  await refuse('192.0.2.1', { requestId: 'first' });
  for (let times = 0; times < 9; times += 1)
    await Promise.all(Array.from({ length: 50 }, () => refuse('192.0.2.1')));
  await Promise.all(Array.from({ length: 49 }, () => refuse('192.0.2.1')));
  const first = { event: 'sign_in.refused', ip: '192.0.2.1', reason: 'refused' };
  const atOnce = await told();
  expect(atOnce.listed[0]).toEqual({ ...first, count: null, request: 'first' });
  expect(atOnce.listed.length).toBeLessThanOrEqual(2);
  expect(atOnce.more).toEqual([]);
  await windowIsOver();
  await Promise.all(Array.from({ length: 4 }, () => deleteExpired()));
  const later = await told();
  expect(later.more[0]).toMatchObject({ ...first, request: null });
  expect(later.more.length).toBeLessThanOrEqual(2);
  expect(later.sum).toBe(500);
  expect(await sql('select * from refusals')).toEqual([]);
});

test('the count of equal rejections is reported after the window ends, and not earlier', async () => {
  await refuse('192.0.2.1');
  await refuse('192.0.2.1');
  await sql("update refusals set window_start = window_start + interval '10 minutes'");
  await deleteExpired();
  expect((await told()).more).toEqual([]);
  expect((await sql<{ n: number }>('select sum(count)::int as n from refusals'))[0]?.n).toBeLessThanOrEqual(
    1,
  );
});

test('rejections with another reason, method or IP address are separate events, and a /48 network counts as one address', async () => {
  const kinds = async () => new Set((await told()).listed.map(({ ip, reason }) => `${ip} ${reason}`)).size;
  await refuse('192.0.2.1');
  await refuse('192.0.2.1', { reason: 'unavailable' });
  await refuse('192.0.2.2');
  await refuse('192.0.2.2', { reason: 'refused at another method', authMethodId: 'campus' });
  await refuse('2001:db8::1');
  expect(await kinds()).toBe(5);
  await refuse('2001:db8:0:ffff::2');
  expect((await told()).listed.length).toBeLessThanOrEqual(6);
  await windowIsOver();
  await deleteExpired();
  expect((await told()).sum).toBe(6);
});

test('concurrent first rejections of one kind cause one audit event, and every rejection is counted', async () => {
  await Promise.all(Array.from({ length: 60 }, () => refuse('192.0.2.1')));
  expect((await told()).listed.length).toBeLessThanOrEqual(2);
  await windowIsOver();
  await deleteExpired();
  expect((await told()).sum).toBe(60);
});

test('above 2,000 kinds of rejections the table stops growing, and the remaining rejections share one count', async () => {
  for (let net = 0; net < 46; net += 1) {
    await Promise.all(
      Array.from({ length: 50 }, (_, host) => refuse(`198.51.${net}.${host}`, { reason: randomUUID() })),
    );
  }
  expect((await told()).listed).toHaveLength(2_000);
  expect((await sql<{ n: number }>('select count(*)::int as n from refusals'))[0]?.n).toBeLessThanOrEqual(
    2_002,
  );
  await windowIsOver();
  await deleteExpired();
  const later = await told();
  expect(later.sum).toBe(2_300);
  for (const rest of later.more) expect(rest).toMatchObject({ event: 'sign_in.refused', ip: null });
});
