// Console lists with 100,000 rows each: first pages, distant pages, orders, searches, filters and totals. Calls the
// pages' functions. Prints a table; exits 1 if a list's median exceeds 100 ms, or 300 ms with more people. Then repeats
// with one owner. `npm run bench -- --lists`, or `--lists --people 10000000` for user searches only. Uses a temporary
// PostgreSQL.
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Client } from 'pg';
import { newRequestId } from '#lib/kit/random.ts';
import type { Actor } from '#lib/management/policy.ts';
import { withClient } from '#testing/data/sql.ts';
import { withoutIndexes } from './fill.ts';

const ROWS = 100_000;
const RUNS = 9;
const {
  values: { people: asked },
} = parseArgs({ options: { people: { type: 'string' }, lists: { type: 'boolean' } } });
const PEOPLE = asked === undefined ? ROWS : Number(asked);
const LIMIT_MS = PEOPLE > ROWS ? 300 : 100;

const folder = await mkdtemp(path.join(os.tmpdir(), 'gatehouse-lists-'));
process.env['GATEHOUSE_DATA_DIR'] = folder;
process.env['LOG_LEVEL'] = 'error';
delete process.env['DATABASE_URL'];
const { start } = await import('#lib/embedded-database/start.ts');
const { closePool } = await import('#lib/store/pool.ts');
const { migrate } = await import('#lib/store/migrate.ts');
const { OPERATOR } = await import('#lib/management/policy.ts');
const { findAnything } = await import('#lib/management/find.ts');
const { listMySessions } = await import('#lib/management/my-account.ts');
const { pageAudit } = await import('#lib/management/audit.ts');
const { pageClients } = await import('#lib/catalogue/clients/operations.ts');
const { pageInbox, pageSubscriptions } = await import('#lib/catalogue/subscriptions/operations.ts');
const { pagePeople } = await import('#lib/catalogue/people/operations.ts');
const { pageSessions } = await import('#lib/catalogue/people/operations.ts');
const { readOverview } = await import('#lib/management/service.ts');
const { settings, stop } = await start();
let slow = 0;
try {
  await migrate(settings.directUrl);
  slow = await withClient(settings.databaseUrl, async (db) => {
    await fill(db);
    const over = await measure(db);
    return PEOPLE > ROWS ? over : over + (await measureOneOwner(db));
  });
} finally {
  await closePool();
  await stop();
  await rm(folder, { recursive: true, force: true });
}
process.exit(slow === 0 ? 0 : 1);

