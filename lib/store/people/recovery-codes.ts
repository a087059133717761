// Recovery codes, as hashes, as they are made and counted (sign-in/recovery-codes.ts spends them).
import { type Db, database, some } from '../database/prisma.ts';
import { sql } from '../database/sql.ts';

/** These replace all earlier ones. False, and nothing changed: the person has no factor that they could replace. */
export async function replaceRecoveryCodes(
  db: Db,
  personId: string,
  hashes: readonly Uint8Array<ArrayBuffer>[],
): Promise<boolean> {
  // the factors' triggers lock the same row: the last factor goes before this, or takes the new codes with it
  const has = await some(
    db.$queryRaw(sql`select 1 from people where id = ${personId} and factor_level > 0 for no key update`),
  );
  if (!has) return false;
  await db.recoveryCode.deleteMany({ where: { personId } });
  await db.recoveryCode.createMany({ data: hashes.map((codeHash) => ({ codeHash, personId })) });
  return true;
}

/** How many of them still work. */
export async function countRecoveryCodes(personId: string): Promise<number> {
  return (await database()).recoveryCode.count({ where: { personId, usedAt: null } });
}
