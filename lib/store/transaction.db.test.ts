// Prisma and SQL share a connection, so changes are atomic, and outages cause the same errors.
import { spawnSync } from 'node:child_process';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { loadSettings } from '#lib/settings/settings.ts';
import { sourcesOf } from '#testing/code/sources.ts';
import { closePool, DatabaseUnavailable, pool, query } from './pool.ts';
import { afterCommit, currentConnection, type Db, database, inTransaction } from './prisma.ts';
import { sql } from './sql.ts';

const url = process.env['DATABASE_URL'] as string;
const names = async () =>
  (await query<{ name: string }>({ text: 'select name from people order by name' })).map((row) => row.name);

const ADD_BOB = { text: "insert into people (name) values ('Bob')" };

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
    expect(await db.run(sql`select name from people`)).toEqual([{ name: 'Ada' }]);
    await db.run(ADD_BOB);
    expect(await db.person.count()).toBe(2);
    expect(await names()).toEqual([]);
  });
  expect(await names()).toEqual(['Ada', 'Bob']);
});

test('an error rolls back writes by Prisma and SQL, and is thrown again unchanged', async () => {
  const fault = new Error('no');
  const change = inTransaction(async (db) => {
    await db.person.create({ data: { name: 'Ada' } });
    await db.run(ADD_BOB);
    throw fault;
  });
  await expect(change).rejects.toBe(fault);
  expect(await names()).toEqual([]);
});

test('a transaction whose failed statement was caught throws, because PostgreSQL can not commit it', async () => {
  const change = inTransaction(async (db) => {
    await db.run(ADD_BOB);
    await db.run({ text: 'select nothing' }).catch(() => {});
  });
  await expect(change).rejects.toThrow('a failed statement has ended the transaction');
  expect(await names()).toEqual([]);
});

test('statements that start together run one after the other', async () => {
  const numbers = await inTransaction((db) =>
    Promise.all(
      [1, 2, 3].map(async (n) => [await db.run({ text: `select ${n} as n` }), await db.person.count()]),
    ),
  );
  expect(numbers).toEqual([1, 2, 3].map((n) => [[{ n }], 0]));
});

test('nested transactions join the outer one, except those that are rolled back', async () => {
  await inTransaction(async (db) => {
    await db.run(ADD_BOB);
    expect(await inTransaction((nested) => nested.person.count())).toBe(1);
    const separate = inTransaction(async (nested) => {
      await nested.person.create({ data: { name: 'Ada' } });
      return nested.person.count();
    }, 'rollback');
    expect(await separate).toBe(1);
    expect(await db.person.count()).toBe(1);
  });
  expect(await names()).toEqual(['Bob']);
});

test('transactions that are rolled back need no place, so holders of all places can wait for them', async () => {
  let inside = 0;
  const all = Promise.withResolvers<void>();
  const places = pool().options.max - 1;
  const holders = Array.from({ length: places }, () =>
    inTransaction(async () => {
      inside += 1;
      if (inside === places) all.resolve();
      await all.promise;
      return inTransaction(({ run }) => run({ text: 'select 1' }), 'rollback');
    }),
  );
  expect(await Promise.all(holders)).toHaveLength(places);
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

test('typed and raw statements after the end of their transaction are rejected', async () => {
  for (const first of [async () => 0, (db: Db) => db.person.count()]) {
    const db = await inTransaction(async (inside) => {
      await first(inside);
      return inside;
    });
    await expect(db.person.create({ data: { name: 'Ada' } })).rejects.toThrow();
    await expect(db.run(ADD_BOB)).rejects.toThrow('the transaction has ended');
  }
  expect(await names()).toEqual([]);
});

test('30 concurrent transactions share the pool, and each uses one connection', async () => {
  const pids = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      inTransaction(async (db) => {
        const pid = async () => (await db.run<{ pid: number }>(sql`select pg_backend_pid() as pid`))[0]?.pid;
        const first = await pid();
        await db.person.create({ data: { name: `person ${index}` } });
        return first === (await pid());
      }),
    ),
  );
  expect(pids).toEqual(Array.from({ length: 30 }, () => true));
  expect(await names()).toHaveLength(30);
});

test('long transactions queue for connections, and single statements run without delay', async () => {
  let ended = 0;
  const long = Array.from({ length: 30 }, () =>
    inTransaction(async (db) => {
      await db.$executeRaw(sql`select pg_sleep(0.6)`);
      ended += 1;
    }),
  );
  const all = Promise.all(long);
  expect(await names()).toEqual([]);
  expect(await database().person.count()).toBe(0);
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
  const [read] = await database().person.findMany();
  expect(read?.disabledAt).toEqual(new Date('2026-02-03T04:05:06Z'));
  await database().person.updateMany({ data: { disabledAt: read?.disabledAt ?? null } });
  const [stored] = await query({ text: 'select disabled_at from people' });
  expect(stored).toEqual({ disabled_at: new Date('2026-02-03T04:05:06Z') });
});