async function fill(db: Client): Promise<void> {
  await withoutIndexes(db, ['people'], async () => {
    await db.query(`insert into people (email, name, roles, disabled_at, created_at, last_sign_in_at)
      select 'person-' || n || '@example.com', 'Person Number ' || n,
        case when n % 1000 = 0 and n <= ${ROWS} then '{developer}'::text[]
          when n % 5000 = 1 then '{approver}' else '{}' end,
        case when n % 10000 = 7 then now() end, now() - n * interval '1 minute',
        case when n % 3 > 0 then now() - hashint8(n)::bigint % 100000 * interval '1 minute' end
      from generate_series(1, ${PEOPLE}) n`);
  });
  await db.query(`insert into audit_events (at, event, actor, person_id)
    select created_at, 'sign_in.succeeded', id, id from people limit ${ROWS * 5}`);
  if (PEOPLE > ROWS) return void (await db.query('vacuum analyze people, audit_events'));
  const statements = [
    `insert into auth_methods (id, type, name) values ('local', 'local', 'Local')`,
    `insert into apis (id, name, url, access_token_ttl, access_token_format, signing_alg, refresh_token_ttl,
      refresh_family_ttl) select 'api-' || n, 'API ' || n, 'https://api-' || n || '.example', 60, 'jwt', 'ES256', 60, 60
      from generate_series(1, 50) n`,
    `insert into clients (client_id, name, confidential, application_type, redirect_uris, owner_id)
      select 'client-' || lpad(n::text, 6, '0'), 'Application ' || n, n % 2 = 0,
        case n % 2 when 0 then 'web' else 'browser' end, array['https://client-' || n || '.example/callback'],
        (select id from people where email = 'person-' || (1 + n % 100) * 1000 || '@example.com')
      from generate_series(1, ${ROWS}) n`,
    `insert into subscriptions (client_id, api_id, state, trusted, created_at, updated_at)
      select client_id, 'api-' || 1 + (row_number() over ()) % 50,
        case (row_number() over ()) % 200 when 0 then 'pending' when 1 then 'rejected' else 'approved' end,
        (row_number() over ()) % 200 = 0, now() - (row_number() over ()) * interval '1 second',
        now() - (row_number() over ()) * interval '1 second' from clients`,
    `insert into sessions (id_hash, kind, auth_method_id, person_id, auth_time, expires_at)
      select sha256(id::text::bytea), 'sign-in', 'local', id, now() - interval '5 minutes' * random(), now() + interval '1 hour'
      from people`,
    `insert into refused_requests (client_id, endpoint, error, description, request_id, at)
      select client_id, 'token', 'invalid_grant', 'none', gen_random_uuid()::text,
        now() - (row_number() over ()) * interval '1 second' from clients`,
    `insert into audit_events (at, event, actor, person_id, client_id)
      select now() - n * interval '1 second', case n % 50 when 0 then 'client.changed' else 'token.issued' end, 'system',
        null, 'client-' || lpad((1 + n % ${ROWS})::text, 6, '0') from generate_series(1, ${ROWS * 5}) n`,
    'vacuum analyze',
  ];
  for (const text of statements) await db.query(text);
}

