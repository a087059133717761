// Which GATEHOUSE_SECRET sealed the peppers of kept hashes, and sealing them again by the first.
import { type Db, first } from '../database/prisma.ts';
import { knownSealingKeys } from '../database/sealed.ts';
import { raw, sql } from '../database/sql.ts';
import { KEPT, openPepper, sealPepper } from '../sign-in/kept-hashes.ts';

/** SQL: hashes with a pepper; the index of kept hashes has them. */
const PEPPERED = raw(`${KEPT} and starts_with(password_hash, '$bcrypt-pepper$')`);
/** SQL: the id of the secret that sealed it. */
const KEY = raw("split_part(substring(password_hash from '[^$]*$'), '.', 2)");
const BATCH = 500;

/** `older`: sealed by an older GATEHOUSE_SECRET; `shut`: by none that is known. */
export async function countPepperSeals(db: Db): Promise<{ older: number; shut: number }> {
  const [newest, ...older] = knownSealingKeys();
  const counts = await first<{ older: number; shut: number }>(
    db.$queryRaw(sql`
    select count(*) filter (where ${KEY} = any (${older}::text[]))::int as older,
      count(*) filter (where ${KEY} <> all (${[newest, ...older]}::text[]))::int as shut
    from people where ${PEPPERED}`),
  );
  return counts ?? { older: 0, shut: 0 };
}

type Peppered = { id: string; hash: string };

/** Seals them by the first one, in batches; gives how many. Safe on several instances. */
export async function resealPeppers(db: Db): Promise<number> {
  const [, ...older] = knownSealingKeys();
  let count = 0;
  let after: string | null = null;
  while (true) {
    const found: Peppered[] = await db.$queryRaw<Peppered[]>(sql`
      select id, password_hash as hash from people
      where ${PEPPERED} and ${KEY} = any (${older}::text[])
        and (${after}::uuid is null or id > ${after}::uuid) order by id limit ${BATCH}`);
    const anew = found.flatMap(({ id, hash }) => {
      const open = openPepper(id, hash);
      // one that does not open stays as it is
      return open.endsWith('$') ? [] : [{ id, hash, sealed: sealPepper(id, open) }];
    });
    count += await db.$executeRaw(sql`
      with mine as (
        select id from people where id = any (${anew.map(({ id }) => id)}::uuid[]) order by id for no key update
      )
      update people p set password_hash = given.sealed
      from mine, jsonb_to_recordset(${JSON.stringify(anew)}::jsonb) as given (id uuid, hash text, sealed text)
      where p.id = mine.id and given.id = mine.id and p.password_hash = given.hash`);
    after = found.at(-1)?.id ?? null;
    if (found.length < BATCH) return count;
  }
}
