// Logos: kept once by their hash, read by it, and deleted with the last object that refers to them.
import type { Logo } from '#lib/registry/index.ts';
import { query } from './pool.ts';
import { raw, sql } from './sql.ts';
import type { Db } from './transaction.ts';

/** Keeps the picture, or notes that it is used again. Until the transaction ends nobody deletes it. */
async function keep(db: Db, { hash, type, bytes }: Logo): Promise<void> {
  await db.query(sql`insert into logos (hash, type, bytes) values (${hash}, ${type}, ${bytes})
    on conflict (hash) do update set used_at = clock_timestamp()`);
}

/** False where it is not there. Otherwise nobody deletes it until the transaction ends. */
function use(db: Db, hash: string): Promise<boolean> {
  return db.any(sql`update logos set used_at = clock_timestamp() where hash = ${hash} returning 1`);
}

const UNUSED = `not exists (select from apis a where a.brand ->> 'logo' = '/logo/' || l.hash)
  and not exists (select from clients c where c.brand ->> 'logo' = '/logo/' || l.hash)`;

/**
 * Deletes it where nothing refers to it any more. Whoever begins to has its lock first (`keep`, `use`): it is left to clean-up then.
 * Two statements, so that the second one sees whatever was committed before the lock was had.
 */
async function release(db: Db, hash: string): Promise<void> {
  if (!(await db.any(sql`select from logos where hash = ${hash} for update skip locked`))) return;
  await db.query(sql`delete from logos l where hash = ${hash} and ${raw(UNUSED)}`);
}

const read = <Row>(text: string, values: unknown[]) => query<Row>({ text, values });

async function find(hash: string): Promise<Logo | null> {
  const [logo] = await read<Logo>('select hash, type, bytes from logos where hash = $1', [hash]);
  return logo ?? null;
}

/** Those among these that are no larger. */
const selectSmall = (hashes: string[], bytes: number): Promise<Logo[]> =>
  read('select hash, type, bytes from logos where hash = any ($1) and octet_length(bytes) <= $2', [
    hashes,
    bytes,
  ]);

/** What is left: nothing refers to it, and nobody has begun to for an hour. */
export async function deleteUnusedLogos(limit: number): Promise<number> {
  const gone = await read(
    `delete from logos where hash = any (array(select l.hash from logos l
      where l.used_at < now() - interval '1 hour' and ${UNUSED} limit $1 for update skip locked)) returning 1`,
    [limit],
  );
  return gone.length;
}

export const logos = { keep, use, release, find, selectSmall };
