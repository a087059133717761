// Lists: each order, paging in both directions, with and without a filter, and parameters that are rejected.
import { beforeAll, expect, it } from 'vitest';
import { LIST_ORDERS, type ListName } from '#lib/management/lists.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { givenPerson, givenToken, type Person, sql } from '#testing/data/registry.ts';
import { callManagement, givenManagementApi } from '#testing/in-process/management.ts';
import { callRoute } from './management-api.ts';

let admin: Person;
let token: string;
const ROWS = 8;

beforeAll(async () => {
  await givenManagementApi();
  admin = await givenPerson('admin', 'administrator');
  token = await givenToken(admin);
  // two rows for each name and time, so that only the rest of the key distinguishes them
  const each = `generate_series(1, ${ROWS}) n`;
  const at = `now() - (n / 2) * interval '1 day'`;
  const statements = [
    `insert into people (email, name, created_at, last_sign_in_at)
      select 'team-' || n || '@example.com', 'Team ' || n / 2, ${at}, case when n % 3 > 0 then ${at} end from ${each}`,
    `insert into clients (client_id, name, confidential, application_type, created_at)
      select 'team-' || n, 'Team ' || n / 2, true, 'web', ${at} from ${each}`,
    `insert into apis (id, name, url, access_token_ttl, access_token_format, signing_alg, refresh_token_ttl,
      refresh_family_ttl) select 'team-' || n, 'Team ' || n / 2, 'https://team-' || n || '.example', 60, 'jwt', 'ES256',
      60, 60 from ${each}`,
    `insert into auth_methods (id, type, name) select 'team-' || n, 'local', 'Team ' || n / 2 from ${each}`,
    `insert into groups (id, name) select 'team-' || n, 'Team ' || n / 2 from ${each}`,
    `insert into subscriptions (client_id, api_id, state, updated_at)
      select 'team-' || n, 'orders', case when n % 2 = 0 then 'pending' else 'approved' end, ${at} from ${each}`,
    `insert into subscriptions (client_id, api_id, state, updated_at)
      select 'team-' || n, 'team-1', 'pending', ${at} from ${each}`,
    `insert into sessions (id_hash, kind, auth_method_id, person_id, auth_time, expires_at)
      select sha256(email::bytea), 'sign-in', 'local', id, date_trunc('minute', now()), now() + interval '1 hour'
      from people where email like 'team-%'`,
    `insert into audit_events (at, event, client_id, person_id) select ${at}, 'sign_in.succeeded', 'team-1', p.id
      from ${each}, people p where p.email = 'admin@example.com'`,
    `insert into person_registrations (email, kind, auth_method_id, created_at, expires_at, handle_hash)
      select 'new-' || n || '@example.com', kind, 'local', ${at}, now() + interval '1 day', sha256((kind || n)::bytea)
      from ${each}, (values ('invited'), ('waiting')) as kinds (kind)`,
  ];
  for (const text of statements) await sql(text);
});

type Listed = { rows: object[]; next: string | null; previous: string | null };
const page = async (path: string, query: Record<string, string>): Promise<Listed> =>
  (await callRoute(
    path.startsWith('/me') ? admin : OPERATOR,
    'GET',
    `${path}?${new URLSearchParams(query)}`,
  )) as Listed;

const LISTS: [path: string, list: ListName, filters: Record<string, string>[]][] = [
  ['/apis', 'apis', [{}, { search: 'team' }]],
  ['/audit', 'audit', [{}, { client_id: 'team-1' }, { event: 'sign_in' }]],
  ['/auth-methods', 'authMethods', [{}, { search: 'team' }]],
  [
    '/clients',
    'clients',
    [{}, { search: 'team' }, { created_from: '2020-01-01' }, { state: 'active', kind: 'confidential' }],
  ],
  ['/groups', 'groups', [{}, { search: 'team' }]],
  ['/invitations', 'invitations', [{}, { search: 'new' }]],
  [
    '/people',
    'people',
    [
      {},
      { search: 'team' },
      { state: 'active', factors: 'none' },
      { seen_from: '2020-01-01', created_to: '2999-12-31' },
    ],
  ],
  ['/sessions', 'sessions', [{}, { kind: 'sign-in', search: 'team' }]],
  ['/me/sign-ins', 'signIns', [{}]],
  [
    '/subscriptions',
    'subscriptions',
    [{}, { state: 'pending' }, { requested_from: '2020-01-01', search: 'team' }, { api: 'team-1' }],
  ],
  ['/inbox', 'subscriptions', [{}, { api: 'orders', trusted: 'false' }]],
  ['/registrations', 'waiting', [{}, { search: 'new' }]],
];
const CASES = LISTS.flatMap(([path, list, filters]) =>
  filters.flatMap((filter) => LIST_ORDERS[list].map((order) => [path, order, filter] as const)),
);

it('every list of the management API is tested with pages', () => {
  expect(new Set(LISTS.map(([, list]) => list))).toEqual(new Set(Object.keys(LIST_ORDERS)));
});

it.each(CASES)(
  '%s by %s, with %o: paging forward returns each row once, and paging backward the same pages',
  async (path, order, filter) => {
    const asked = { ...filter, order };
    const { rows } = await page(path, { ...asked, limit: '200' });
    expect(rows.length).toBeGreaterThan(2);
    const on = [await page(path, { ...asked, limit: '3' })];
    for (let at = on[0]; at?.next; on.push(at))
      at = await page(path, { ...asked, limit: '3', cursor: at.next });
    expect(on.flatMap((one) => one.rows)).toEqual(rows);
    expect(on[0]?.previous).toBeNull();
    const back = on.slice(-1);
    for (let at = back[0]; at?.previous; back.push(at))
      at = await page(path, { ...asked, limit: '3', cursor: at.previous });
    expect(back.map((one) => one.rows)).toEqual(on.map((one) => one.rows).toReversed());
    const turned = order.startsWith('-') ? order.slice(1) : `-${order}`;
    expect((await page(path, { ...filter, order: turned, limit: '200' })).rows).toEqual(rows.toReversed());
  },
);

it('without the parameter order, a list has its default order', async () => {
  for (const [path, list] of LISTS.filter(([path]) => path !== '/inbox')) {
    const [own = ''] = LIST_ORDERS[list];
    expect((await page(path, {})).rows, path).toEqual((await page(path, { order: own })).rows);
  }
  expect((await page('/inbox', {})).rows).toEqual((await page('/inbox', { order: 'age' })).rows);
});

it('an unknown order is rejected, and the fault lists the valid orders', async () => {
  for (const order of ['email', '--name', 'constructor']) {
    const { status, json } = await callManagement('/people', { token, query: `order=${order}` });
    expect(status).toBe(422);
    const detail = 'order must be one of -created, created, name, -name, -seen, seen';
    expect(json.errors).toEqual([{ field: 'order', code: 'input.wrong', detail }]);
  }
});

it('a cursor from a differently ordered list is rejected, and the fault names both orders', async () => {
  const { next } = await page('/people', { limit: '3' });
  for (const order of ['created', 'seen', 'name']) {
    const query = `${new URLSearchParams({ order, cursor: next ?? '' })}`;
    const { status, json } = await callManagement('/people', { token, query });
    expect(status).toBe(422);
    expect(json).toMatchObject({
      code: 'page.other_order',
      detail: `this page is for the order -created, but ${order} was requested: request -created, or start at the first page`,
      errors: [{ field: 'cursor', code: 'page.cursor_of_order' }],
    });
  }
});
