// Lists that are filtered by days: both days are included, in the time zone of the caller.
import { beforeAll, expect, it } from 'vitest';
import { givenClient, givenPerson, givenToken, type Person, sql } from '#testing/data/registry.ts';
import { callManagement, givenManagementApi } from '#testing/in-process/management.ts';

let admin: Person;
let token: string;
/** Midnight of New Year in Auckland, thirteen hours before midnight in UTC. */
const NEW_YEAR = '2026-12-31T11:00:00Z';
const moment = (seconds: number) => new Date(Date.parse(NEW_YEAR) + seconds * 1000);

beforeAll(async () => {
  await givenManagementApi();
  admin = await givenPerson('admin', 'administrator');
  token = await givenToken(admin);
  await givenClient(admin, 'shop');
  for (const [name, at] of [
    ['last-of-2026', moment(-1)],
    ['first-of-2027', moment(0)],
  ] as const) {
    await sql(`insert into people (email, name, created_at, last_sign_in_at) values ($1, $2, $3, $3)`, [
      `${name}@example.com`,
      name,
      at,
    ]);
    await sql(
      `insert into clients (client_id, name, confidential, application_type, created_at) values ($1, $1, true, 'web', $2)`,
      [name, at],
    );
    await sql(
      `insert into subscriptions (client_id, api_id, state, created_at, decided_at)
        values ($1, 'orders', 'approved', $2, $2)`,
      [name, at],
    );
  }
  await sql("insert into people (email, created_at) values ('never@example.com', '2000-01-01')");
});

const zone = (name: string | null) => sql('update people set zoneinfo = $1 where id = $2', [name, admin.id]);
const found = async (path: string, query: string) => {
  const { status, json } = await callManagement(path, { token, query: `search=of-202&${query}` });
  expect(status, JSON.stringify(json)).toBe(200);
  return json.rows
    .map((row: { name?: string; client_id?: string }) => row.client_id ?? row.name)
    .toSorted((a: string, b: string) => a.localeCompare(b));
};
const FILTERS = [
  ['/people', 'created'],
  ['/people', 'seen'],
  ['/clients', 'created'],
  ['/subscriptions', 'requested'],
  ['/subscriptions', 'decided'],
] as const;

it.each(FILTERS)(
  '%s filtered by the days of %s: the filter includes first and last day',
  async (path, name) => {
    await zone('Pacific/Auckland');
    expect(await found(path, `${name}_to=2026-12-31`)).toEqual(['last-of-2026']);
    expect(await found(path, `${name}_from=2027-01-01`)).toEqual(['first-of-2027']);
    expect(await found(path, `${name}_from=2026-12-31&${name}_to=2027-01-01`)).toHaveLength(2);
    expect(await found(path, `${name}_from=2027-01-01&${name}_to=2027-01-01`)).toEqual(['first-of-2027']);
    expect(await found(path, `${name}_from=2027-01-02`)).toEqual([]);
    await zone(null);
    expect(await found(path, `${name}_from=2026-12-31&${name}_to=2026-12-31`)).toHaveLength(2);
    expect(await found(path, `${name}_from=2027-01-01`)).toEqual([]);
  },
);

it('a user without a sign-in is omitted when users are filtered by the day of the last sign-in', async () => {
  const { json } = await callManagement('/people', { token, query: 'search=never&seen_to=2999-01-01' });
  expect(json.rows).toEqual([]);
});

it.each(FILTERS)('%s by %s: the filter rejects invalid days and reversed ranges', async (path, name) => {
  for (const day of ['2026-02-30', '2026-1-1', '31.12.2026', 'today', '0000-01-01', '2026-01-01T00:00:00Z']) {
    const query = `${name}_from=${day}`;
    const { status, json } = await callManagement(path, { token, query });
    expect(status, day).toBe(422);
    expect(json.errors).toEqual([
      { field: `${name}_from`, code: 'days.wrong', detail: 'is not a date: use the format 2026-01-31' },
    ]);
  }
  const query = `${name}_from=2026-12-31&${name}_to=2026-12-30`;
  const { status, json } = await callManagement(path, { token, query });
  expect(status).toBe(422);
  expect(json.errors).toEqual([
    { field: `${name}_to`, code: 'days.turned', detail: 'is before the start date' },
  ]);
});
