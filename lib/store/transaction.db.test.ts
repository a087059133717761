// Prisma and SQL share a connection, so changes are atomic, and outages cause the same errors.
import { spawnSync } from 'node:child_process';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadSettings } from '#lib/settings/settings.ts';
import { closePool, DatabaseUnavailable, query } from './pool.ts';
import { afterCommit, database, inTransaction } from './prisma.ts';

const url = process.env['DATABASE_URL'] as string;
const names = async () =>
  (await query<{ name: string }>({ text: 'select name from people order by name' })).map((row) => row.name);

beforeEach(async () => {
  await query({ text: 'delete from people' });
});
afterEach(async () => {
  process.env['DATABASE_URL'] = url;
  loadSettings();
  await closePool();
});

test('within a transaction, Prisma and SQL see each other’s writes, and other callers see them after the commit', async () => {
  await inTransaction(async (db) => {
    await db.person.create({ data: { name: 'Ada' } });
    expect(await db.$queryRaw`select name from people`).toEqual([{ name: 'Ada' }]);
    await db.$executeRaw`insert into people (name) values ('Bob')`;
    expect(await db.person.count()).toBe(2);
    expect(await names()).toEqual([]);
  });
  expect(await names()).toEqual(['Ada', 'Bob']);
});

test('an error rolls back writes by Prisma and SQL, and is thrown again unchanged', async () => {
  const fault = new Error('no');
  const change = inTransaction(async (db) => {
    await db.person.create({ data: { name: 'Ada' } });
    await db.$executeRaw`insert into people (name) values ('Bob')`;
    throw fault;
  });
  await expect(change).rejects.toBe(fault);
  expect(await names()).toEqual([]);
});

test('another service’s error in a transaction is rethrown unchanged, even if it reads like a database outage', async () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED 192.0.2.1:25'), { code: 'ECONNREFUSED' });
  const timeout = new Error('timeout of the directory');
  for (const fault of [refused, timeout])
    await expect(inTransaction(() => Promise.reject(fault))).rejects.toBe(fault);
});

test('afterCommit: callbacks run after the commit, and if one fails, the other callbacks and the caller continue', async () => {
  const ran: string[] = [];
  const result = await inTransaction(async (db) => {
    await db.person.create({ data: { name: 'Ada' } });
    afterCommit(() => {
      ran.push('first');
      throw new Error('no mail server');
    });
    afterCommit(() => void ran.push('second'));
    expect(ran).toEqual([]);
    return 'done';
  });
  expect([result, ...ran]).toEqual(['done', 'first', 'second']);
  expect(await names()).toEqual(['Ada']);
});

test('afterCommit: a rollback drops the callbacks', async () => {
  const ran: string[] = [];
  const change = inTransaction(async () => {
    afterCommit(() => void ran.push('never'));
    throw new Error('no');
  });
  await expect(change).rejects.toThrow('no');
  expect(ran).toEqual([]);
});

test('queries after the end of their transaction are rejected', async () => {
  const db = await inTransaction(async (inside) => inside);
  await expect(db.person.create({ data: { name: 'Ada' } })).rejects.toThrow();
  expect(await names()).toEqual([]);
});

test('30 concurrent transactions share the pool, and each uses one connection', async () => {
  const pids = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      inTransaction(async (db) => {
        const pid = async () =>
          (await db.$queryRaw<{ pid: number }[]>`select pg_backend_pid() as pid`)[0]?.pid;
        const first = await pid();
        await db.person.create({ data: { name: `person ${index}` } });
        return first === (await pid());
      }),
    ),
  );
  expect(pids).toEqual(Array.from({ length: 30 }, () => true));
  expect(await names()).toHaveLength(30);
});

test('long transactions wait for each other, and single statements never wait for them', async () => {
  let ended = 0;
  const long = Array.from({ length: 30 }, () =>
    inTransaction(async (db) => {
      await db.$executeRaw`select pg_sleep(0.6)`;
      ended += 1;
    }),
  );
  const all = Promise.all(long);
  expect(await names()).toEqual([]);
  expect(await (await database()).person.count()).toBe(0);
  expect(ended).toBeLessThan(30);
  await all;
  expect(ended).toBe(30);
});

test('Prisma and SQL read the same time, whatever time zone the database prefers', async () => {
  const { pathname } = new URL(url);
  await query({ text: `alter database ${pathname.slice(1)} set timezone = 'Asia/Kolkata'` });
  await closePool();
  await query({
    text: `insert into people (name, disabled_at) values ('Ada', '2026-02-03T04:05:06Z')`,
  });
  const [read] = await (await database()).person.findMany();
  expect(read?.disabledAt).toEqual(new Date('2026-02-03T04:05:06Z'));
  await (await database()).person.updateMany({ data: { disabledAt: read?.disabledAt ?? null } });
  const [stored] = await query({ text: 'select disabled_at from people' });
  expect(stored).toEqual({ disabled_at: new Date('2026-02-03T04:05:06Z') });
});

test('during an outage Prisma, SQL and transactions throw DatabaseUnavailable', async () => {
  process.env['DATABASE_URL'] = url.replace(/:\d+\//, ':1/');
  loadSettings();
  await closePool();
  await expect((await database()).person.count()).rejects.toThrow(DatabaseUnavailable);
  await expect(query({ text: 'select 1' })).rejects.toThrow(DatabaseUnavailable);
  await expect(inTransaction(async () => 1)).rejects.toThrow(DatabaseUnavailable);
});

test('a connection cut during a transaction throws DatabaseUnavailable, rolls back, and leaves the pool working', async () => {
  for (let round = 0; round < 12; round += 1) {
    const change = inTransaction(async (db) => {
      await db.person.create({ data: { name: 'Ada' } });
      await db.$executeRaw`select pg_terminate_backend(pg_backend_pid())`.catch(() => {});
      await db.person.count();
    });
    await expect(change).rejects.toThrow(DatabaseUnavailable);
  }
  expect(await names()).toEqual([]);
  expect(await inTransaction((db) => db.person.count())).toBe(0);
});

test('reading the store and its snapshot, writing an audit event and the webhook never load Prisma', () => {
  const program = `
    import { registerHooks } from 'node:module';
    const seen = [];
    registerHooks({ resolve(specifier, context, next) { seen.push(specifier); return next(specifier, context); } });
    const { globSync } = await import('node:fs');
    for (const file of globSync('lib/store/**/*.ts'))
      if (!/\\.test\\.ts$|\\/generated\\//.test(file)) await import(\`\${process.cwd()}/\${file}\`);
    const { closePool } = await import('#lib/store/pool.ts');
    const { currentSnapshot } = await import('#lib/store/snapshot.ts');
    const { insertAuditEvent, selectAuditEvents } = await import('#lib/store/audit.ts');
    const { leaseWebhook } = await import('#lib/store/audit.ts');
    await currentSnapshot();
    await insertAuditEvent({ event: 'session.ended', details: {} });
    await leaseWebhook();
    await selectAuditEvents({ limit: 1, afterId: null });
    await closePool();
    console.log(JSON.stringify(seen.filter((name) => /@prisma\\/(client($|\\/)|adapter)|generated/.test(name))));`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  expect(JSON.parse(stdout)).toEqual([]);
});