/** Measures the lists, and returns the number of lists above the time limit. */
async function measure(db: Client): Promise<number> {
  const owner = await db.query<{ id: string; email: string }>(
    `select id, email from people where email = 'person-50000@example.com'`,
  );
  const [{ id, email } = { id: '', email: '' }] = owner.rows;
  const person = { kind: 'person', id, email, signedInAt: null, request: null } as const;
  const developer: Actor = { ...person, roles: ['developer'] };
  const approver: Actor = { ...person, roles: ['approver'] };
  const find = (actor: Actor, text: string) => findAnything(actor, { text });
  /** Returns a cursor that points after this row. */
  const far = (...row: unknown[]) => Buffer.from(JSON.stringify(row)).toString('base64url');
  const half = await db.query<{ time: string; id: string }>(
    'select created_at::text as time, id from people order by created_at desc offset $1 limit 1',
    [Math.min(PEOPLE, 1_000_000) / 2],
  );
  const [middle] = half.rows;
  const counted = true;
  const named = far('name', `Person Number ${PEOPLE / 2}`, id);
  const ofPeople = {
    'people, first page': () => pagePeople(OPERATOR, { counted }),
    'people, page 1,000': () =>
      pagePeople(OPERATOR, { counted, cursor: far('-created', middle?.time, middle?.id) }),
    'people, page 1,000, back': () =>
      pagePeople(OPERATOR, { counted, cursor: `-${far('-created', middle?.time, middle?.id)}` }),
    'people, oldest': () => pagePeople(OPERATOR, { counted, order: 'created' }),
    'people, by name': () => pagePeople(OPERATOR, { counted, order: 'name' }),
    'people, by name, in the middle': () => pagePeople(OPERATOR, { counted, order: 'name', cursor: named }),
    'people, by last sign-in': () => pagePeople(OPERATOR, { counted, order: '-seen' }),
    'people, never signed in': () => pagePeople(OPERATOR, { counted, order: 'seen' }),
    'people, search, many': () => pagePeople(OPERATOR, { counted, search: 'person-9' }),
    'people, search, one': () => pagePeople(OPERATOR, { counted, search: 'person-99999@' }),
    'people, search, none': () => pagePeople(OPERATOR, { counted, search: 'nowhere' }),
    'people with a role': () => pagePeople(OPERATOR, { counted, role: 'approver' }),
    'people with a role, by name': () => pagePeople(OPERATOR, { counted, role: 'approver', order: 'name' }),
    'people, disabled': () => pagePeople(OPERATOR, { counted, state: 'disabled' }),
    'people, disabled, by sign-in': () =>
      pagePeople(OPERATOR, { counted, state: 'disabled', order: '-seen' }),
    'people, active, by name': () => pagePeople(OPERATOR, { counted, state: 'active', order: 'name' }),
    'people, signed in today': () => pagePeople(OPERATOR, { counted, seen: { within: 1 } }),
    'people, not for 90 days': () => pagePeople(OPERATOR, { counted, seen: { before: 90 } }),
    'people, never, by name': () => pagePeople(OPERATOR, { counted, seen: 'never', order: 'name' }),
    'people, new this week': () => pagePeople(OPERATOR, { counted, createdWithin: 7, order: 'name' }),
    'people with a factor': () => pagePeople(OPERATOR, { counted, factors: 'some' }),
    'audit, to one person': () => pageAudit(OPERATOR, { counted, like: { person: 'person-99999@' } }),
    'audit, to many people': () => pageAudit(OPERATOR, { counted, like: { person: 'person-9' } }),
    'audit, by many people': () => pageAudit(OPERATOR, { counted, like: { actor: 'person-9' } }),
    'audit, by nobody': () => pageAudit(OPERATOR, { counted, like: { actor: 'nowhere' } }),
  };
  const others = {
    'clients, first page': () => pageClients(OPERATOR, { counted }),
    'clients, page 1,000': () => pageClients(OPERATOR, { counted, cursor: far('id', 'client-050000') }),
    'clients, by name': () => pageClients(OPERATOR, { counted, order: 'name' }),
    'clients, newest': () => pageClients(OPERATOR, { counted, order: '-created' }),
    'clients, search, by name': () =>
      pageClients(OPERATOR, { counted, order: 'name', search: 'application 99' }),
    'clients, search, many': () => pageClients(OPERATOR, { counted, search: 'application 99' }),
    'clients, search, one': () => pageClients(OPERATOR, { counted, search: 'client-099999' }),
    'clients, search, none': () => pageClients(OPERATOR, { counted, search: 'nowhere' }),
    'clients, filter': () => pageClients(OPERATOR, { counted, kind: 'browser', state: 'active' }),
    'clients, filter, none': () => pageClients(OPERATOR, { counted, state: 'disabled' }),
    'clients of one developer, by name': () => pageClients(developer, { counted, order: 'name' }),
    'clients of one developer': () => pageClients(developer, { counted }),
    'subscriptions, first page': () => pageSubscriptions(OPERATOR, { counted }),
    'subscriptions, pending': () => pageSubscriptions(OPERATOR, { counted, state: 'pending' }),
    'subscriptions, search, none': () => pageSubscriptions(OPERATOR, { counted, search: 'nowhere' }),
    'subscriptions of one developer': () => pageSubscriptions(developer, { counted }),
    inbox: () => pageInbox(approver, { counted }),
    'sessions, first page': () => pageSessions(OPERATOR, { counted }),
    'sessions, search, many': () => pageSessions(OPERATOR, { counted, search: 'person number' }),
    'sessions, search, one': () => pageSessions(OPERATOR, { counted, search: 'person-99999@' }),
    'sessions, search, none': () => pageSessions(OPERATOR, { counted, search: 'nowhere' }),
    'audit, first page': () => pageAudit(OPERATOR, { counted }),
    'audit, oldest': () => pageAudit(OPERATOR, { counted, order: 'at' }),
    'audit, of one client': () => pageAudit(OPERATOR, { counted, clientId: 'client-000077' }),
    'audit, one event': () => pageAudit(OPERATOR, { counted, event: 'client.changed' }),
    'audit, an event that never was': () => pageAudit(OPERATOR, { counted, event: 'person.removed' }),
    'find, a client': () => find(OPERATOR, 'client-099999'),
    'find, the beginning of many names': () => find(OPERATOR, 'application'),
    'find, the same for one developer': () => find(developer, 'application'),
    'find, the same for an approver': () => find(approver, 'application'),
    'find, a redirect host': () => find(OPERATOR, 'client-77777.example'),
    'find, an address': () => find(OPERATOR, 'person-99999@example.com'),
    'find, a subscription': () => find(OPERATOR, 'client-000077 api-28'),
    'find, a request': () => find(OPERATOR, newRequestId()),
    'find, nothing': () => find(OPERATOR, 'nowhere'),
    'first numbers': () => readOverview(OPERATOR, { counts: true }),
  };
  return timeLists(PEOPLE > ROWS ? ofPeople : { ...ofPeople, ...others });
}

