// After an older backup was put back: what was used, revoked or signed out since then looks fresh again. Everything
// that was issued before a moment ends, even if the restored rows say otherwise.
import type { Db } from '../database/prisma.ts';
import { sql } from '../database/sql.ts';

export type Invalidated = { families: number; codes: number; sessions: number };

const BATCH = 5_000;

/** What of each table, and how it is marked; `$1` is the moment. */
const ENDED = [
  ['sessions', 'id_hash', 'ended_at = now()', 'auth_time < $1 and ended_at is null'],
  ['codes', 'code_hash', 'revoked_at = now()', 'issued_at < $1 and used_at is null and revoked_at is null'],
  [
    'families',
    'id',
    "revoked_at = now(), revoked_reason = 'everything issued before a moment was invalidated'",
    // one that was given since may rest on a code or a sign-in from before
    `revoked_at is null and (created_at < $1 or exists (select 1 from codes c left join sessions x on x.id_hash = c.session_hash
      where c.family_id = token_families.id and (c.issued_at < $1 or x.auth_time < $1)))`,
  ],
] as const;

/**
 * A process may know a version of the registry that this database has not reached again: the next ones must not have
 * its numbers, or it would take its own for the current one. Without the log, everybody reads all of it.
 */
const NEW_VERSION = sql`with newer as (update directory_version set version = version + 1000000 where id = 1),
  forgotten as (delete from directory_changes)
  select pg_notify('gatehouse_directory', '')`;

/** A machine asks for another token at once, so the number is not told. */
const endMachinesBefore = (db: Db, before: Date) =>
  db.machineToken.deleteMany({ where: { issuedAt: { lt: before } } });

/** Most of it, in small steps that block no request. What is in flight meanwhile is left to `invalidateBefore`. */
export async function invalidateMost(db: Db, before: Date): Promise<Invalidated> {
  await db.$executeRaw(NEW_VERSION);
  await endMachinesBefore(db, before);
  return endEach(db, before, `limit ${BATCH}`);
}

/**
 * The rest. Waits for statements in flight, and lets none begin until the transaction is over: they see what was ended.
 */
export async function invalidateBefore(db: Db, before: Date): Promise<Invalidated> {
  await db.$executeRaw`lock table sessions, codes, token_families, machine_tokens in share row exclusive mode`;
  await endMachinesBefore(db, before);
  await db.brokerState.deleteMany({ where: { createdAt: { lt: before } } });
  await db.mailToken.deleteMany({ where: { createdAt: { lt: before } } });
  return endEach(db, before, '');
}

async function endEach(db: Db, before: Date, limit: string): Promise<Invalidated> {
  const ended: Invalidated = { families: 0, codes: 0, sessions: 0 };
  for (const [what, key, mark, where] of ENDED) {
    const table = what === 'families' ? 'token_families' : what;
    const text = `update ${table} set ${mark} where ${key} in (select ${key} from ${table} where ${where} ${limit})`;
    let count: number;
    do {
      count = await db.$executeRawUnsafe(text, before);
      ended[what] += count;
    } while (limit !== '' && count === BATCH);
  }
  return ended;
}
