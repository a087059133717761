// Password hashes that are not of today's kind: which kinds there are, and the pepper that some of them rest on.
import {
  type Db,
  first,
  knownSealingKeys,
  openFromRow,
  raw,
  sealForRow,
  sql,
  statement,
} from '../database/index.ts';

/** SQL of the index people_kept_hash_idx: a hash's name with its cost, without salt and key. */
const KIND = String.raw`substring(password_hash from '^[$](?:(?:wp|bcrypt-[a-z0-9]+)[$])?(?:2[aby][$]\d+|[a-z0-9-]+[$](?:v=\d+[$])?(?:[a-z0-9]+=\d+,?)+)')`;
const KEPT = `not starts_with(password_hash, '$argon2id$v=19$m=19456,t=2,p=1$')`;

/** Jumps through the index from kind to kind. */
const keptKinds = statement({
  name: 'kept-hash-kinds',
  takes: {},
  text: () => `with recursive kinds as (
  (select ${KIND} as kind from people where ${KEPT} and ${KIND} is not null order by 1 limit 1)
  union all
  select (select ${KIND} from people where ${KEPT} and ${KIND} > kinds.kind order by 1 limit 1)
  from kinds where kinds.kind is not null)
select kinds.kind, one.id, one.hash from kinds,
  lateral (select id, password_hash as hash from people where ${KEPT} and ${KIND} = kinds.kind limit 1) one`,
});

/** One hash of each kind, with its pepper open. */
export async function keptSamples(): Promise<{ kind: string; hash: string }[]> {
  const rows = await keptKinds<{ kind: string; id: string; hash: string }>({});
  return rows.map(({ kind, id, hash }) => ({ kind, hash: openPepper(id, hash) }));
}

/** What ends a `$bcrypt-pepper$` hash is sealed, so that a copy of the database is not enough to guess. */
const PEPPER = /^([$]bcrypt-pepper[$].*[$])([\w.-]+)$/;

export function sealPepper(personId: string, hash: string): string {
  const [, before, pepper] = PEPPER.exec(hash) ?? [];
  return before === undefined ? hash : before + sealForRow('people', personId, pepper ?? '');
}

/** The hash as it is checked; one whose pepper cannot be read verifies nothing. */
export function openPepper(personId: string, hash: string): string {
  const [, before, sealed = ''] = PEPPER.exec(hash) ?? [];
  return before === undefined ? hash : before + (openFromRow('people', personId, sealed) ?? '');
}

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
