// The salt of pairwise subject identifiers (OpenID Connect Core §8.1), sealed, in its one row.
import { sealForRow } from './sealed.ts';
import { sql } from './sql.ts';
import { ownConnection } from './transaction.ts';

/** Of the one row there is. */
export const SUBJECT_SALT_ID = '1';

/** Stores the salt unless another instance was first; gives the one that is stored, sealed. */
export async function createSubjectSalt(salt: string): Promise<string> {
  const sealed = sealForRow('subject_salt', SUBJECT_SALT_ID, salt);
  // written over with itself, so that the statement waits for whoever was first and gives what they stored
  const row = await ownConnection.one<{
    sealed: string;
  }>(sql`insert into subject_salt (sealed_salt) values (${sealed})
    on conflict (id) do update set sealed_salt = subject_salt.sealed_salt returning sealed_salt as sealed`);
  if (!row) throw new Error('the salt of subject identifiers was not stored');
  return row.sealed;
}