test('during an outage Prisma, SQL and transactions throw DatabaseUnavailable', async () => {
  process.env['DATABASE_URL'] = url.replace(/:\d+\//, ':1/');
  loadSettings();
  await closePool();
  await expect(database().person.count()).rejects.toThrow(DatabaseUnavailable);
  await expect(query({ text: 'select 1' })).rejects.toThrow(DatabaseUnavailable);
  await expect(inTransaction(async () => 1)).rejects.toThrow(DatabaseUnavailable);
});

test('a connection cut during a transaction throws DatabaseUnavailable, rolls back, and leaves the pool working', async () => {
  for (let round = 0; round < 12; round += 1) {
    const change = inTransaction(async (db) => {
      await db.person.create({ data: { name: 'Ada' } });
      await db.$executeRaw(sql`select pg_terminate_backend(pg_backend_pid())`).catch(() => {});
      await db.person.count();
    });
    await expect(change).rejects.toThrow(DatabaseUnavailable);
  }
  expect(await names()).toEqual([]);
  expect(await inTransaction((db) => db.person.count())).toBe(0);
});

test('the limit of a transaction does not cut its commit', async () => {
  await query({
    text: `create function slow() returns trigger language plpgsql as $$ begin perform pg_sleep(1); return null; end $$`,
  });
  await query({
    text: `create constraint trigger slow after insert on people deferrable initially deferred
      for each row execute function slow()`,
  });
  try {
    await inTransaction((db) => db.run(ADD_BOB), 'commit', 500);
    expect(await names()).toEqual(['Bob']);
  } finally {
    await query({ text: 'drop function slow cascade' });
  }
});

test('work that continues after the limit of its transaction changes nothing', async () => {
  const limit = Promise.withResolvers<void>();
  const outcomes = Promise.withResolvers<unknown[]>();
  const notified = vi.fn();
  const change = inTransaction(
    async () => {
      await limit.promise;
      const outcome = (work: () => unknown) =>
        Promise.resolve()
          .then(work)
          .catch((error: Error) => error.constructor);
      const steps = [
        () => inTransaction((db) => db.run(ADD_BOB)),
        () => inTransaction((db) => db.run(ADD_BOB), 'rollback'),
        () => currentConnection().run(ADD_BOB),
        () => afterCommit(notified),
      ];
      outcomes.resolve(await Promise.all(steps.map(outcome)));
    },
    'commit',
    500,
  );
  await expect(change).rejects.toThrow(DatabaseUnavailable);
  limit.resolve();
  expect(await outcomes.promise).toEqual(Array(4).fill(DatabaseUnavailable));
  expect(notified).not.toHaveBeenCalled();
  expect(await names()).toEqual([]);
});

test('a transaction above its limit throws DatabaseUnavailable, rolls back and frees its place, even if its work waits for another service', async () => {
  const never = Promise.withResolvers<void>();
  const late: Promise<unknown>[] = [];
  const waiting = async (db: Db) => {
    await db.run(ADD_BOB);
    await never.promise;
    late.push(db.run(ADD_BOB).catch((error: Error) => error.message));
  };
  const changes = [
    // more than the places, so that later ones start after earlier ones have ended
    ...Array.from({ length: pool().options.max + 2 }, () => inTransaction(waiting, 'commit', 1_000)),
    inTransaction(waiting, 'rollback', 1_000),
    inTransaction((db) => db.run({ text: 'select pg_sleep(60)' }), 'commit', 1_000),
  ];
  for (const outcome of await Promise.allSettled(changes))
    expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(DatabaseUnavailable) });
  expect(await names()).toEqual([]);
  expect(await inTransaction((db) => db.person.count())).toBe(0);
  never.resolve();
  await expect.poll(() => late.length).toBeGreaterThan(0);
  expect(new Set(await Promise.all(late))).toEqual(new Set(['the transaction has ended']));
  expect(await names()).toEqual([]);
});

test('the snapshot, the first key, usage counts, an audit event and the webhook never load Prisma', () => {
  const program = `
    import { registerHooks } from 'node:module';
    const seen = [];
    registerHooks({ resolve(specifier, context, next) { seen.push(specifier); return next(specifier, context); } });
    for (const file of ${JSON.stringify(sourcesOf('store').map(({ file }) => file))})
      await import(\`\${process.cwd()}/\${file}\`);
    const { closePool } = await import('#lib/store/pool.ts');
    const { currentSnapshot } = await import('#lib/store/snapshot.ts');
    const { insertAuditEvent, selectAuditEvents } = await import('#lib/store/audit.ts');
    const { leaseWebhook } = await import('#lib/store/audit.ts');
    await currentSnapshot();
    await insertAuditEvent({ event: 'session.ended', details: {} });
    await leaseWebhook();
    const { createFirstKey } = await import('#lib/store/keys.ts');
    await createFirstKey({ kid: 'x', alg: 'ES256', publicJwk: {}, sealedPrivate: 'x' }, {});
    await (await import('#lib/store/usage.ts')).addUsage([]);
    await selectAuditEvents({ limit: 1, afterId: null });
    await closePool();
    console.log(JSON.stringify(seen.filter((name) => /@prisma\\/(client($|\\/)|adapter)|generated/.test(name))));`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  expect(JSON.parse(stdout)).toEqual([]);
});
