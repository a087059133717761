// Logos: stored once per hash, read by hash, deleted with their last reference.
import { type Db, database, readRow, readRows, some } from './prisma.ts';
import { raw, sql } from './sql.ts';

/**
 * WebP in two sizes. `hash`: SHA-256 of the large image; `source`: SHA-256 of the upload, which is not stored. Both are
 * hexadecimal.
 */
export type Logo = { hash: string; source: string; small: Buffer; large: Buffer };

/** Stores the logo or updates its last use. The logo cannot be deleted until the transaction ends. */
async function keep(db: Db, { hash, source, small, large }: Logo): Promise<void> {
  await db.$executeRaw(sql`insert into logos (hash, source, small, large) values (${hash}, ${source}, ${small}, ${large})
    on conflict (hash) do update set used_at = clock_timestamp()`);
}

/** Returns false for an unknown logo. Otherwise the logo cannot be deleted until the transaction ends. */
function hold(db: Db, hash: string): Promise<boolean> {
  return some(db.$executeRaw(sql`update logos set used_at = clock_timestamp() where hash = ${hash}`));
}

/** SQL that finds a logo by the hash of its upload or by its own hash, because exports contain either hash. */
const bySource = (source: string) =>
  `select hash from logos where source = ${source} or hash = ${source} order by hash limit 1`;

/** Returns the hash of the logo, or null if it is unknown. The logo cannot be deleted until the transaction ends. */
async function holdSource(db: Db, source: string): Promise<string | null> {
  const logo = await readRow(db, { hash: 'text' })`
    update logos l set used_at = clock_timestamp() from (values (${source}::text)) given (source)
      where l.hash = (${raw(bySource('given.source'))}) returning l.hash`;
  return logo?.hash ?? null;
}

const UNUSED = `not exists (select from apis a where a.brand ->> 'logo' = '/logo/' || l.hash)
  and not exists (select from clients c where c.brand ->> 'logo' = '/logo/' || l.hash)`;

/**
 * Deletes an unreferenced logo. A concurrent new reference locks the row first (`keep`, `hold`); the logo then remains
 * for clean-up. Two statements are used, so that the second sees data committed before the lock.
 */
async function release(db: Db, hash: string): Promise<void> {
  if (!(await some(db.$executeRaw(sql`select from logos where hash = ${hash} for update skip locked`))))
    return;
  await db.$executeRaw(sql`delete from logos l where hash = ${hash} and ${raw(UNUSED)}`);
}

/** Returns null if the logo is unknown. */
async function find(hash: string, size: 'small' | 'large'): Promise<Buffer | null> {
  const logo = await readRow(database(), {
    bytes: 'bytea',
  })`select ${raw(size)} as bytes from logos where hash = ${hash}`;
  return logo?.bytes ?? null;
}

/** Finds the logos with these sources. Returns for each logo found the hash that `holdSource` returns. */
async function selectSources(sources: string[]): Promise<Map<string, string>> {
  const rows = await readRows(database(), {
    source: 'text',
    hash: 'text?',
  })`select s as source, (${raw(bySource('s'))}) as hash from unnest(${sources}::text[]) s`;
  return new Map(rows.flatMap(({ source, hash }) => (hash === null ? [] : [[source, hash]])));
}

/** Finds logos with at most this number of bytes. */
const selectSmall = (hashes: string[], bytes: number): Promise<Pick<Logo, 'hash' | 'large'>[]> =>
  readRows(database(), {
    hash: 'text',
    large: 'bytea',
  })`select hash, large from logos where hash = any (${hashes}) and octet_length(large) <= ${bytes}`;

/** Deletes logos without a reference that have been unused for an hour. */
export async function deleteUnusedLogos(limit: number): Promise<number> {
  return database().$executeRaw(
    sql`delete from logos where hash = any (array(select l.hash from logos l
      where l.used_at < now() - interval '1 hour' and ${raw(UNUSED)} limit ${limit} for update skip locked))`,
  );
}

export const logos = { keep, hold, holdSource, release, find, selectSources, selectSmall };
