// Which GATEHOUSE_SECRET sealed the secrets of authenticator apps. There are as many as there are apps, so the
// database counts them, and they are sealed again in batches.
import { type Db, first } from '../database/prisma.ts';
import { knownSealingKeys, openFromRow, sealForRow } from '../database/sealed.ts';
import { type Sql, sql } from '../database/sql.ts';

type Sealed = { id: string; personId: string; value: string };

/** SQL: the id of the secret that sealed it. */
const KEY: Sql = sql`split_part(sealed_secret, '.', 2)`;
const BATCH = 500;

/**
 * Seals by the first GATEHOUSE_SECRET what an older, known one sealed, in batches.
 * Returns the number of rows. Safe on several instances.
 */
export async function resealTotpSecrets(db: Db): Promise<number> {
  const [newest, ...older] = knownSealingKeys();
  let count = 0;
  let after: string | null = null;
  while (true) {
    const batch: Sealed[] = await db.$queryRaw<Sealed[]>(sql`
      select id, person_id as "personId", sealed_secret as value from totp_secrets
      where ${KEY} <> ${newest} and ${KEY} = any (${older}::text[])
        and (${after}::uuid is null or id > ${after}::uuid) order by id limit ${BATCH}`);
    count += await storeSealedAnew(db, batch);
    after = batch.at(-1)?.id ?? null;
    if (batch.length < BATCH) return count;
  }
}

async function storeSealedAnew(db: Db, batch: readonly Sealed[]): Promise<number> {
  const opened = batch.flatMap(({ id, personId, value }) => {
    const secret = openFromRow('totp_secrets', personId, value);
    return secret === null ? [] : [{ id, value, sealed: sealForRow('totp_secrets', personId, secret) }];
  });
  const column = (name: 'id' | 'value' | 'sealed') => opened.map((one) => one[name]);
  return db.$executeRaw(sql`
    with mine as (
      select id from totp_secrets where id = any (${column('id')}::uuid[]) order by id for update
    )
    update totp_secrets t set sealed_secret = given.sealed
    from mine, unnest(${column('id')}::uuid[], ${column('value')}::text[], ${column('sealed')}::text[])
      as given (id, value, sealed)
    where t.id = mine.id and given.id = mine.id and t.sealed_secret = given.value`);
}

/** `older`: sealed by an older GATEHOUSE_SECRET; `shut`: by none that is known. */
export async function countTotpSeals(db: Db): Promise<{ older: number; shut: number }> {
  const [newest, ...older] = knownSealingKeys();
  const counts = await first<{ older: number; shut: number }>(
    db.$queryRaw(sql`
    select count(*) filter (where ${KEY} = any (${older}::text[]))::int as older,
      count(*) filter (where ${KEY} <> all (${[newest, ...older]}::text[]))::int as shut from totp_secrets`),
  );
  return counts ?? { older: 0, shut: 0 };
}
