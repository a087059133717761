// The salt of pairwise subject identifiers (OpenID Connect Core §8.1), sealed, in its one row.
import { query, sealForRow, sql } from '../database/index.ts';

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
