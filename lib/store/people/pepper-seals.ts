// Which GATEHOUSE_SECRET sealed the peppers of kept hashes, and sealing them again by the first.
import { type Db, first, knownSealingKeys, raw, sql } from '../database/index.ts';
import { KEPT, openPepper, sealPepper } from '../sign-in/index.ts';

/** SQL: hashes with a pepper that one of these secrets sealed; the index of kept hashes has them. */
const sealedBy = (
  keys: readonly string[],
) => sql`${raw(KEPT)} and starts_with(password_hash, '$bcrypt-pepper$')
  and split_part(substring(password_hash from '[^$]*$'), '.', 2) = any (${keys}::text[])`;

/** How many peppers an older GATEHOUSE_SECRET sealed. */
export async function countOldPeppers(db: Db): Promise<number> {
  const [, ...older] = knownSealingKeys();
  const found = await first<{ n: number }>(
    db.$queryRaw(sql`select count(*)::int as n from people where ${sealedBy(older)}`),
  );
  return found?.n ?? 0;
}

/** Seals them by the first one, in batches; gives how many. Safe on several instances. */
export async function resealPeppers(db: Db): Promise<number> {
  const [, ...older] = knownSealingKeys();
  let count = 0;
  while (true) {
    const found = await db.$queryRaw<{ id: string; hash: string }[]>(
      sql`select id, password_hash as hash from people where ${sealedBy(older)} limit 2000`,
    );
    const anew = found.flatMap(({ id, hash }) => {
      const open = openPepper(id, hash);
      // one that does not open stays as it is
      return open.endsWith('$') ? [] : [{ id, hash, sealed: sealPepper(id, open) }];
    });
    const changed = await db.$executeRaw(sql`
      with mine as (
        select id from people where id = any (${anew.map(({ id }) => id)}::uuid[]) order by id for no key update
      )
      update people p set password_hash = given.sealed
      from mine, jsonb_to_recordset(${JSON.stringify(anew)}::jsonb) as given (id uuid, hash text, sealed text)
      where p.id = mine.id and given.id = mine.id and p.password_hash = given.hash`);
    count += changed;
    if (changed === 0) return count;
  }
}
