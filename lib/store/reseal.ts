// Reseals rows after a change of GATEHOUSE_SECRET. This part handles the peppers of imported hashes: it finds the
// secret that sealed a pepper, and reseals the pepper with the first secret.

import { KEPT, openPepper, sealPepper } from './hot/credentials.ts';
import { type Db, readRow, readRows } from './prisma.ts';
import { knownSealingKeys, openFromRow, sealForRow } from './sealed.ts';
import { raw, type Sql, sql } from './sql.ts';
import type { ColdRow } from './statement.ts';

/** SQL condition: the hash is peppered. The index of imported hashes covers it. */
const PEPPERED = raw(`${KEPT} and starts_with(password_hash, '$bcrypt-pepper$')`);
/** SQL: id of the secret that sealed the pepper. */
const PEPPER_KEY = raw("split_part(substring(password_hash from '[^$]*$'), '.', 2)");
const RESEAL_BATCH = 500;

/**
 * Counts peppers that the first GATEHOUSE_SECRET did not seal. `older`: sealed under an older secret. `shut`: sealed
 * under an unknown secret.
 */
export async function countPepperSeals(db: Db): Promise<{ older: number; shut: number }> {
  const [newest, ...older] = knownSealingKeys();
  const counts = await readRow(db, { older: 'int', shut: 'int' })`
    select count(*) filter (where ${PEPPER_KEY} = any (${older}::text[]))::int as older,
      count(*) filter (where ${PEPPER_KEY} <> all (${[newest, ...older]}::text[]))::int as shut
    from people where ${PEPPERED}`;
  return counts ?? { older: 0, shut: 0 };
}

/** Reseals peppers under the first secret, in batches, and returns their number. Safe on several instances. */
export async function resealPeppers(db: Db): Promise<number> {
  const [, ...older] = knownSealingKeys();
  let count = 0;
  let after: string | null = null;
  while (true) {
    const rows: { id: string; hash: string }[] = await readRows(db, { id: 'uuid', hash: 'text' })`
      select id, password_hash as hash from people
      where ${PEPPERED} and ${PEPPER_KEY} = any (${older}::text[])
        and (${after}::uuid is null or id > ${after}::uuid) order by id limit ${RESEAL_BATCH}`;
    const anew = rows.flatMap(({ id, hash }) => {
      const open = openPepper(id, hash);
      // a pepper that no known secret opens stays unchanged
      return open.endsWith('$') ? [] : [{ id, hash, sealed: sealPepper(id, open) }];
    });
    count += await db.$executeRaw(sql`
      with mine as (
        select id from people where id = any (${anew.map(({ id }) => id)}::uuid[]) order by id for no key update
      )
      update people p set password_hash = given.sealed
      from mine, jsonb_to_recordset(${JSON.stringify(anew)}::jsonb) as given (id uuid, hash text, sealed text)
      where p.id = mine.id and given.id = mine.id and p.password_hash = given.hash`);
    after = rows.at(-1)?.id ?? null;
    if (rows.length < RESEAL_BATCH) return count;
  }
}

// Reseals the secrets of authenticator apps. There can be many, so the database counts them by sealing
// GATEHOUSE_SECRET, and they are resealed in batches.

const SEALED = { id: 'uuid', personId: 'uuid', value: 'text' } as const;
type Sealed = ColdRow<typeof SEALED>;

/** SQL: id of the secret that sealed the value. */
const TOTP_KEY: Sql = sql`split_part(sealed_secret, '.', 2)`;

/**
 * Reseals values of an older, known GATEHOUSE_SECRET under the first one, in batches. Returns the number of rows.
 * Safe on several instances.
 */
export async function resealTotpSecrets(db: Db): Promise<number> {
  const [newest, ...older] = knownSealingKeys();
  let count = 0;
  let after: string | null = null;
  while (true) {
    const batch: Sealed[] = await readRows(db, SEALED)`
      select id, person_id as "personId", sealed_secret as value from totp_secrets
      where ${TOTP_KEY} <> ${newest} and ${TOTP_KEY} = any (${older}::text[])
        and (${after}::uuid is null or id > ${after}::uuid) order by id limit ${RESEAL_BATCH}`;
    count += await storeSealedAnew(db, batch);
    after = batch.at(-1)?.id ?? null;
    if (batch.length < RESEAL_BATCH) return count;
  }
}

async function storeSealedAnew(db: Db, batch: readonly Sealed[]): Promise<number> {
  const opened = batch.flatMap(({ id, personId, value }) => {
    const secret = openFromRow('totp_secrets', personId, value);
    return secret === null ? [] : [{ id, value, sealed: sealForRow('totp_secrets', personId, secret) }];
  });
  const column = (name: 'id' | 'value' | 'sealed') => opened.map((row) => row[name]);
  return db.$executeRaw(sql`
    with mine as (
      select id from totp_secrets where id = any (${column('id')}::uuid[]) order by id for update
    )
    update totp_secrets t set sealed_secret = given.sealed
    from mine, unnest(${column('id')}::uuid[], ${column('value')}::text[], ${column('sealed')}::text[])
      as given (id, value, sealed)
    where t.id = mine.id and given.id = mine.id and t.sealed_secret = given.value`);
}

/**
 * Counts app secrets that the first GATEHOUSE_SECRET did not seal. `older`: sealed under an older secret. `shut`:
 * sealed under an unknown secret.
 */
export async function countTotpSeals(db: Db): Promise<{ older: number; shut: number }> {
  const [newest, ...older] = knownSealingKeys();
  const counts = await readRow(db, { older: 'int', shut: 'int' })`
    select count(*) filter (where ${TOTP_KEY} = any (${older}::text[]))::int as older,
      count(*) filter (where ${TOTP_KEY} <> all (${[newest, ...older]}::text[]))::int as shut from totp_secrets`;
  return counts ?? { older: 0, shut: 0 };
}
