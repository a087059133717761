// A flood of refusals is two events of the audit log, whoever sends it and from wherever.
import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { deleteExpired, recordRefusal } from './index.ts';
import { query } from './pool.ts';

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
/** Ten minutes later. */
const windowIsOver = () => sql("update refusals set window_start = window_start - interval '10 minutes'");

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

test('LG-01: 500 refusals of one kind from one place are one event, and their number when the window is over', async () => {
  await refuse('192.0.2.1', { requestId: 'first' });
  await Promise.all(Array.from({ length: 499 }, () => refuse('192.0.2.1')));
  const first = {
    event: 'sign_in.refused',
    ip: '192.0.2.1',
    reason: 'refused',
    count: null,
    request: 'first',
  };
  expect(await events()).toEqual([first]);
  await deleteExpired();
  expect(await events(), 'not before its time').toEqual([first]);
  await windowIsOver();
  await Promise.all(Array.from({ length: 4 }, () => deleteExpired()));
  expect(await events()).toEqual([first, { ...first, request: null, count: 499 }]);
  expect(await sql('select * from refusals')).toEqual([]);
});

test('a refusal of another kind, method or place is an event of its own; a /64 is one place', async () => {
  await refuse('192.0.2.1');
  await refuse('192.0.2.1', { reason: 'unavailable' });
  await refuse('192.0.2.1', { authMethodId: 'campus' });
  await refuse('192.0.2.2');
  await refuse('2001:db8::1');
  await refuse('2001:db8::2');
  expect(await events()).toHaveLength(5);
  await windowIsOver();
  await deleteExpired();
  // one of them came twice
  expect((await events()).map(({ count }) => count)).toEqual([null, null, null, null, null, 1]);
});

test('of a first kind that comes many times at once one is told, and none is lost', async () => {
  await Promise.all(Array.from({ length: 60 }, () => refuse('192.0.2.1')));
  expect(await events()).toHaveLength(1);
  await windowIsOver();
  await deleteExpired();
  expect((await events()).map(({ count }) => count)).toEqual([null, 59]);
});

test('whoever finds ever more kinds and places fills nothing: beyond so many they are one number', async () => {
  for (let net = 0; net < 23; net += 1) {
    await Promise.all(
      Array.from({ length: 100 }, (_, host) => refuse(`198.51.${net}.${host}`, { reason: randomUUID() })),
    );
  }
  expect((await events()).length).toBe(2_000);
  expect(await sql('select count(*)::int as n from refusals')).toEqual([{ n: 2_001 }]);
  await windowIsOver();
  await deleteExpired();
  const told = await events();
  expect(told).toHaveLength(2_001);
  expect(told.at(-1)).toMatchObject({ event: 'sign_in.refused', ip: null, count: 300 });
});
