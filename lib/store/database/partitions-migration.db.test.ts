// A filled database of the version before becomes one with partitions, while that version goes on writing to it.
import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { type Sql, sqlOn, withClient } from '#testing/data/sql.ts';
import { until } from '#testing/net/until.ts';
import { migrate, readMigrations } from './migrate.ts';

const server = process.env['DATABASE_URL'] as string;
const ours = path.resolve('prisma/migrations');
const FIRST = '20261122170000';
const before = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-before-'));
for (const { name } of await readMigrations(ours))
  if (name < FIRST) cpSync(path.join(ours, name), path.join(before, name), { recursive: true });
afterAll(() => rmSync(before, { recursive: true }));

let databaseUrl: string;
let sql: Sql;

beforeEach(async () => {
  const name = `partitions_${randomBytes(6).toString('hex')}`;
  await withClient(server, (client) => client.query(`create database ${name} template template0`));
  databaseUrl = server.replace(/\/[^/]+$/, `/${name}`);
  sql = sqlOn(databaseUrl);
  await migrate(databaseUrl, before);
  await sql(
    `insert into clients (client_id, name, confidential, application_type) values ('shop', '', true, 'web')`,
  );
  await sql(`insert into audit_events (event, client_id, at)
    select 'key.created', 'shop', now() - n * interval '1 hour' from generate_series(0, 9999) n`);
  await sql(`insert into refused_requests (client_id, endpoint, error, description, at, window_start, kind)
    select 'shop', 'token', 'x', '', now() - n * interval '1 day', case when n > 3 then now() - n * interval '1 day' end, n::text::bytea
    from generate_series(0, 20) n`);
});

// the statements of the version before
const EVENT = {
  name: 'before-event',
  text: "insert into audit_events (event, client_id, details) values ('key.retired', 'shop', '{}')",
};
const REFUSED = {
  name: 'before-refused',
  text: `insert into refused_requests as r (client_id, kind, description, count, window_start, endpoint, error)
    select client_id, '\\x01', '', 1, date_bin('10 minutes', now(), 'epoch'::timestamptz), 'token', 'new' from clients
    on conflict (client_id, window_start, kind) do update set count = r.count + excluded.count, at = now()`,
};
const SWEEPS = [
  `delete from refused_requests where id in (select id from refused_requests where at < now() - interval '14 days'
    limit 2000 for update skip locked) returning 1`,
  'select expire_audit_events(365, 2000) as gone',
  `update refused_requests set count = count + 1, at = now() where client_id = 'shop' and kind = '\\x01' returning 1`,
];

test('every event and every refused request that is still shown is there, under its id, and the numbers go on', async () => {
  const events = await sql('select * from audit_events order by id');
  const shown = await sql(
    "select id, at, kind from refused_requests where at > now() - interval '13 days' order by id",
  );
  await migrate(databaseUrl, ours);
  expect(await sql('select * from audit_events order by id')).toEqual(events);
  expect(
    await sql("select id, at, kind from refused_requests where at > now() - interval '13 days' order by id"),
  ).toEqual(shown);
  const [next] = await sql<{ id: string }>(
    "insert into audit_events (event) values ('key.created') returning id",
  );
  expect(next?.id).toBe('10001');
  expect(
    await sql(
      "select partstrat::text from pg_partitioned_table where partrelid in ('audit_events'::regclass, 'refused_requests'::regclass)",
    ),
  ).toEqual([{ partstrat: 'r' }, { partstrat: 'r' }]);
});

test('the log is taken over as it stands: nothing of it is copied, and it is not read while writers wait', async () => {
  const [old] = await sql<{ file: number }>("select pg_relation_filenode('audit_events') as file");
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const said: string[] = [];
  client.on('notice', ({ message }) => said.push(message ?? ''));
  await client.query('set client_min_messages = debug1');
  try {
    for (const { name, sql: text } of await readMigrations(ours)) if (name >= FIRST) await client.query(text);
  } finally {
    await client.end();
  }
  const [now] = await sql<{ file: number }>("select pg_relation_filenode('audit_events_before') as file");
  expect(now).toEqual(old);
  expect(said.join('\n')).toContain(
    'partition constraint for table "audit_events_before" is implied by existing constraints',
  );
});

