// A recheck batch reads few rows, even if the tables have no statistics yet, as in the first recheck after an import.
import type { Client } from 'pg';
import { expect, test } from 'vitest';
import { givenBasis } from '#testing/data/families.ts';
import { withClient } from '#testing/data/sql.ts';
import { recheckStatement } from './identities.ts';

const MANY = 5_000;
/** Number of rows that a batch of 50 users needs: identity, session and token family of each user. */
const A_BATCH = 3 * 50;

type Node = {
  'Node Type': string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: Node[];
};
const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];
const readBy = (node: Node) =>
  node['Actual Loops'] *
  (node['Actual Rows'] +
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0));

/** Table scans of a batch, and rows read. */
async function readIn(db: Client, after: string) {
  const { text, values } = recheckStatement('local', after);
  await db.query(`prepare batch as ${text}`);
  const { rows } = await db.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(
    `explain (analyze, format json) execute batch (${values.map((value) => db.escapeLiteral(String(value)))})`,
  );
  await db.query('deallocate batch');
  const nodes = nodesOf((rows[0] as (typeof rows)[0])['QUERY PLAN'][0].Plan);
  const scans = nodes.filter((node) =>
    ['Seq Scan', 'Index Scan', 'Index Only Scan', 'Bitmap Index Scan', 'Bitmap Heap Scan'].includes(
      node['Node Type'],
    ),
  );
  return {
    ways: [...new Set(scans.map((node) => node['Node Type']))],
    rows: Math.round(scans.reduce((sum, node) => sum + readBy(node), 0)),
  };
}

const TABLES = ['external_identities', 'sessions', 'token_families'];
const subject = (number: number) => `s${String(number).padStart(6, '0')}`;

async function insertPeople(db: Client, from: number, to: number, signedIn: boolean) {
  const numbers = `generate_series(${from}, ${to - 1}) i`;
  const id = `md5('p' || i)::uuid`;
  await db.query(`insert into people (id) select ${id} from ${numbers}`);
  await db.query(
    `insert into external_identities (auth_method_id, subject, person_id)
     select 'local', 's' || lpad(i::text, 6, '0'), ${id} from ${numbers}`,
  );
  if (!signedIn) return;
  await db.query(
    `insert into sessions (id_hash, kind, auth_method_id, person_id, expires_at)
     select sha256(i::text::bytea), 'sign-in', 'local', ${id}, now() + interval '1 day' from ${numbers}`,
  );
  await db.query(
    `insert into token_families (id, person_id, client_id, api_id, auth_method_id, basis, auth_time, expires_at)
     select ${id}, ${id}, 'shop', 'orders', 'local', 'trusted', now(), now() + interval '1 day' from ${numbers}`,
  );
}

/** Runs `work` in an uncommitted transaction, so that autovacuum never analyzes the tables. */
const within = (work: (db: Client) => Promise<void>) =>
  withClient(process.env['DATABASE_URL'] as string, async (db) => {
    await db.query('begin');
    await db.query('truncate people, auth_methods, apis, clients cascade');
    await givenBasis((text, values) => db.query(text, values), { trusted: true });
    await work(db);
    await db.query('rollback');
  });

const analyze = (db: Client) => db.query(`analyze ${TABLES}`);
const CASES: [statistics: string, insert: (db: Client) => Promise<unknown>][] = [
  ['none', (db) => insertPeople(db, 0, MANY, true)],
  [
    'of one person who was there before',
    async (db) => {
      await insertPeople(db, 0, 1, true);
      await db.query(`insert into sessions (id_hash, kind, auth_method_id, person_id, expires_at)
        select sha256(('a' || i)::bytea), 'sign-in', 'local', md5('p0')::uuid, now() from generate_series(1, 500) i`);
      await db.query(`insert into token_families
        (id, person_id, client_id, api_id, auth_method_id, basis, auth_time, expires_at)
        select gen_random_uuid(), md5('p0')::uuid, 'shop', 'orders', 'local', 'trusted', now(), now()
        from generate_series(1, 500) i`);
      await analyze(db);
      await insertPeople(db, 1, MANY, true);
    },
  ],
  [
    'of all',
    async (db) => {
      await insertPeople(db, 0, MANY, true);
      await analyze(db);
    },
  ],
];

test.each(CASES)('with table statistics %s, a batch of rechecks reads only its own rows', (_, insert) =>
  within(async (db) => {
    await insert(db);
    for (const mode of ['force_custom_plan', 'force_generic_plan']) {
      await db.query(`set local plan_cache_mode = ${mode}`);
      for (const at of [1, MANY / 2, MANY - 60]) {
        const { ways, rows } = await readIn(db, subject(at));
        expect(ways).not.toContain('Seq Scan');
        // a bitmap scan counts each row twice: in the index and in the table
        expect(rows).toBeLessThanOrEqual(2 * A_BATCH);
      }
    }
  }),
);

test('if few users are signed in, a batch of rechecks reads 1,000 identities', () =>
  within(async (db) => {
    await insertPeople(db, 0, MANY, false);
    await insertPeople(db, MANY, MANY + 1_000, true);
    const { ways, rows } = await readIn(db, subject(1));
    expect(ways).not.toContain('Seq Scan');
    expect(rows).toBe(1_000);
    expect((await readIn(db, subject(MANY - 1))).rows).toBeLessThanOrEqual(2 * A_BATCH);
  }));
