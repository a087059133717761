// The salt of pairwise subject identifiers (OpenID Connect Core §8.1), sealed, in its one row.
import { query } from '../database/pool.ts';
import type { Db } from '../database/prisma.ts';
import { sealForRow } from '../database/sealed.ts';
import { sql } from '../database/sql.ts';

/** Of the one row there is. */
export const SUBJECT_SALT_ID = '1';

/** Stores the salt unless another instance was first; gives the one that is stored, sealed. */
export async function createSubjectSalt(salt: string): Promise<string> {
  const sealed = sealForRow('subject_salt', SUBJECT_SALT_ID, salt);
  // it waits for the first process; the next statement sees what that stored
  await query(sql`insert into subject_salt (sealed_salt) values (${sealed}) on conflict (id) do nothing`);
  const [row] = await query<{ sealed: string }>(sql`select sealed_salt as sealed from subject_salt`);
  if (!row) throw new Error('the salt of subject identifiers was not stored');
  return row.sealed;
}

/**
 * From now on tokens ask for the subject of a person, and sign-in pages for names that are no address. It is said
 * before the people are there: a request that began earlier is handled again, since what clients share has changed.
 */
export async function announceKept(db: Db, kept: { subjects: boolean; usernames: boolean }): Promise<void> {
  await db.$executeRaw(sql`update subject_salt
    set kept_subjects = kept_subjects or ${kept.subjects}, usernames = usernames or ${kept.usernames}
    where (${kept.subjects} and not kept_subjects) or (${kept.usernames} and not usernames)`);
}

/**
 * People come from another service: every process reads what it remembers of people anew, with the first request after
 * this is committed.
 */
export async function renewKept(db: Db): Promise<void> {
  await db.$executeRaw(sql`update subject_salt set kept_epoch = kept_epoch + 1`);
}