/**
 * Measures the lists again with one developer who owns every client with its subscription, one API that
 * receives every request, and one user with 10,000 sessions.
 */
async function measureOneOwner(db: Client): Promise<number> {
  const [{ id, email } = { id: '', email: '' }] = (
    await db.query<{ id: string; email: string }>(
      `select id, email from people where email = 'person-50000@example.com'`,
    )
  ).rows;
  // disables triggers, so that modification times stay unchanged
  await db.query('set session_replication_role = replica');
  await db.query('update clients set owner_id = $1', [id]);
  await db.query(`update subscriptions set api_id = 'api-1', state = 'pending'`);
  await db.query(
    `update sessions set person_id = $1, person_epoch = (select epoch from people where id = $1)
      where id_hash in (select id_hash from sessions limit 10000)`,
    [id],
  );
  await db.query('vacuum full analyze clients, subscriptions, sessions');
  const developer: Actor = {
    ...{ kind: 'person', id, email, roles: ['developer'], signedInAt: null, request: null },
  };
  const counted = true;
  process.stdout.write('\nWith one owner:\n');
  return timeLists({
    'clients, by id': () => pageClients(developer, { counted }),
    'clients, by name': () => pageClients(developer, { counted, order: 'name' }),
    'clients, newest': () => pageClients(developer, { counted, order: '-created' }),
    'clients, search': () => pageClients(developer, { counted, order: 'name', search: 'application 99' }),
    'subscriptions, last changed': () => pageSubscriptions(developer, { counted }),
    'subscriptions, by name': () => pageSubscriptions(developer, { counted, order: 'name' }),
    'subscriptions of one client': () =>
      pageSubscriptions(developer, { counted, clientId: 'client-000077', state: 'pending' }),
    'subscriptions at one API': () => pageSubscriptions(OPERATOR, { counted, api: 'api-1' }),
    'subscriptions at one API, by name': () =>
      pageSubscriptions(OPERATOR, { counted, api: 'api-1', order: 'name' }),
    inbox: () => pageInbox(OPERATOR, { counted }),
    'inbox, by name': () => pageInbox(OPERATOR, { counted, order: 'name' }),
    'sessions of one person': () => pageSessions(OPERATOR, { counted, personId: id }),
    'one’s own sessions': () => listMySessions(developer),
    'first numbers': () => readOverview(developer, { counts: true }),
    'find, the beginning of many names': () => findAnything(developer, { text: 'application' }),
  });
}

/** Measures these lists, and returns the number of lists above the time limit. */
async function timeLists(lists: Record<string, () => Promise<unknown>>): Promise<number> {
  let slow = 0;
  for (const [name, list] of Object.entries(lists)) {
    const times: number[] = [];
    for (let run = 0; run < RUNS; run += 1) {
      const began = performance.now();
      await list();
      times.push(performance.now() - began);
    }
    times.sort((a, b) => a - b);
    const [median = 0, most = 0] = [times[Math.floor(RUNS / 2)], times.at(-1)];
    if (median > LIMIT_MS) slow += 1;
    const mark = median > LIMIT_MS ? '  over the limit' : '';
    process.stdout.write(
      `${name.padEnd(34)} ${median.toFixed(1).padStart(7)} ms  (at most ${most.toFixed(1)} ms)${mark}\n`,
    );
  }
  return slow;
}