test('the version before goes on writing, deleting and counting with the statements that it has prepared', async () => {
  let going = true;
  let events = 0;
  let refusals = 0;
  const serve = (statement: { name: string; text: string }, count: () => void) =>
    withClient(databaseUrl, async (client) => {
      while (going) {
        await client.query(statement);
        count();
      }
    });
  const writers = [0, 1, 2].map(() => serve(EVENT, () => (events += 1)));
  const noting = serve(REFUSED, () => (refusals += 1));
  expect(await until(() => events > 20 && refusals > 20)).toBe(true);
  await migrate(databaseUrl, ours);
  const [eventsThen, refusalsThen] = [events, refusals];
  expect(await until(() => events > eventsThen + 20 && refusals > refusalsThen + 20)).toBe(true);
  for (const sweep of SWEEPS) await sql(sweep);
  going = false;
  await Promise.all([...writers, noting]);
  const [{ n } = { n: 0 }] = await sql<{ n: number }>(
    "select count(*)::int as n from audit_events where event = 'key.retired'",
  );
  expect(n).toBe(events);
  const [{ sum } = { sum: 0 }] = await sql<{ sum: number }>(
    "select sum(count)::int as sum from refused_requests where error = 'new'",
  );
  expect(sum).toBeGreaterThanOrEqual(refusals);
});

test('somebody who reads for long is waited for in small pieces: whoever writes is let in between them', async () => {
  await withClient(databaseUrl, async (reader) => {
    await reader.query('begin');
    await reader.query('select count(*) from audit_events');
    let done = false;
    const migrating = migrate(databaseUrl, ours).finally(() => {
      done = true;
    });
    await withClient(databaseUrl, async (writer) => {
      await writer.query("set lock_timeout = '3s'");
      for (let written = 0; written < 50; written += 1) await writer.query(EVENT.text);
    });
    expect(done).toBe(false);
    await reader.query('commit');
    await migrating;
  });
  expect(await sql("select 1 from audit_events where event = 'key.retired'")).toHaveLength(50);
});

test('a migration that was cut off between two steps goes on from there, and nothing was refused meanwhile', async () => {
  const steps = (await readMigrations(ours)).filter(({ name }) => name >= FIRST);
  const part = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-part-'));
  cpSync(before, part, { recursive: true });
  try {
    for (const { name } of steps) {
      cpSync(path.join(ours, name), path.join(part, name), { recursive: true });
      expect(await migrate(databaseUrl, part)).toEqual([name]);
      await sql(EVENT.text);
      await sql(REFUSED.text);
    }
  } finally {
    rmSync(part, { recursive: true });
  }
  expect(await sql("select 1 from audit_events where event = 'key.retired'")).toHaveLength(steps.length);
});

test('a key that was half built when the process died is built anew', async () => {
  // as a build leaves it that was cut off
  await sql('create unique index "audit_events_before_pkey" on audit_events (id, at)');
  await sql(`update pg_index set indisvalid = false where indexrelid = 'audit_events_before_pkey'::regclass`);
  await migrate(databaseUrl, ours);
  expect(
    await sql(
      `select indisvalid as valid from pg_index where indexrelid = 'audit_events_before_pkey'::regclass`,
    ),
  ).toEqual([{ valid: true }]);
});

test('who may do what with a table stays as it was, and what a new table gives away by default is not given', async () => {
  const role = `service_${randomBytes(4).toString('hex')}`;
  await sql(`create role ${role}`);
  await sql(`grant select, insert on audit_events to ${role}`);
  await sql(`grant execute on function expire_audit_events(integer, integer) to ${role}`);
  await sql(`alter default privileges grant select, insert, update, delete on tables to ${role}`);
  await migrate(databaseUrl, ours);
  const may = (what: string) => sql<{ may: boolean }>(`select has_${what} as may`).then(([row]) => row?.may);
  for (const [privilege, expected] of Object.entries({
    select: true,
    insert: true,
    update: false,
    delete: false,
  }))
    expect(await may(`table_privilege('${role}', 'audit_events', '${privilege}')`), privilege).toBe(expected);
  expect(await may(`function_privilege('${role}', 'keep_partitions(integer)', 'execute')`)).toBe(true);
  expect(
    await may(`function_privilege('${role}', 'expire_rows(regclass, interval, integer)', 'execute')`),
  ).toBe(false);
  for (const { leaf } of await sql<{ leaf: string }>(
    "select inhrelid::regclass::text as leaf from pg_inherits where inhparent = 'audit_events'::regclass",
  ))
    expect(await may(`table_privilege('${role}', '${leaf}', 'select, insert, update, delete')`), leaf).toBe(
      false,
    );
});
