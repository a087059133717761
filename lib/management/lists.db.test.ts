// Pages of lists, forwards and backwards, while rows are added and deleted.
import { beforeAll, expect, test } from 'vitest';
import { pageClients } from '#lib/catalogue/clients/operations.ts';
import { pageSubscriptions } from '#lib/catalogue/subscriptions/operations.ts';
import { givenEmptyRegistry, givenPerson, type Person, sql } from '#testing/data/registry.ts';
import { pageAudit } from './audit.ts';
import { pageClientRequests } from './inspector.ts';

let admin: Person;
const names = Array.from({ length: 25 }, (_, at) => `client-${String(at).padStart(2, '0')}`);
beforeAll(async () => {
  await givenEmptyRegistry();
  admin = await givenPerson('admin', 'administrator');
  await sql(
    `insert into clients (client_id, name, confidential, application_type)
     select name, name, true, 'web' from unnest($1::text[]) name`,
    [names],
  );
});

type Paged = { rows: unknown[]; next: string | null; previous?: string | null; total?: number | null };
const LISTS: Record<string, (asked: { cursor?: string; limit: number; counted: boolean }) => Promise<Paged>> =
  {
    clients: (asked) => pageClients(admin, asked),
    audit: (asked) => pageAudit(admin, { ...asked, event: 'client.created' }),
    subscriptions: (asked) => pageSubscriptions(admin, asked),
    requests: (asked) => pageClientRequests(admin, { ...asked, clientId: names[0] as string }),
  };

beforeAll(async () => {
  await sql(`insert into audit_events (event, client_id) select 'client.created', unnest($1::text[])`, [
    names,
  ]);
  await sql(
    `insert into subscriptions (client_id, api_id, state) select unnest($1::text[]), 'orders', 'pending'`,
    [names],
  );
  for (let at = 0; at < 25; at += 1)
    await sql(
      `insert into audit_events (event, client_id, at) values ('code.issued', $1, now() - make_interval(mins => $2))`,
      [names[0], at],
    );
});

for (const [name, page] of Object.entries(LISTS))
  test(`${name}: paging backward returns the same pages as paging forward, each with the total`, async () => {
    const on: Paged[] = [];
    for (let cursor: string | null = ''; cursor !== null; cursor = on.at(-1)?.next ?? null)
      on.push(await page({ ...(cursor && { cursor }), limit: 10, counted: true }));
    expect(on.map(({ rows }) => rows.length)).toEqual([10, 10, 5]);
    expect(on.map(({ total }) => total)).toEqual([25, 25, 25]);
    expect(on[0]?.previous).toBeNull();
    const back: Paged[] = [];
    for (let cursor = on.at(-1)?.previous; cursor; cursor = back.at(-1)?.previous)
      back.push(await page({ cursor, limit: 10, counted: true }));
    expect(back.map(({ rows }) => rows)).toEqual([on[1]?.rows, on[0]?.rows]);
    expect(back.at(-1)?.previous).toBeNull();
    // the test reads the pages forwards again from that page
    const again = await page({ cursor: back.at(-1)?.next as string, limit: 10, counted: true });
    expect(again.rows).toEqual(on[1]?.rows);
  });

test('single-page lists and lists without a count have no total', async () => {
  expect(await pageClients(admin, { counted: true })).toMatchObject({
    next: null,
    previous: null,
    total: null,
  });
  expect(Object.keys(await pageClients(admin, { limit: 10 })).toSorted()).toEqual([
    'next',
    'previous',
    'rows',
  ]);
});

test('a page whose rows were all deleted still links to the pages before and after it', async () => {
  const waiting = { state: 'pending', limit: 10, counted: true } as const;
  const first = await pageSubscriptions(admin, waiting);
  const second = await pageSubscriptions(admin, { ...waiting, cursor: first.next as string });
  const third = await pageSubscriptions(admin, { ...waiting, cursor: second.next as string });
  await sql("update subscriptions set state = 'approved' where client_id = any($1)", [
    third.rows.map(({ clientId }) => clientId),
  ]);
  const gone = await pageSubscriptions(admin, { ...waiting, cursor: second.next as string });
  expect(gone).toMatchObject({ rows: [], next: null, previous: expect.any(String), total: 20 });
  const back = await pageSubscriptions(admin, { ...waiting, cursor: gone.previous as string });
  const rest = await pageSubscriptions(admin, { ...waiting, cursor: back.next as string });
  expect([...back.rows, ...rest.rows]).toEqual([...first.rows.slice(-1), ...second.rows]);
});

test('cursors for paging backward are validated like cursors for paging forward', async () => {
  const of = (key: string[]) => `-${Buffer.from(JSON.stringify(key)).toString('base64url')}`;
  for (const cursor of ['-', '-x', '--', of([]), of(['id']), of(['a', 'b']), of(['id', 'b', 'c'])])
    await expect(pageClients(admin, { cursor }), cursor).rejects.toMatchObject({ kind: 'invalid' });
});
