// The salt of pairwise subject identifiers (OpenID Connect Core §8.1): 256 random bits, made when the first is needed,
// the same for ever and on all instances. Opened once in a process.
import { randomBytes } from 'node:crypto';
import { processWide } from '#lib/kit/process.ts';
import { createSubjectSalt, SUBJECT_SALT_ID } from '#lib/store/keys.ts';
import { openFromRow } from '#lib/store/sealed.ts';
import type { Snapshot } from '#lib/store/snapshot.ts';

const opened = processWide<{ sealed: string; salt: Buffer }>('subject-salt');

/** An error where no known GATEHOUSE_SECRET opens it: another salt would make everybody a stranger to every client. */
export async function subjectSalt({ sealedSubjectSalt }: Snapshot): Promise<Buffer> {
  const sealed = sealedSubjectSalt ?? (await createSubjectSalt(randomBytes(32).toString('base64url')));
  if (opened.value?.sealed !== sealed) {
    const plain = openFromRow('subject_salt', SUBJECT_SALT_ID, sealed);
    if (plain === null)
      throw new Error('the salt of pairwise subjects was sealed with another GATEHOUSE_SECRET');
    opened.value = { sealed, salt: Buffer.from(plain, 'base64url') };
  }
  return opened.value.salt;
}
