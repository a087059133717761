// Embedded PostgreSQL for benchmarks, configured like a production database of equal size.
import { totalmem } from 'node:os';
import type pg from 'pg';
import { ensureEmbeddedDatabase } from '#lib/embedded-database/embedded.ts';
import { withClient } from '#testing/data/sql.ts';

/** Same settings in every run for comparison. Commits are durable, like the default. */
const SETTINGS = {
  // 25 % of memory, as PostgreSQL's manual recommends
  shared_buffers: `${Math.floor(totalmem() / 4 / 2 ** 20)}MB`,
  max_wal_size: '24GB',
  checkpoint_timeout: '30min',
  autovacuum_naptime: '1min',
};

export async function openDatabase(
  dataDir: string,
  name: string,
): Promise<{ databaseUrl: string; stop: () => Promise<void> }> {
  let embedded = await ensureEmbeddedDatabase(dataDir);
  if (await withClient(embedded.databaseUrl, needsRestart)) {
    await embedded.stop();
    embedded = await ensureEmbeddedDatabase(dataDir);
  }
  await withClient(embedded.databaseUrl, async (db) => {
    const { rowCount } = await db.query('select 1 from pg_database where datname = $1', [name]);
    if (rowCount === 0) await db.query(`create database ${name}`);
  });
  return { databaseUrl: embedded.databaseUrl.replace(/\/gatehouse$/, `/${name}`), stop: embedded.stop };
}

/** Creates an empty database on the same server, and returns its URL. */
export async function createDatabase(databaseUrl: string, name: string): Promise<URL> {
  await withClient(databaseUrl, async (db) => {
    await db.query(`drop database if exists ${name} with (force)`);
    await db.query(`create database ${name}`);
  });
  const address = new URL(databaseUrl);
  address.pathname = `/${name}`;
  return address;
}

async function needsRestart(db: pg.Client): Promise<boolean> {
  for (const [setting, value] of Object.entries(SETTINGS))
    await db.query(`alter system set ${setting} = '${value}'`);
  await db.query('select pg_reload_conf()');
  // PostgreSQL rereads its settings shortly after the reload request, so this waits
  const { rows } = await db.query<{ pending: boolean }>(
    `select exists (select from pg_file_settings f join pg_settings s using (name)
       where f.name = 'shared_buffers' and pg_size_bytes(f.setting) <> pg_size_bytes(current_setting(f.name))) as pending`,
  );
  return rows[0]?.pending ?? false;
}

/** Simulates a database with old rows: vacuumed, on disk, cached in memory as far as possible. */
export async function settle(db: pg.Client): Promise<void> {
  await db.query('vacuum (analyze)');
  await db.query('checkpoint');
  await db.query('create extension if not exists pg_prewarm');
  await db.query(
    "select pg_prewarm(oid) from pg_class where relkind in ('r', 'i') and relnamespace = 'public'::regnamespace",
  );
}

/** Returns the process id of the database server. */
export async function postmasterOf(db: pg.Client): Promise<number> {
  const { rows } = await db.query("select split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int as pid");
  return (rows[0] as { pid: number }).pid;
}
