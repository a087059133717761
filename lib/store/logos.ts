// Logos: kept once by their hash, read by it, and deleted with the last object that refers to them.
import { query } from './pool.ts';
import { type Db, some } from './prisma.ts';
import { raw, sql } from './sql.ts';

/**
 * WebP in two sizes. `hash`: SHA-256 of the large one; `source`: of what was sent, which is not kept. Both in
 * hexadecimal.
 */
export type Logo = { hash: string; source: string; small: Buffer; large: Buffer };

/** Keeps the picture, or notes that it is used again. Until the transaction ends it is not deleted. */
async function keep(db: Db, { hash, source, small, large }: Logo): Promise<void> {
  await db.$executeRaw(sql`insert into logos (hash, source, small, large) values (${hash}, ${source}, ${small}, ${large})
    on conflict (hash) do update set used_at = clock_timestamp()`);
}

/** False where it is not there. Otherwise it is not deleted until the transaction ends. */
function hold(db: Db, hash: string): Promise<boolean> {
  return some(db.$executeRaw(sql`update logos set used_at = clock_timestamp() where hash = ${hash}`));
}

/** The picture that was drawn from this source, or that is the source itself, as an export has it. */
const bySource = (source: string) =>
  `select hash from logos where source = ${source} or hash = ${source} order by hash limit 1`;

/** The hash of the picture; null: it is not there. Otherwise it is not deleted until the transaction ends. */
async function holdSource(db: Db, source: string): Promise<string | null> {
  const [logo] = await db.$queryRaw<
    { hash: string }[]
  >(sql`update logos l set used_at = clock_timestamp() from (values (${source}::text)) given (source)
      where l.hash = (${raw(bySource('given.source'))}) returning l.hash`);
  return logo?.hash ?? null;
}

const UNUSED = `not exists (select from apis a where a.brand ->> 'logo' = '/logo/' || l.hash)
  and not exists (select from clients c where c.brand ->> 'logo' = '/logo/' || l.hash)`;

/**
 * Deletes it where nothing refers to it any more. A new reference takes its lock first (`keep`, `hold`): it is left to
 * clean-up then. Two statements, so that the second one sees what was committed before the lock.
 */
async function release(db: Db, hash: string): Promise<void> {
  if (!(await some(db.$queryRaw(sql`select from logos where hash = ${hash} for update skip locked`)))) return;
  await db.$executeRaw(sql`delete from logos l where hash = ${hash} and ${raw(UNUSED)}`);
}

/** Null: it is not there. */
async function find(hash: string, size: 'small' | 'large'): Promise<Buffer | null> {
  const [logo] = await query<{ bytes: Buffer }>(
    sql`select ${raw(size)} as bytes from logos where hash = ${hash}`,
  );
  return logo?.bytes ?? null;
}

/** Those among these sources that are there, with the hash that `holdSource` gives. */
async function selectSources(sources: string[]): Promise<Map<string, string>> {
  const rows = await query<{ source: string; hash: string }>(
    sql`select s as source, (${raw(bySource('s'))}) as hash from unnest(${sources}::text[]) s`,
  );
  return new Map(rows.flatMap(({ source, hash }) => (hash === null ? [] : [[source, hash]])));
}

/** Those among these that are no larger. */
const selectSmall = (hashes: string[], bytes: number): Promise<Pick<Logo, 'hash' | 'large'>[]> =>
  query(sql`select hash, large from logos where hash = any (${hashes}) and octet_length(large) <= ${bytes}`);

/** What is left: without a reference, and unused for an hour. */
export async function deleteUnusedLogos(limit: number): Promise<number> {
  const gone = await query(
    sql`delete from logos where hash = any (array(select l.hash from logos l
      where l.used_at < now() - interval '1 hour' and ${raw(UNUSED)} limit ${limit} for update skip locked)) returning 1`,
  );
  return gone.length;
}

export const logos = { keep, hold, holdSource, release, find, selectSources, selectSmall };
